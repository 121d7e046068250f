/* account.c - see account.h. Where an interval ends is up to each oracle; here
 * is when all of them have ended one.
 */
#include "sim/observe/account.h"

#include "sim/machine/machine.h"

static void full(void *arg, uint64_t end)
{
    const struct account_writer *a = arg;

    experiment_oracle(a->experiment, a->core->number, a->core->oracle, end);
    a->core->edge = oracle_edge(a->core->oracle);
}

static cycle_t interval(const struct machine *m)
{
    return (cycle_t)m->with.params.account_us * m->with.params.clock_mhz;
}

void account_begin(struct machine *m)
{
    struct experiment *e = m->with.experiment;

    for (unsigned i = 0; e && i < m->with.cpus; i++) {
        m->account[i] = (struct account_writer){e, &m->core[i]};
        oracle_cut(m->core[i].oracle, interval(m), full, &m->account[i]);
        m->core[i].edge = interval(m);
    }
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
static void say_totals(struct machine *m, cycle_t at)
{
    struct experiment *e = m->with.experiment;

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
static void cut(struct machine *m, cycle_t at)
{
    say_totals(m, at);
    experiment_cut(m->with.experiment, at);
    experiment_write(m->with.experiment);
}

void account_beat(struct machine *m, cycle_t at)
{
    struct experiment *e = m->with.experiment;

    if (!e)
        return;
    if (at >= m->settled + interval(m)) {
        for (unsigned i = 0; i < m->with.cpus; i++)
            core_account(&m->core[i], at);
        if (complete(m) > m->settled) {
            m->settled = complete(m);
            m->flush = at + MACHINE_FLUSH;
            experiment_flush(e, m->settled);
            if (experiment_full(e))
                cut(m, at);
        }
    }
    if (at >= m->flush) {
        m->flush = at + MACHINE_FLUSH;
        experiment_write(e);
    }
}

void account_end(struct machine *m, cycle_t at)
{
    struct experiment *e = m->with.experiment;

    if (!e->cut) {
        for (unsigned i = 0; i < m->with.cpus; i++)
            experiment_oracle(e, i, m->core[i].oracle, at);
        experiment_flush(e, at);
        say_totals(m, at);
        experiment_end(e, at);
    }
    if (e->unheard)
        experiment_say(e, "unheard %llu", (unsigned long long)e->unheard);
    if (e->dropped)
        experiment_say(e, "dropped %llu", (unsigned long long)e->dropped);
}

cycle_t account_cycle(const struct machine *m)
{
    const struct experiment *e = m->with.experiment;

    return e && e->cut ? e->cut_at : m->cycles;
}
