/* precapture.c - from-idle samples whose stacks were taken beforehand
 * (fromidle=precapture): at a sample interrupt the sampler of the idle CPU goes
 * through the threads that wait and takes the stacks of some. A stack stays
 * what it is until its thread runs, so it is kept till then; the first thread
 * that ends the idleness is not held up, and its sample has the stack that is
 * kept of it. Has it none, the record says why.
 *
 * Only so many are taken in a round, of threads that ran last on this CPU or,
 * with :all, on any. A thread that the boot line excludes is not tried, nor one
 * whose stack could not be read once; daemons are of no interest anyway.
 *
 * `kept` is also the list of the stacks that are being taken: an entry goes
 * from one state to the next with sched_lock, and a sampler leaves alone what
 * is another's. In between the thread is free to run. What was read is kept
 * only if it did not.
 */
#include "guest/prof/idle/idle.h"

enum kept_state {
    KEPT_NOT,
    KEPT_BEING, /* a sampler is at it, and has tid to pcs for itself */
    KEPT_WHOLE,
    KEPT_NEVER /* this thread's could not be read */
};

struct kept {
    enum kept_state state;
    uint32_t tid, dispatches; /* whose it is, and which time it waited */
    unsigned depth;
    uint32_t pcs[STACK_DEPTH];
};

static struct kept *kept; /* by slot of the thread */

static struct kept *kept_of(const struct thread *t)
{
    return &kept[(t->tid - 1) % MAX_THREADS];
}

static void make_kept(void)
{
    if (idle_options()->precapture && idle_options()->from_idle)
        kept = kalloc(MAX_THREADS * sizeof *kept);
}
HOOK(start, 125, make_kept);

static void tell(struct cpu *c, uint32_t event, const struct thread *t,
                 uint32_t round, unsigned depth)
{
    idle_cpu(c)->events[event]++;
    trace_precapture(c, event, t, round, depth);
}

/* ---- a round ------------------------------------------------------------- */

/* A sample that has begun meanwhile goes before it. */
static void round_begin(struct cpu *c, const void *unused)
{
    struct idle_cpu *i = idle_cpu(c);
    uint32_t msr = sched_lock();
    const struct sample none = {.cpu = c->number};

    (void)unused;
    if (sampler_registered()) {
        i->left = idle_options()->precapture;
        i->round++;
        if (schedmon_begin(sampler_monitor(), c->number))
            sampler_wake(c, &none);
    }
    sched_unlock(msr);
}

void precapture_due(struct cpu *c)
{
    if (kept)
        deferred_work_add(c, round_begin, c, 0);
}

/* May t's stack be taken on c? Without the lock, a first look. */
static bool is_candidate(const struct cpu *c, const struct thread *t)
{
    const struct kept *k = kept_of(t);

    if (!t->dispatches || !thread_filter_wants(t) || thread_filter_excludes(t))
        return false;
    if (t->state != STATE_BLOCKED && t->state != STATE_SLEEPING)
        return false;
    if (t->cpu != c && !idle_options()->precapture_all)
        return false;
    if (k->tid != t->tid || k->state == KEPT_NOT || k->state == KEPT_BEING)
        return true;
    return k->state == KEPT_WHOLE && k->dispatches != t->dispatches;
}

/* It is this sampler's from now on, unless it is another's. */
static bool claim(struct cpu *c, const struct thread *t)
{
    struct kept *k = kept_of(t);
    uint32_t msr = sched_lock();
    bool mine = k->state != KEPT_BEING && is_candidate(c, t);

    idle_cpu(c)->met += k->state == KEPT_BEING;
    if (mine) {
        k->state = KEPT_BEING;
        k->tid = t->tid;
        k->dispatches = t->dispatches;
    }
    sched_unlock(msr);
    return mine;
}

/* The next thread in turn. NULL: there is none, or the CPU has work again. */
static const struct thread *next_thread(struct cpu *c)
{
    struct idle_cpu *i = idle_cpu(c);

    for (unsigned n = 0; n < MAX_THREADS && !c->runq.ready; n++) {
        const struct thread *t = thread_at(i->next);

        i->next = (i->next + 1) % MAX_THREADS;
        if (t && is_candidate(c, t) && claim(c, t))
            return t;
    }
    return NULL;
}

/* What was read is the stack of a thread that did not run meanwhile, or of no
 * moment. */
static void settle(struct cpu *c, const struct thread *t, struct kept *k,
                   bool broken)
{
    uint32_t msr = sched_lock(), event = PRECAPTURE_CHANGED;

    if (t->tid != k->tid || t->dispatches != k->dispatches ||
        t->state == STATE_DEAD) {
        k->state = KEPT_NOT;
    } else {
        k->state = broken ? KEPT_NEVER : KEPT_WHOLE;
        event = broken ? PRECAPTURE_NOTHING : PRECAPTURE_TAKEN;
    }
    tell(c, event, t, idle_cpu(c)->round,
         event == PRECAPTURE_TAKEN ? k->depth : 0);
    sched_unlock(msr);
}

bool precapture_step(struct cpu *c)
{
    struct idle_cpu *i = idle_cpu(c);
    const struct thread *t = i->left ? next_thread(c) : NULL;
    struct kept *k;
    bool broken;

    if (!t) {
        i->left = 0;
        return false;
    }
    k = kept_of(t);
    k->depth = sampler_walk(t, k->pcs, &broken);
    settle(c, t, k, broken);
    i->left--;
    return true;
}

/* ---- its use ------------------------------------------------------------- */

static uint32_t why_none(const struct thread *t, const struct kept *k)
{
    if (thread_filter_excludes(t))
        return PRECAPTURE_EXCLUDED;
    return k->tid == t->tid && k->state == KEPT_NEVER ? PRECAPTURE_FAILED
                                                      : PRECAPTURE_LATE;
}

/* The scheduler has not counted this dispatch yet. */
void precapture_use(struct cpu *c, const struct thread *t)
{
    struct idle_cpu *i = idle_cpu(c);
    const struct kept *k = kept_of(t);
    const struct sample s = {.kind = IDLE_KIND_FROM,
                             .by = IDLE_BY_KEPT,
                             .tid = t->tid,
                             .pid = t->pid,
                             .cpu = c->number};

    if (k->state != KEPT_WHOLE || k->tid != t->tid ||
        k->dispatches != t->dispatches) {
        tell(c, why_none(t, k), t, 0, 0);
        return;
    }
    if (k->pcs[0] != t->pc)
        i->wrong_leaf++;
    tell(c, PRECAPTURE_USED, t, 0, k->depth);
    trace_idle(c, &s, ++i->samples, k->pcs, k->depth);
    sampler_count(IDLE_KIND_FROM, k->pcs, k->depth);
    c->stat[STAT_FROM_IDLE]++;
}
