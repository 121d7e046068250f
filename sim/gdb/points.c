/* points.c - breakpoints and watchpoints come and go. The guest's memory is
 * not touched for them: gdb.c compares.
 */
#include "sim/gdb/inside.h"
/* ---- breakpoints and watchpoints ------------------------------------------
 */

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
