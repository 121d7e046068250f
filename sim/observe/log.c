/* log.c - writes down what instructions did, as an observer of every core.
 *
 * Registers are compared before and after, so a line shows what changed, not
 * what a table says should. Lines come in the order of the machine: dispatch
 * cycle, then processor.
 */
#include "sim/observe/log.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/table.h"
#include "lib/base/text.h"
#include "sim/host/output.h"

/* ---- what was asked for -------------------------------------------------- */

static const struct {
    const char *name;
    unsigned bit;
} words[] = {
    {"exec", LOG_EXEC}, {"mem", LOG_MEM},       {"int", LOG_INT},
    {"pipe", LOG_PIPE}, {"konata", LOG_KONATA},
};

#define WORDS (sizeof words / sizeof *words)

static unsigned word_bit(const char *text, size_t length)
{
    for (unsigned k = 0; k < WORDS; k++)
        if (strlen(words[k].name) == length &&
            memcmp(words[k].name, text, length) == 0)
            return words[k].bit;
    return 0;
}

bool log_parse(struct log_options *o, const char *text, char *why, size_t size)
{
    const char *at = text;

    o->what = 0;
    for (;;) {
        size_t length = strcspn(at, ",:");
        unsigned bit = word_bit(at, length);

        if (!bit) {
            snprintf(why, size,
                     "%.*s: give exec, mem, int, pipe, a comma between; or "
                     "konata",
                     (int)length, at);
            return false;
        }
        o->what |= bit;
        at += length;
        if (*at != ',')
            break;
        at++;
    }
    if (o->what & LOG_KONATA && o->what != LOG_KONATA) {
        snprintf(why, size, "%s: konata is a format of its own, give it alone",
                 text);
        return false;
    }
    o->file = *at == ':' ? at + 1 : NULL;
    if (o->file && !*o->file) {
        snprintf(why, size, "%s: no file behind the colon", text);
        return false;
    }
    return true;
}

bool log_check(const struct log_options *o, char *why, size_t size)
{
    struct moment e;

    return moment_parse(&e, NULL, "log-from", o->from, why, size) &&
           moment_parse(&e, NULL, "log-to", o->to, why, size);
}

/* ---- registers ----------------------------------------------------------- */

static void add_register(struct log *l, const char *name, size_t offset)
{
    struct log_register *r = &l->reg[l->registers];

    if (l->registers == LOG_REGISTERS)
        return;
    l->registers++;
    r->offset = (uint16_t)offset;
    snprintf(r->name, sizeof r->name, "%s", name);
    for (char *c = r->name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
}

/* Every word of struct cpu with a name, in the order of a line. */
static void add_registers(struct log *l)
{
    char name[8];

    for (unsigned n = 0; n < 32; n++) {
        snprintf(name, sizeof name, "r%u", n);
        add_register(l, name, offsetof(struct cpu, gpr) + 4 * n);
    }
    add_register(l, "cr", offsetof(struct cpu, cr));
    add_register(l, "msr", offsetof(struct cpu, msr));
    add_register(l, "fpscr", offsetof(struct cpu, fpscr));
    for (unsigned n = 0; n < 1024; n++) {
        const struct spr *s = spr_find(n);

        if (s && s->stored)
            add_register(l, s->name, s->offset);
    }
    for (unsigned n = 0; n < 16; n++) {
        snprintf(name, sizeof name, "sr%u", n);
        add_register(l, name, offsetof(struct cpu, sr) + 4 * n);
    }
}

static uint32_t word_at(const struct cpu *c, unsigned offset)
{
    uint32_t value;

    memcpy(&value, (const char *)c + offset, sizeof value);
    return value;
}

/* What mtspr gave to a register that struct cpu has no place for. */
static void write_moved(const struct log *l, const struct insn *i,
                        const struct cpu *now)
{
    const struct spr *s = i->op == OP_MTSPR ? spr_find(i->spr) : NULL;
    struct log_register r;

    if (!s || s->stored || !s->writes)
        return;
    snprintf(r.name, sizeof r.name, "%s", s->name);
    for (char *c = r.name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    fprintf(l->out, " %s=%08" PRIx32, r.name, now->gpr[i->d]);
}

static void write_changes(const struct log *l, const struct cpu *old,
                          const struct cpu *now)
{
    for (unsigned k = 0; k < l->registers; k++) {
        uint32_t value = word_at(now, l->reg[k].offset);

        if (value != word_at(old, l->reg[k].offset))
            fprintf(l->out, " %s=%08" PRIx32, l->reg[k].name, value);
    }
    for (unsigned n = 0; n < 32; n++)
        if (old->fpr[n] != now->fpr[n])
            fprintf(l->out, " f%u=%016" PRIx64, n, now->fpr[n]);
}

/* ---- lines --------------------------------------------------------------- */

/* Address, word, disassembly, place. */
static const char *text_of(const struct log *l, ea_t pc, uint32_t word)
{
    struct log_text *k = &l->text[pc / 4 % LOG_TEXTS];
    char insn[DISASM_TEXT], symbol[NAME_TEXT];

    if (k->text[0] && k->pc == pc && k->word == word)
        return k->text;
    k->pc = pc;
    k->word = word;
    disasm_insn(l->disasm, word, pc, insn);
    names_text(&l->names, pc, symbol);
    snprintf(k->text, sizeof k->text,
             "%08" PRIx32 " %08" PRIx32 "  %-28s %-24s", pc, word, insn,
             symbol);
    return k->text;
}

static void write_exec(struct log *l, const struct core *c, ea_t pc, cycle_t at,
                       cycle_t done)
{
    const struct cpu *old = &l->now[c->number].old;
    const struct insn *i = &l->now[c->number].insn;

    fprintf(l->out, "%u %10" PRIu64 " %10" PRIu64 " %s", c->number, at, done,
            text_of(l, pc, i->word));
    if (memcmp(old, &c->cpu, offsetof(struct cpu, step)) != 0)
        write_changes(l, old, &c->cpu);
    if (!l->now[c->number].entered)
        write_moved(l, i, &c->cpu);
    fprintf(l->out, "\n");
}

static void write_konata(struct log *l, const struct core *c, ea_t pc)
{
    char label[DISASM_TEXT + NAME_TEXT];
    struct konata_wait wait[CORE_WAITS];
    struct core_stages s;

    if (!core_stages(c, &s))
        return;
    konata_text(text_of(l, pc, l->now[c->number].insn.word) + LOG_WORDS, label,
                sizeof label);
    for (unsigned k = 0; k < s.waits; k++)
        wait[k] = (struct konata_wait){s.wait[k].begin, s.wait[k].end,
                                       reason_name(s.wait[k].reason)};
    konata_insn(&l->konata,
                &(struct konata_insn){c->number, pc, label, s.unit, s.fetch,
                                      s.dispatch, s.issue, s.finish, s.complete,
                                      s.waits, wait});
}

/* The way through the pipeline; nothing in fast mode, which has none. */
static void write_pipe(const struct log *l, const struct core *c, ea_t pc)
{
    struct core_stages s;

    if (!core_stages(c, &s))
        return;
    fprintf(l->out,
            "%u %10" PRIu64 " %10" PRIu64 " %08" PRIx32 " pipe    %-5s fetch "
            "%" PRIu64 " issue %" PRIu64 " finish %" PRIu64,
            c->number, s.dispatch, s.complete, pc, s.unit, s.fetch, s.issue,
            s.finish);
    for (unsigned k = 0; k < s.waits; k++)
        fprintf(l->out, " %s<%" PRIu64, reason_name(s.wait[k].reason),
                s.wait[k].end);
    fprintf(l->out, "\n");
}

static const char *const access_names[] = {
    [ACCESS_LOAD] = "load",   [ACCESS_STORE] = "store",
    [ACCESS_TOUCH] = "touch", [ACCESS_TOUCHST] = "touchst",
    [ACCESS_DCBZ] = "dcbz",   [ACCESS_DCBST] = "dcbst",
    [ACCESS_DCBF] = "dcbf",   [ACCESS_DCBI] = "dcbi",
    [ACCESS_ICBI] = "icbi",   [ACCESS_MARK] = "mark",
};

/* What lies in memory now, which is what was loaded or stored. */
static void write_value(const struct log *l, const struct access *a)
{
    const struct ram *r = &l->machine->ram;
    bool moves = a->kind == ACCESS_LOAD || a->kind == ACCESS_STORE ||
                 a->kind == ACCESS_MARK;

    if (a->io)
        fprintf(l->out, " device");
    if (a->io || !moves || a->size > r->size || a->pa > r->size - a->size)
        return;
    fprintf(l->out, " = ");
    for (unsigned k = 0; k < a->size; k++)
        fprintf(l->out, "%02x", r->bytes[a->pa + k]);
}

static void write_mem(const struct log *l, const struct core *c, ea_t pc,
                      cycle_t at, cycle_t done)
{
    const struct step *s = &c->cpu.step;

    for (unsigned k = 0; k < (unsigned)s->accesses + s->marks; k++) {
        const struct access *a =
            k < s->marks ? &s->mark[k] : &s->access[k - s->marks];

        fprintf(l->out,
                "%u %10" PRIu64 " %10" PRIu64 " %08" PRIx32
                " %-7s %2u %08" PRIx32,
                c->number, at, done, pc, access_names[a->kind], a->size, a->ea);
        if (a->pa != a->ea)
            fprintf(l->out, " at %08" PRIx32, a->pa);
        write_value(l, a);
        fprintf(l->out, "\n");
    }
}

/* Where simrun is the kernel nothing is saved: it just takes over. */
static void write_int(const struct log *l, const struct core *c, enum exc e,
                      ea_t pc, cycle_t at)
{
    const struct cpu *r = &c->cpu;

    fprintf(l->out, "%u %10" PRIu64 " %10" PRIu64 " %08" PRIx32 " enter   %s",
            c->number, at, at, pc, isa_exc_name(e));
    if (c->with.supervisor.enter) {
        fprintf(l->out, " simrun\n");
        return;
    }
    fprintf(l->out, " srr0=%08" PRIx32 " srr1=%08" PRIx32, r->srr0, r->srr1);
    if (e == EXC_DSI || e == EXC_ALIGNMENT)
        fprintf(l->out, " dar=%08" PRIx32 " dsisr=%08" PRIx32, r->dar,
                r->dsisr);
    fprintf(l->out, "\n");
}

/* ---- looking ------------------------------------------------------------- */

/* It will not begin again. */
static void finish(struct log *l)
{
    l->on = false;
    machine_observe(l->machine, &l->observer, false);
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct log *l = arg;
    unsigned n = c->number;

    if (!l->on && moment_reached(&l->from, l->machine, c->cpu.pc, at))
        l->on = true;
    if (l->on && l->to.kind != MOMENT_ADDRESS &&
        moment_reached(&l->to, l->machine, c->cpu.pc, at))
        finish(l);
    l->now[n].busy = l->on;
    if (!l->on)
        return false;
    memcpy(&l->now[n].old, &c->cpu, offsetof(struct cpu, step));
    l->now[n].insn = *i;
    l->now[n].entered = EXC_NONE;
    l->now[n].last = l->to.kind == MOMENT_ADDRESS && c->cpu.pc == l->to.value;
    return false;
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct log *l = arg;
    unsigned n = c->number;

    if (!l->now[n].busy)
        return false;
    l->now[n].busy = false;
    if (l->what & LOG_EXEC)
        write_exec(l, c, pc, at, done);
    if (l->what & LOG_PIPE)
        write_pipe(l, c, pc);
    if (l->what & LOG_KONATA)
        write_konata(l, c, pc);
    if (l->what & LOG_MEM)
        write_mem(l, c, pc, at, done);
    if (l->what & LOG_INT && l->now[n].entered)
        write_int(l, c, l->now[n].entered, l->now[n].pc, l->now[n].at);
    if (l->now[n].last || ferror(l->out) ||
        (l->to.kind == MOMENT_INSNS &&
         moment_reached(&l->to, l->machine, pc, at)))
        finish(l);
    return false;
}

static void entered(void *arg, struct core *c, enum exc e, ea_t pc, cycle_t at)
{
    struct log *l = arg;
    unsigned n = c->number;

    (void)pc;
    if (l->now[n].busy) {
        l->now[n].entered = e;
        l->now[n].pc = c->cpu.pc;
        l->now[n].at = at;
    } else if (l->on && l->what & LOG_INT) {
        write_int(l, c, e, c->cpu.pc, at);
    }
}

bool log_open(struct log *l, const struct log_options *o, struct machine *m,
              char *why, size_t size)
{
    memset(l, 0, sizeof *l);
    if (!o->what)
        return true;
    l->machine = m;
    l->what = o->what;
    l->disasm = disasm_new();
    l->text = calloc(LOG_TEXTS, sizeof *l->text);
    if (!l->disasm || !l->text || !names_open(&l->names, m->with.image)) {
        snprintf(why, size, "--log: the host has no memory for it");
        return false;
    }
    if (!moment_parse(&l->from, &l->names, "log-from", o->from, why, size) ||
        !moment_parse(&l->to, &l->names, "log-to", o->to, why, size))
        return false;
    if (o->file)
        l->out = output_open("--log", o->file, why, size);
    else if (!(l->out = fdopen(dup(2), "w")))
        snprintf(why, size, "--log: stderr: cannot be written: %s",
                 strerror(errno));
    if (!l->out)
        return false;
    l->out = output_heed(l->out, o->signals);
    if (!l->out) {
        snprintf(why, size, "--log: the host has no memory for it");
        return false;
    }
    if (!o->file)
        setvbuf(l->out, NULL, _IOLBF, BUFSIZ);
    l->konata.out = l->out;
    l->on = l->from.kind == MOMENT_NONE;
    add_registers(l);
    l->observer = (struct observer){
        .arg = l, .before = before, .after = after, .entered = entered};
    machine_observe(m, &l->observer, true);
    return true;
}

bool log_close(struct log *l)
{
    bool ok = true;

    if (l->out) {
        machine_observe(l->machine, &l->observer, false);
        ok = !(l->what & LOG_KONATA) || konata_end(&l->konata);
        ok = !ferror(l->out) && ok;
        ok = fclose(l->out) == 0 && ok;
    }
    disasm_free(l->disasm);
    free(l->text);
    names_close(&l->names);
    memset(l, 0, sizeof *l);
    return ok;
}
