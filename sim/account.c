/* account.c - see account.h. Where an interval ends is up to each oracle; here
 * is when all of them have ended one.
 */
#include "sim/account.h"

#include "sim/machine.h"

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

    for (unsigned i = 0; i < m->with.cpus; i++)
        experiment_oracle(e, i, m->core[i].oracle, at);
    experiment_flush(e, at);
}
