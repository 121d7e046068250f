/* probe.c - entries and exits by address. See probe.h.
 *
 * A function is entered when the next instruction is its first; it is left
 * when the next instruction is where LR pointed then, with the stack pointer
 * of then, in the same context. A longjmp over it leaves it open.
 */
#include "sim/probe.h"

#include <stdio.h>
#include <string.h>

#include "pmu/record.h"

static unsigned hash(uint32_t pc)
{
    return (pc >> 2) * 0x9E3779B1u >> 22;
}

static void filter_add(struct probes *p, uint32_t pc)
{
    p->filter[hash(pc) / 64] |= (uint64_t)1 << hash(pc) % 64;
}

static bool filter_has(const struct probes *p, uint32_t pc)
{
    return p->filter[hash(pc) / 64] >> hash(pc) % 64 & 1;
}

static void record(struct probes *p, struct core *c, unsigned kind,
                   uint32_t function, cycle_t at)
{
    uint32_t cost = p->machine->with.params.probe_cycles;
    struct experiment_stamp s = {REC_PROBE, c->number, c->context, at};
    uint32_t w[PROBE_WORDS] = {kind, function, cost, c->cpu.gpr[1]};

    experiment_record(p->machine->with.experiment, &s, w, PROBE_WORDS);
    if (cost && c->state == CORE_RUNNING)
        core_spend(c, cost);
}

/* The youngest call that returns here, or NULL. */
static struct probe_call *returning(struct probes *p, const struct core *c)
{
    unsigned k;

    for (k = p->active; k-- > 0;) {
        struct probe_call *q = &p->call[k];

        if (q->back == c->cpu.pc && q->stack == c->cpu.gpr[1] &&
            q->context == c->context)
            return q;
    }
    return NULL;
}

static void leave(struct probes *p, struct core *c, cycle_t at)
{
    struct probe_call *q;

    while ((q = returning(p, c))) {
        uint32_t function = q->function;

        memmove(q, q + 1, (size_t)(&p->call[p->active] - (q + 1)) * sizeof *q);
        p->active--;
        record(p, c, PROBE_LEAVE, function, at);
    }
}

/* An interrupt between the call and the first instruction comes back here:
 * that is no second call. */
static bool resumed(const struct probes *p, const struct core *c)
{
    unsigned k;

    for (k = p->active; k-- > 0;) {
        const struct probe_call *q = &p->call[k];

        if (q->function == c->cpu.pc && q->back == c->cpu.lr &&
            q->stack == c->cpu.gpr[1] && q->context == c->context)
            return true;
    }
    return false;
}

static void enter(struct probes *p, struct core *c, cycle_t at)
{
    unsigned k;

    for (k = 0; k < p->count && p->function[k] != c->cpu.pc; k++)
        ;
    if (k == p->count || resumed(p, c))
        return;
    if (p->active == PROBE_ACTIVE) {
        p->lost++;
        return;
    }
    p->call[p->active++] =
        (struct probe_call){c->context, c->cpu.lr, c->cpu.gpr[1], c->cpu.pc};
    filter_add(p, c->cpu.lr);
    record(p, c, PROBE_ENTER, c->cpu.pc, at);
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct probes *p = arg;

    (void)at;
    if (c->cpu.pc == pc + 4 || !filter_has(p, c->cpu.pc))
        return false;
    leave(p, c, done);
    enter(p, c, done);
    return false;
}

bool probes_open(struct probes *p, const struct probe_options *o,
                 struct machine *m, char *why, size_t size)
{
    struct names names;
    unsigned k;

    memset(p, 0, sizeof *p);
    if (!o->count)
        return true;
    p->machine = m;
    if (!names_open(&names, m->with.image)) {
        snprintf(why, size, "--probe: the host has no memory for the names");
        return false;
    }
    for (k = 0; k < o->count; k++) {
        if (!names_find(&names, o->function[k], &p->function[k])) {
            snprintf(why, size, "--probe %s: %s has no such symbol",
                     o->function[k], m->with.image->name);
            names_close(&names);
            return false;
        }
        filter_add(p, p->function[k]);
    }
    names_close(&names);
    p->count = o->count;
    p->probe = (struct core_probe){.arg = p, .after = after};
    machine_probe(m, &p->probe, true);
    return true;
}
