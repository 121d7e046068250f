/* priority.c - which thread is preferred: by its policy and priority, by those
 * that wait for a lock of its own, and by how nice it is.
 *
 * APPROX: a nicer thread has a shorter slice and not a later turn, and never
 * makes room for one that wakes. Source: a choice; the factor a level is
 * Linux's. Cost: shares of processors are right over many slices, delays are
 * not.
 */
#include "sim/user/process.h"

#define LEAST_SLICE 4 /* interrupts' worth of cycles */

/* ---- ranks --------------------------------------------------------------- */

/* Its policy; of one that --what-if gives a rank, what has that. */
static unsigned policy_of(const struct thread *t)
{
    const struct what_if_thread *f = t->forced_rank;

    if (!f)
        return t->policy;
    return f->idle    ? ABI_SCHED_IDLE
           : f->level ? ABI_SCHED_FIFO
                      : ABI_SCHED_OTHER;
}

static unsigned own_rank(const struct thread *t)
{
    switch (policy_of(t)) {
    case ABI_SCHED_IDLE:
        return RANK_IDLE;
    case ABI_SCHED_FIFO:
    case ABI_SCHED_RR:
        return RANK_OTHER +
               (t->forced_rank ? t->forced_rank->level : t->priority);
    default:
        return RANK_OTHER;
    }
}

/* Those that wait lend theirs, what was lent to them included. No one waits
 * for a lock whose owner waits for one of its own: call_futex sees to that. */
unsigned thread_rank(const struct user *u, const struct thread *t)
{
    unsigned rank = own_rank(t);

    if (!u->ranked)
        return RANK_OTHER;
    for (unsigned i = 0; i < u->threads; i++) {
        const struct thread *w = &u->thread[i];
        unsigned lent;

        if (w->state != THREAD_BLOCKED || w->waiting != WAIT_LOCK ||
            w->owner != t->tid)
            continue;
        lent = thread_rank(u, w);
        if (lent > rank)
            rank = lent;
    }
    return rank;
}

struct thread *thread_preferred(const struct user *u, struct thread *a,
                                struct thread *b)
{
    unsigned ra, rb;

    if (!a || !b)
        return a ? a : b;
    ra = thread_rank(u, a);
    rb = thread_rank(u, b);
    if (ra != rb)
        return ra > rb ? a : b;
    return a->queued < b->queued ? a : b;
}

/* ---- slices -------------------------------------------------------------- */

cycle_t thread_slice_length(const struct user *u, const struct thread *t)
{
    const struct params *p = &u->m->with.params;
    cycle_t length = (cycle_t)p->slice_us * p->clock_mhz;
    cycle_t least = (cycle_t)LEAST_SLICE * p->trap_cycles;

    if (policy_of(t) == ABI_SCHED_RR || t->nice == 0)
        return length;
    /* A quarter more for each level below 0, a fifth less for one above. */
    for (int n = t->nice; n < 0; n++)
        length += length / 4;
    for (int n = t->nice; n > 0; n--)
        length -= length / 5;
    return length > least ? length : least;
}

cycle_t thread_slice(const struct user *u, const struct thread *t)
{
    cycle_t length;

    if (policy_of(t) == ABI_SCHED_FIFO)
        return CYCLE_NEVER;
    length = thread_slice_length(u, t);
    return t->since + (length > t->ran ? length - t->ran : 0);
}

/* ---- making room --------------------------------------------------------- */

static bool is_coming(const struct user *u, const struct thread *t)
{
    for (unsigned cpu = 0; cpu < u->m->with.cpus; cpu++)
        if (u->coming[cpu] == t)
            return true;
    return false;
}

/* The processor on which t finds least that is preferred to it, or -1. */
static int place_for(const struct user *u, const struct thread *t)
{
    unsigned least = thread_rank(u, t);
    int place = -1;

    for (unsigned cpu = 0; cpu < u->m->with.cpus; cpu++) {
        const struct thread *v = u->current[cpu];

        if (!v || v->state != THREAD_RUNNING || u->coming[cpu] ||
            !(thread_cpus(t) >> cpu & 1) || thread_rank(u, v) >= least)
            continue;
        least = thread_rank(u, v);
        place = (int)cpu;
    }
    return place;
}

void thread_displace(struct user *u, cycle_t now)
{
    for (unsigned i = 0; u->ranked && i < u->threads; i++) {
        struct thread *t = &u->thread[i];
        int cpu;

        if (t->state != THREAD_READY || is_coming(u, t))
            continue;
        cpu = place_for(u, t);
        if (cpu < 0)
            continue;
        u->coming[cpu] = t;
        if (now < u->kick[cpu])
            u->kick[cpu] = now;
    }
}
