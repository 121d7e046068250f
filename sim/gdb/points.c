/* points.c - breakpoints and watchpoints: they come and go, and what an
 * instruction is about to touch is compared with them. The guest's memory is
 * left alone.
 */
#include <string.h>

#include "isa/table.h"
#include "sim/gdb/stub.h"

/* ---- what an instruction is about to touch ------------------------------- */

/* Bytes that a row moves, by its name: b h w, fs fd fiw, and w for the like of
 * lwarx. Several words and strings depend on the instruction. */
static uint32_t bytes_of(const struct cpu *c, const struct insn *i)
{
    const char *name = table_row(i->op)->name;

    if (i->op == OP_DCBZ)
        return c->port->line_bytes;
    name += *name == 'l' ? 1 : 2; /* l, or st */
    if (*name == 'b')
        return 1;
    if (*name == 'h')
        return 2;
    if (*name == 'm')
        return 4 * (32u - i->d);
    if (*name == 's')
        return strchr(name, 'i') ? (i->b ? i->b : 32) : c->xer & 0x7F;
    return strncmp(name, "fd", 2) == 0 ? 8 : 4;
}

static ea_t address_of(const struct cpu *c, const struct insn *i)
{
    const char *operands = table_row(i->op)->operands;
    ea_t base = i->a ? c->gpr[i->a] : 0;

    if (strchr(operands, '('))
        return base + (uint32_t)i->imm;
    if (strstr(operands, "NB"))
        return base;
    base += c->gpr[i->b];
    return i->op == OP_DCBZ ? base & ~(c->port->line_bytes - 1) : base;
}

bool point_access(const struct cpu *c, const struct insn *i,
                  struct gdb_watch *a)
{
    if (!(i->flags & (INSN_LOAD | INSN_STORE)))
        return false;
    a->from = address_of(c, i);
    a->size = bytes_of(c, i);
    a->kind = i->flags & INSN_STORE ? GDB_WRITE : GDB_READ;
    return a->size > 0;
}

/* ---- coming and going ---------------------------------------------------- */
/* ---- breakpoints and watchpoints ----------------------------------------- */

static int set_break(struct gdb *g, const struct gdb_break *b, bool on)
{
    unsigned k = 0;

    while (k < g->nbreaks &&
           (g->breaks[k].pc != b->pc || g->breaks[k].kind != b->kind))
        k++;
    if (on && k == GDB_BREAKS)
        return NOTHING_THERE;
    if (on && k == g->nbreaks)
        g->breaks[g->nbreaks++] = *b;
    else if (!on && k < g->nbreaks)
        g->breaks[k] = g->breaks[--g->nbreaks];
    return DONE;
}

static int set_watch(struct gdb *g, const struct gdb_watch *w, bool on)
{
    unsigned k = 0;

    while (k < g->nwatches &&
           (g->watches[k].from != w->from || g->watches[k].size != w->size ||
            g->watches[k].kind != w->kind))
        k++;
    if (on && k == GDB_WATCHES)
        return NOTHING_THERE;
    if (on && k == g->nwatches)
        g->watches[g->nwatches++] = *w;
    else if (!on && k < g->nwatches)
        g->watches[k] = g->watches[--g->nwatches];
    return DONE;
}

static int set_point(struct gdb *g, struct scan *s, bool on)
{
    uint32_t kind, ea, size;
    int answer;

    if (!scan_word(s, &kind) || kind > GDB_ACCESS || !scan_char(s, ',') ||
        !scan_range(s, &ea, &size) || !scan_over(s))
        return BAD;
    if (kind <= GDB_HARD)
        answer = set_break(g, &(struct gdb_break){ea & ~3u, (uint8_t)kind}, on);
    else if (size == 0)
        return BAD;
    else
        answer = set_watch(g, &(struct gdb_watch){ea, size, (uint8_t)kind}, on);
    if (answer == DONE)
        reply_add(g, "OK");
    return answer;
}

int point_insert(struct gdb *g, struct scan *s)
{
    return set_point(g, s, true);
}

int point_remove(struct gdb *g, struct scan *s)
{
    return set_point(g, s, false);
}
