/* tell.c - what a processor tells its observers (sim/observe/observer.h), and
 * what they may have it do: stop between two instructions.
 */
#include "sim/core/core_private.h"
#include "sim/core/timing.h"

const struct observers core_unobserved = {0};

static bool stops(struct core *c, const struct observer *o,
                  const struct insn *i, cycle_t at)
{
    if (!o->before || !o->before(o->arg, c, i, at))
        return false;
    c->yield_pending = c->yield;
    c->stopped_by_probe = c->yield = true;
    return true;
}

bool core_before(struct core *c, const struct insn *i, cycle_t at)
{
    const struct observer *o;

    for (o = c->with.observers->first; o; o = o->next)
        if (stops(c, o, i, at))
            return true;
    return false;
}

bool core_awaited(struct core *c, const struct insn *i, cycle_t at)
{
    return stops(c, c->stop, i, at);
}

void core_after(struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    const struct observer *o;
    bool stop = false;

    for (o = c->with.observers->first; o; o = o->next)
        if (o->after && o->after(o->arg, c, pc, at, done))
            stop = true;
    if (stop && !c->yield)
        c->stopped_by_probe = c->yield = true;
}

void core_entered(struct core *c, enum exc e, ea_t pc, cycle_t at)
{
    if (e == EXC_INDICATOR) {
        c->pif_taken++;
        c->pif_since = at;
    }
    OBSERVERS_TELL(c->with.observers, entered, c, e, pc, at);
}

static void report_mark(void *arg, const struct pif_report *r)
{
    struct core *c = arg;

    OBSERVERS_TELL(c->with.observers, marked, c, r);
}

void core_report_marks(struct core *c)
{
    c->pif.report = report_mark;
    c->pif.arg = c;
}

static void report_sampled(void *arg, const struct insn_info *d,
                           uint32_t passed)
{
    struct core *c = arg;

    OBSERVERS_TELL(c->with.observers, sampled, c, d, passed);
}

void core_sample_insns(struct core *c, uint32_t period, unsigned states)
{
    sampled_host(&c->pif.sampled, period, states, report_sampled, c);
    pif_told(&c->pif);
}

/* The account of what is in front of it goes to the context of until now, the
 * rest to that of from now on, in a model that gathers instructions, too. */
static void sprg3_written(void *world)
{
    struct core *c = world;

    if (c->with.timing->catch_up)
        c->with.timing->catch_up(c);
    core_flush(c);
    OBSERVERS_TELL(c->with.observers, sprg3, c);
    core_flush(c);
}

void core_watch_sprg3(struct core *c)
{
    c->port.sprg3_written = sprg3_written;
}

static void watched(void *world)
{
    struct core *c = world;

    OBSERVERS_TELL(c->with.observers, watched, c);
}

bool core_watch(struct core *c, pa_t pa)
{
    c->port.watched = watched;
    return decode_cache_watch(c->with.decoded, pa);
}

static void report_interval(void *arg, uint64_t end)
{
    struct core *c = arg;

    OBSERVERS_TELL(c->with.observers, interval, c, end);
    c->edge = oracle_edge(c->oracle);
}

void core_intervals(struct core *c, cycle_t length)
{
    oracle_cut(c->oracle, length, report_interval, c);
    c->edge = length;
}
