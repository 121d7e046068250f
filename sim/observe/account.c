/* account.c - see account.h. Where an interval ends is up to each oracle; here
 * is when all of them have ended one.
 */
#include "sim/observe/account.h"

#include "lib/base/snap.h"
#include "sim/machine/machine.h"

static cycle_t interval(const struct machine *m)
{
    return (cycle_t)m->with.params.account_us * m->with.params.clock_mhz;
}

static void write_interval(void *arg, struct core *c, cycle_t end)
{
    const struct account *a = arg;

    experiment_oracle(a->experiment, c->number, c->oracle, end);
}

/* Every processor's intervals up to here are over. One that runs may be some
 * cycles behind: where those go is known when its next instruction is. */
static cycle_t complete(const struct machine *m)
{
    cycle_t edge = CYCLE_NEVER;

    for (unsigned i = 0; i < m->with.cpus; i++)
        edge = m->core[i].edge < edge ? m->core[i].edge : edge;
    return edge - interval(m);
}

/* Totals of all processors. */
static void say_totals(const struct account *a, cycle_t at)
{
    const struct machine *m = a->machine;
    struct experiment *e = a->experiment;

    for (unsigned i = 0; i < m->with.cpus; i++)
        experiment_say(e, "insns %u %llu", i,
                       (unsigned long long)m->core[i].insns);
    for (unsigned k = 0; k < m->with.nhost_counters; k++)
        for (unsigned i = 0; i < m->with.cpus; i++)
            experiment_say(e, "count %u %u %llu %llu", k, i,
                           (unsigned long long)host_counters_value(
                               &m->core[i].host_counters, k, at),
                           (unsigned long long)m->core[i].host_counters.lost);
    experiment_say(e, "ignored %llu", (unsigned long long)m->trace.ignored);
}

/* No more may be recorded (simrun --trace-limit), and all accounts have just
 * been written. The run goes on, so there is no `end`. */
static void cut(const struct account *a, cycle_t at)
{
    say_totals(a, at);
    experiment_cut(a->experiment, at);
    experiment_write(a->experiment);
}

static void settled(void *arg, cycle_t at)
{
    struct account *a = arg;
    struct machine *m = a->machine;
    struct experiment *e = a->experiment;

    if (at >= a->settled + interval(m)) {
        for (unsigned i = 0; i < m->with.cpus; i++)
            core_account(&m->core[i], at);
        if (complete(m) > a->settled) {
            a->settled = complete(m);
            a->flush = at + ACCOUNT_FLUSH;
            experiment_flush(e, a->settled);
            if (experiment_full(e))
                cut(a, at);
        }
    }
    if (at >= a->flush) {
        a->flush = at + ACCOUNT_FLUSH;
        experiment_write(e);
    }
}

static void end(void *arg, cycle_t at)
{
    struct account *a = arg;
    struct machine *m = a->machine;
    struct experiment *e = a->experiment;

    if (!e->cut) {
        for (unsigned i = 0; i < m->with.cpus; i++)
            experiment_oracle(e, i, m->core[i].oracle, at);
        experiment_flush(e, at);
        say_totals(a, at);
        experiment_end(e, at);
    }
    if (e->unheard)
        experiment_say(e, "unheard %llu", (unsigned long long)e->unheard);
    if (e->dropped)
        experiment_say(e, "dropped %llu", (unsigned long long)e->dropped);
}

void account_open(struct account *a, struct machine *m, struct experiment *e)
{
    *a = (struct account){
        .machine = m,
        .experiment = e,
        .observer = {.arg = a,
                     .interval = write_interval,
                     .settled = settled,
                     .end = end},
        .flush = ACCOUNT_FLUSH,
    };
    for (unsigned i = 0; i < m->with.cpus; i++)
        core_intervals(&m->core[i], interval(m));
    machine_observe(m, &a->observer, true);
}

cycle_t account_cycle(const struct experiment *e, cycle_t end)
{
    return e->cut ? e->cut_at : end;
}

bool account_state(struct snap *s, struct account *a)
{
    snap_begin(s, "account", 1);
    SNAP_SKIP(s, a->machine, "plugged in by account_open");
    SNAP_SKIP(s, a->experiment, "plugged in by account_open");
    SNAP_SKIP(s, a->observer, "made by account_open");
    SNAP(s, a->settled);
    SNAP(s, a->flush);
    return snap_end(s);
}
