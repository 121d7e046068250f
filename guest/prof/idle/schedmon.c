/* schedmon.c - idle-transition sampling, the decisions.
 *
 * To-idle: remember, per CPU, the last monitored thread that left it; when a
 * sample interrupt finds the CPU idle, that thread is the one to look at.
 * From-idle: when a sample interrupt finds the CPU idle, raise a flag; the
 * first monitored thread that is about to run there is the one to look at.
 */
#include "guest/prof/idle/schedmon.h"

void schedmon_init(struct schedmon *m, unsigned cpus, bool to_idle,
                   bool from_idle, bool once)
{
    *m = (struct schedmon){
        .cpus = cpus, .to_idle = to_idle, .from_idle = from_idle, .once = once};
}

/* The outgoing thread becomes this CPU's last one, and no other CPU's. */
static void thread_leaves(struct schedmon *m, unsigned cpu,
                          const struct schedmon_who *out)
{
    if (!m->to_idle || !out->interest)
        return;
    if (m->cpu[cpu].saved_tid == out->tid)
        return; /* then it is nowhere else */
    for (unsigned i = 0; i < m->cpus; i++) {
        if (m->cpu[i].saved_tid == out->tid)
            m->cpu[i].saved_tid = m->cpu[i].saved_pid = 0;
    }
    m->cpu[cpu].saved_tid = out->tid;
    m->cpu[cpu].saved_pid = out->pid;
}

/* Is the incoming thread the one that the flag waits for? While a sample is
 * outstanding none may start, so the flag waits on. */
static bool thread_arrives(struct schedmon *m, unsigned cpu,
                           const struct schedmon_who *in)
{
    struct schedmon_cpu *c = &m->cpu[cpu];

    if (!m->from_idle || !c->deferred || c->outstanding || !in->interest)
        return false;
    c->deferred = false;
    return true;
}

bool schedmon_switch(struct schedmon *m, unsigned cpu,
                     const struct schedmon_who *out,
                     const struct schedmon_who *in)
{
    thread_leaves(m, cpu, out);
    /* A sampler that runs on an idle CPU does not end the idle period. */
    if (in->role == ROLE_THREAD)
        m->cpu[cpu].seen = m->cpu[cpu].counted = false;
    return thread_arrives(m, cpu, in);
}

struct schedmon_found schedmon_interrupt(struct schedmon *m, unsigned cpu,
                                         bool idle)
{
    struct schedmon_cpu *c = &m->cpu[cpu];
    struct schedmon_found f = {.seen = SEEN_BUSY};

    if (c->outstanding) {
        f.seen = SEEN_SUPPRESSED;
        return f;
    }
    if (!idle)
        return f;
    f.seen = SEEN_IDLE;
    f.first = !c->seen;
    c->seen = true;
    if (m->from_idle && !c->deferred)
        c->deferred = f.flag_set = true;
    if (!m->to_idle || (m->once && c->counted))
        return f;
    if (!c->saved_tid) {
        f.seen = SEEN_NONE;
        return f;
    }
    c->counted = true;
    f.seen = SEEN_TO_IDLE;
    f.tid = c->saved_tid;
    f.pid = c->saved_pid;
    return f;
}

bool schedmon_begin(struct schedmon *m, unsigned cpu)
{
    if (m->cpu[cpu].outstanding)
        return false;
    m->cpu[cpu].outstanding = true;
    return true;
}

void schedmon_complete(struct schedmon *m, unsigned cpu)
{
    m->cpu[cpu].outstanding = false;
}
