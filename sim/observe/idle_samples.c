/* idle_samples.c - see idle_samples.h.
 *
 * Whether a CPU is idle changes at its own switches alone. So its interrupts
 * are looked at there, and at beats; what other CPUs do meanwhile with the
 * thread that it remembers is kept with its cycle until then.
 */
#include "sim/observe/idle_samples.h"

#include <stdlib.h>
#include <string.h>

#include "include/record_put.h"
#include "lib/base/grow.h"
#include "lib/base/mix.h"
#include "lib/base/snap.h"

/* ---- when ---------------------------------------------------------------- */

static uint32_t draw(struct idle_samples *s, unsigned cpu, uint32_t below)
{
    uint64_t seed = mix64(s->machine->with.params.seed + MIX_STEP * (cpu + 1));

    return (uint32_t)(mix64(seed + MIX_STEP * ++s->place[cpu].drawn) % below);
}

/* Longer or shorter by half of it at most, so that it does not beat with what
 * the program does in time. */
static uint32_t period(struct idle_samples *s, unsigned cpu)
{
    uint32_t n = s->with.period;

    return n < 2 ? n : n - n / 2 + draw(s, cpu, n / 2 * 2 + 1);
}

/* What is left of one that began before: a moment meets a period as often as
 * that is long, and any place in it as often as another. */
static uint32_t first_period(struct idle_samples *s, unsigned cpu)
{
    uint32_t n = s->with.period, length;

    do
        length = period(s, cpu);
    while (draw(s, cpu, n + n / 2 + 1) > length);
    return 1 + draw(s, cpu, length);
}

/* ---- stacks -------------------------------------------------------------- */

static void keep(struct idle_samples *s, uint32_t thread, const uint32_t *pc,
                 unsigned n)
{
    bool fresh;
    uint32_t *at = hash_at(&s->index, thread, &fresh);
    struct idle_stack *k;

    if (fresh) {
        *at = (uint32_t)s->stacks;
        s->stack = grow(s->stack, &s->room, s->stacks + 1, sizeof *s->stack);
        s->stack[s->stacks++] = (struct idle_stack){.pc = NULL};
    }
    k = &s->stack[*at];
    free(k->pc);
    *k = (struct idle_stack){.pc = NULL};
    if (!n)
        return;
    k->pc = grow_zero(n, sizeof *k->pc);
    memcpy(k->pc, pc, n * sizeof *pc);
    k->n = n;
}

static const struct idle_stack *kept(const struct idle_samples *s,
                                     uint32_t thread)
{
    const uint32_t *at = hash_find(&s->index, thread);

    return at && s->stack[*at].n ? &s->stack[*at] : NULL;
}

bool idle_samples_new(const struct idle_samples *s, uint32_t thread)
{
    return s->machine && !kept(s, thread);
}

void idle_samples_begins(struct idle_samples *s, uint32_t thread,
                         const uint32_t *pc, unsigned n)
{
    if (s->machine)
        keep(s, thread, pc, n);
}

/* ---- records ------------------------------------------------------------- */

/* Its process and stack, and where it was idle. */
struct sample {
    uint32_t kind, thread, process, n;
    const uint32_t *pc;
    cycle_t at;
};

static void put_sample(struct idle_samples *s, unsigned cpu,
                       const struct sample *is)
{
    struct experiment_stamp stamp = {REC_IDLE, cpu, is->thread, is->at};
    uint32_t w[IDLE_WORDS + WALK_MOST];

    record_put_idle_transition(w, is->kind);
    record_put_idle_by(w, IDLE_BY_OUTSIDE);
    record_put_idle_pid(w, is->process);
    record_put_idle_number(w, ++s->place[cpu].number);
    record_put_idle_depth(w, is->n);
    memcpy(record_tail_idle_stack(w), is->pc, is->n * sizeof *is->pc);
    experiment_record(s->experiment, &stamp, w, record_size_idle_stack(is->n));
}

static void put_unsampled(struct idle_samples *s, unsigned cpu, cycle_t at,
                          uint32_t reason)
{
    struct idle_place *p = &s->place[cpu];
    bool of = reason != UNSAMPLED_NONE && reason != UNSAMPLED_AGAIN;
    struct experiment_stamp stamp = {REC_UNSAMPLED, cpu, of ? p->thread : 0,
                                     at};
    uint32_t w[UNSAMPLED_WORDS];

    record_put_unsampled_reason(w, reason);
    record_put_unsampled_pid(w, of ? p->process : 0);
    experiment_record(s->experiment, &stamp, w, UNSAMPLED_WORDS);
    p->count.none += reason == UNSAMPLED_NONE;
    p->count.stale += of;
}

static void put_count(struct idle_samples *s, unsigned cpu, cycle_t at,
                      uint32_t counter, uint64_t value)
{
    struct experiment_stamp stamp = {REC_STAT, cpu, 0, at};
    uint32_t w[STAT_WORDS];

    record_put_stat_counter(w, counter);
    record_put_stat_value(w, value);
    experiment_record(s->experiment, &stamp, w, STAT_WORDS);
}

/* ---- interrupts ---------------------------------------------------------- */

/* Why the thread that p remembers is not sampled at that cycle; 0: it is. */
static uint32_t refuses(const struct idle_place *p, cycle_t at)
{
    if (!p->saved || at >= p->gone)
        return UNSAMPLED_NONE;
    if (p->ended)
        return UNSAMPLED_ENDED;
    if (at >= p->ran)
        return UNSAMPLED_MOVED;
    if (at >= p->woken)
        return UNSAMPLED_RUNNABLE;
    return p->n ? 0 : UNSAMPLED_NONE;
}

static void interrupt(struct idle_samples *s, unsigned cpu, cycle_t at)
{
    struct idle_place *p = &s->place[cpu];
    uint32_t reason;

    p->count.interrupts++;
    if (!p->idle) {
        p->count.busy++;
        return;
    }
    p->count.sampled += !p->seen;
    p->seen = true;
    p->deferred |= s->with.from;
    if (!s->with.to)
        return;
    reason = s->with.once && p->counted ? UNSAMPLED_AGAIN : refuses(p, at);
    if (reason != UNSAMPLED_NONE)
        p->counted = true;
    if (reason) {
        put_unsampled(s, cpu, at, reason);
        return;
    }
    put_sample(
        s, cpu,
        &(struct sample){IDLE_KIND_TO, p->thread, p->process, p->n, p->pc, at});
    p->count.to++;
}

static void interrupts(struct idle_samples *s, unsigned cpu, cycle_t before)
{
    struct idle_place *p = &s->place[cpu];

    while (p->begun && p->next < before) {
        interrupt(s, cpu, p->next);
        p->next += period(s, cpu);
    }
}

/* ---- switches ------------------------------------------------------------ */

static bool monitored(const struct idle_samples *s, const struct idle_who *w)
{
    return !w->idle && (!w->daemon || s->with.daemons);
}

/* It becomes this CPU's last one, and no other CPU's. */
static void leaves(struct idle_samples *s, unsigned cpu, cycle_t at,
                   const struct idle_who *w)
{
    struct idle_place *p = &s->place[cpu];

    keep(s, w->thread, w->pc, w->ended ? 0 : w->n);
    for (unsigned n = 0; n < s->machine->with.cpus; n++) {
        struct idle_place *other = &s->place[n];

        if (other != p && other->saved && other->thread == w->thread &&
            at < other->gone)
            other->gone = at;
    }
    p->saved = true;
    p->thread = w->thread;
    p->process = w->process;
    p->ended = w->ended;
    p->ran = p->gone = CYCLE_NEVER;
    p->woken = w->waits ? CYCLE_NEVER : at;
    p->n = w->n;
    if (w->n)
        memcpy(p->pc, w->pc, w->n * sizeof *w->pc);
}

static void comes(struct idle_samples *s, unsigned cpu, cycle_t at,
                  const struct idle_who *w)
{
    struct idle_place *p = &s->place[cpu];
    const struct idle_stack *k = kept(s, w->thread);

    for (unsigned n = 0; n < s->machine->with.cpus; n++)
        if (s->place[n].saved && s->place[n].thread == w->thread &&
            at < s->place[n].ran)
            s->place[n].ran = at;
    if (!p->deferred)
        return;
    p->deferred = false;
    if (!k)
        return;
    put_sample(s, cpu,
               &(struct sample){IDLE_KIND_FROM, w->thread, w->process, k->n,
                                k->pc, at});
    p->count.from++;
}

void idle_samples_switch(struct idle_samples *s, unsigned cpu, cycle_t at,
                         const struct idle_who *out, const struct idle_who *in)
{
    struct idle_place *p = &s->place[cpu];

    if (!s->machine)
        return;
    if (!p->begun) {
        p->begun = true;
        p->next = at + first_period(s, cpu);
    }
    interrupts(s, cpu, at);
    p->count.switches++;
    if (monitored(s, out))
        leaves(s, cpu, at, out);
    if (!in->idle)
        p->seen = p->counted = false;
    if (monitored(s, in))
        comes(s, cpu, at, in);
    p->count.periods += in->idle && !p->idle;
    p->idle = in->idle;
}

void idle_samples_woken(struct idle_samples *s, uint32_t thread, cycle_t at)
{
    for (unsigned n = 0; s->machine && n < s->machine->with.cpus; n++) {
        struct idle_place *p = &s->place[n];

        if (p->saved && p->thread == thread && at < p->woken)
            p->woken = at;
    }
}

/* ---- life ---------------------------------------------------------------- */

void idle_samples_beat(struct idle_samples *s, cycle_t at)
{
    for (unsigned n = 0; s->machine && n < s->machine->with.cpus; n++)
        interrupts(s, n, at);
}

void idle_samples_end(struct idle_samples *s, cycle_t at)
{
    idle_samples_beat(s, at);
    for (unsigned n = 0; s->machine && n < s->machine->with.cpus; n++) {
        const struct idle_counts *c = &s->place[n].count;
        const struct {
            uint32_t counter;
            uint64_t value;
        } of[] = {{STAT_INTERRUPTS, c->interrupts},
                  {STAT_BUSY, c->busy},
                  {STAT_TO_IDLE, c->to},
                  {STAT_FROM_IDLE, c->from},
                  {STAT_STALE, c->stale},
                  {STAT_NONE, c->none},
                  {STAT_IDLE_PERIODS, c->periods},
                  {STAT_SWITCHES, c->switches},
                  {STAT_SAMPLED_PERIODS, c->sampled}};

        for (unsigned k = 0; k < sizeof of / sizeof *of; k++)
            put_count(s, n, at, of[k].counter, of[k].value);
    }
}

void idle_samples_open(struct idle_samples *s, struct machine *m,
                       struct experiment *e, const struct idle_setup *with)
{
    *s = (struct idle_samples){.with = *with};
    if (!with->period)
        return;
    s->machine = m;
    s->experiment = e;
}

void idle_samples_close(struct idle_samples *s)
{
    for (size_t k = 0; k < s->stacks; k++)
        free(s->stack[k].pc);
    free(s->stack);
    hash_free(&s->index);
    *s = (struct idle_samples){.machine = NULL};
}

static void place_state(struct snap *n, struct idle_place *p)
{
    snap_begin(n, "idle place", 1);
    SNAP(n, p->begun);
    SNAP(n, p->idle);
    SNAP(n, p->deferred);
    SNAP(n, p->seen);
    SNAP(n, p->counted);
    SNAP(n, p->next);
    SNAP(n, p->drawn);
    SNAP(n, p->number);
    SNAP(n, p->saved);
    SNAP(n, p->ended);
    SNAP(n, p->thread);
    SNAP(n, p->process);
    SNAP(n, p->woken);
    SNAP(n, p->ran);
    SNAP(n, p->gone);
    SNAP_BELOW(n, p->n, WALK_MOST + 1);
    SNAP_ARRAY(n, p->pc);
    SNAP(n, p->count.interrupts);
    SNAP(n, p->count.busy);
    SNAP(n, p->count.to);
    SNAP(n, p->count.from);
    SNAP(n, p->count.stale);
    SNAP(n, p->count.none);
    SNAP(n, p->count.periods);
    SNAP(n, p->count.switches);
    SNAP(n, p->count.sampled);
    snap_end(n);
}

bool idle_samples_state(struct snap *n, struct idle_samples *s)
{
    static const char *const here =
        "of threads that have not left a CPU since then";

    snap_begin(n, "idle samples", 1);
    SNAP_SKIP(n, s->with, "compared by recorder_state");
    SNAP_SKIP(n, s->machine, "plugged in by idle_samples_open");
    SNAP_SKIP(n, s->experiment, "plugged in by idle_samples_open");
    for (unsigned k = 0; k < MACHINE_CPUS; k++)
        place_state(n, &s->place[k]);
    SNAP_SKIP(n, s->index, here);
    SNAP_SKIP(n, s->stack, here);
    SNAP_SKIP(n, s->stacks, here);
    SNAP_SKIP(n, s->room, here);
    return snap_end(n);
}
