/* mutex.c - see mutex.h. */
#include "tools/analysis/retime/play/mutex.h"

#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/latches.h"
#include "tools/analysis/retime/play/preempt.h"

static uint32_t lock_of(const struct replay *p, const struct graph_op *o)
{
    return p->g->scene->hold[o->hold].lock;
}

/* Who has a lock of the kernel's gives it to the one that has waited longest,
 * if threads do not spin for these. */
static bool is_kernels(const struct replay *p, uint32_t lock)
{
    return graph_lock_is(p->g, lock) == GRAPH_LOCK_KERNEL && !p->g->spins[lock];
}

/* ... as with some of a program's. */
static bool hands_over(const struct replay *p, uint32_t lock)
{
    return is_kernels(p, lock) || p->g->handed[lock];
}

static const struct graph_mutex *of_lock(const struct replay *p,
                                         const struct graph_op *o)
{
    return &p->g->mutex[graph_lock_is(p->g, lock_of(p, o))];
}

/* One that a thread asks for and has not taken when it ends is none. */
bool mutex_plays(const struct replay *p, const struct graph_op *o)
{
    if (o->is == GRAPH_ASK && p->g->take[o->hold] == GRAPH_NONE)
        return false;
    return p->locks == GRAPH_ALL_LOCKS ||
           (p->locks == GRAPH_PROGRAMS_LOCKS &&
            !graph_keeps_order(p->g, lock_of(p, o)));
}

void mutex_ask(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    const struct scene *s = p->g->scene;
    uint64_t cycles, less;

    replay_pass(p, r, p->g->take[o->hold]);
    r->asked = r->cycle;
    if (s->hold[o->hold].stay == SCENE_NONE ||
        p->g->spins[s->hold[o->hold].lock]) {
        cycles = of_lock(p, o)->take;
        less = r->spared < cycles ? r->spared : cycles;
        r->spared -= less;
        replay_expect(p, r->cycle + cycles - less, EVENT_STEP, thread);
        return;
    }
    cycles = of_lock(p, o)->take + r->owes;
    less = r->spared;
    r->owes = r->spared = 0;
    replay_expect(p, r->cycle + (cycles > less ? cycles - less : 0), EVENT_STEP,
                  thread);
}

/* How many threads may have a semaphore at a time; 0: it is another lock. */
static uint32_t slots_of(const struct replay *p, const struct graph_op *o)
{
    return p->g->scene->lock[lock_of(p, o)].slots;
}

static void given(struct latch *l, uint32_t thread, uint64_t cycle)
{
    l->given = cycle + 1;
    l->giver = thread;
}

/* A lock is taken in the middle of the function that does, and given back in
 * the middle of that. */
static bool is_open(const struct replay *p, uint32_t thread,
                    const struct graph_op *o, uint64_t cycle)
{
    const struct latch *l = &p->latch[lock_of(p, o)];
    const struct graph_mutex *m = of_lock(p, o);
    bool shared = p->g->scene->hold[o->hold].shared;
    uint32_t slots = slots_of(p, o);

    return !l->has && (slots ? l->shares < slots : !l->shares || shared) &&
           (!l->given || l->giver == thread ||
            cycle >= l->given - 1 + (m->take + m->give) / 2);
}

static void has(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct latch *l = &p->latch[lock_of(p, o)];
    struct runner *r = &p->runner[thread];
    bool recalls = of_lock(p, o)->recalls;

    if (!r->granted) {
        if (p->g->scene->hold[o->hold].shared || slots_of(p, o))
            l->shares++;
        else
            l->has = thread + 1;
    }
    r->granted = false;
    l->again =
        r->claim != r->at + 1 ? o->again : r->paused && (o->again || recalls);
    l->hold = o->hold;
}

/* A lock is another's: does the thread spin for it, before it calls the system?
 * It comes to the same operation again when that is over, or has the lock. */
static bool spins_first(struct replay *p, uint32_t thread,
                        const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    uint64_t cycles = p->g->spinning[lock_of(p, o)];

    if (!cycles || o->again || r->enters || r->waited)
        return false;
    if (r->spins) {
        r->spins = 0;
        return false;
    }
    r->spins = lock_of(p, o) + 1;
    replay_expect(p, r->cycle + cycles, EVENT_STEP, thread);
    return true;
}

/* It has been given back: the one that has spun longest, if it does so before
 * it calls the system, has it. */
static void catches(struct replay *p, uint32_t lock, uint64_t cycle)
{
    uint32_t first = GRAPH_NONE;

    if (!p->g->spinning[lock])
        return;
    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (p->runner[n].spins == lock + 1 && p->runner[n].on &&
            (first == GRAPH_NONE ||
             p->runner[n].cycle < p->runner[first].cycle))
            first = n;
    if (first == GRAPH_NONE)
        return;
    p->runner[first].spins = 0;
    p->runner[first].granted = true;
    p->latch[lock].has = first + 1;
    replay_expect(p, cycle + p->g->mutex[GRAPH_LOCK_MUTEX].caught, EVENT_STEP,
                  first);
}

/* When a call for a lock's word has the kernel's lock for that. */
static struct graph_word *met_at(struct replay *p, uint32_t lock)
{
    uint32_t word = p->g->word_lock[lock];

    return &p->latch[word == GRAPH_NONE ? lock : word].met;
}

uint64_t mutex_meets(const struct retime *g, struct graph_word *met,
                     uint64_t begin, enum graph_words does)
{
    const struct graph_word *w = &g->word[does];
    uint64_t from = begin + w->from, late = 0;

    if (g->call || !w->to)
        return 0;
    if (from >= met->from && from < met->to)
        late = met->to - from + g->mutex[GRAPH_LOCK_KERNEL].spun;
    *met = (struct graph_word){from + late, begin + w->to + late};
    return late;
}

/* On its way to where it falls asleep: it tries once more, in the program, if
 * no thread has to wait for the lock yet; it calls the system, which looks. */
enum { ENTERS_NOT, ENTERS_TRIES, ENTERS_CALLS };

/* A lock is another's: the thread is about to wait for it. */
static void enter(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    struct latch *l = &p->latch[lock_of(p, o)];
    const struct graph_mutex *m = of_lock(p, o);
    uint64_t tried = 0, late = 0;

    if (r->enters == ENTERS_NOT && m->tries && !l->waited && !o->again &&
        !r->waited && !p->g->scene->lock[lock_of(p, o)].counted) {
        r->enters = ENTERS_TRIES;
        replay_expect(p, r->cycle + m->tries, EVENT_STEP, thread);
        return;
    }
    if (r->enters == ENTERS_TRIES)
        tried = m->tries;
    l->waited = true;
    r->enters = ENTERS_CALLS;
    r->meets = r->late = 0;
    if (m->looks >= p->g->reads) {
        uint64_t begin = r->cycle - tried + m->looks - p->g->reads;

        r->meets = begin + p->g->word[GRAPH_WORD_WAITS].from;
        late = mutex_meets(p->g, met_at(p, lock_of(p, o)), begin,
                           GRAPH_WORD_WAITS);
    }
    replay_expect(p, r->cycle + m->looks - tried + late, EVENT_STEP, thread);
    r->waited = false;
}

/* It has been given back by the time it tries again: the thread has it as one
 * that has waited, and will call the system when it gives it back. */
static void finds(struct replay *p, uint32_t thread, uint32_t lock)
{
    struct runner *r = &p->runner[thread];

    r->enters = ENTERS_NOT;
    r->waited = true;
    r->granted = true;
    p->latch[lock].has = thread + 1;
    replay_expect(p, r->cycle + p->g->mutex[GRAPH_LOCK_MUTEX].take / 2,
                  EVENT_STEP, thread);
}

/* A lock of the kernel's is a call's for a word, which is none of the
 * recording: the thread takes it behind that. */
static bool meets_call(struct replay *p, uint32_t thread, const struct latch *l)
{
    uint64_t cycle = p->runner[thread].cycle;

    if (p->runner[thread].granted || cycle < l->met.from || cycle >= l->met.to)
        return false;
    replay_expect(p, l->met.to + p->g->mutex[GRAPH_LOCK_KERNEL].spun,
                  EVENT_STEP, thread);
    return true;
}

/* Does a thread wait for a lock that is spun for, and no longer spins? */
static bool blocks(const struct replay *p, uint32_t lock)
{
    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (p->runner[n].lock == lock + 1 && !p->runner[n].on)
            return true;
    return false;
}

/* Threads that let others run, and no others, would do so for ever: behind so
 * many times the recorded run they keep their CPU. */
#define YIELDING 8

/* It lets others have its CPU, and tries again when it has one. False: it keeps
 * it. */
static bool yield(struct replay *p, uint32_t thread, uint32_t lock)
{
    struct runner *r = &p->runner[thread];

    if (!p->g->yields[lock] || !cpus_wanted(p, r->cpu) ||
        r->cycle / YIELDING > p->g->scene->r->end)
        return false;
    cpus_leave(p, thread);
    latches_way(p, thread, r->cycle, 0);
    r->yields = true;
    return true;
}

#define OFTEN 3 /* times in a row that a thread is woken, and late */

bool mutex_take(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    struct latch *l = &p->latch[lock_of(p, o)];
    const struct graph_mutex *m = of_lock(p, o);
    /* From asking to having it, where the system finds it given back. */
    uint64_t found = p->g->call ? m->enter + p->g->call + m->leave[o->again]
                                : m->found + (o->again ? m->more : 0);
    bool spins = p->g->spins[lock_of(p, o)];
    bool open = r->granted || l->has == thread + 1 || (spins && !l->has) ||
                is_open(p, thread, o, r->enters ? REPLAY_NEVER : r->cycle);

    if (open && spins && meets_call(p, thread, l))
        return true;
    if (!open && spins) {
        if (yield(p, thread, lock_of(p, o)))
            return true;
        r->lock = lock_of(p, o) + 1;
        if (m != &p->g->mutex[GRAPH_LOCK_KERNEL])
            return true;
        if (p->runner[l->has - 1].on && !(m->most && blocks(p, lock_of(p, o))))
            replay_expect(p, r->cycle + m->enter + 1, EVENT_SPUN, thread);
        else
            cpus_leave(p, thread);
        return true;
    }
    p->tries.all += r->waited;
    r->late_for += r->waited && !open;
    p->tries.vain += r->waited && !open && r->late_for >= OFTEN;
    if (open)
        r->late_for = 0;
    if (open)
        r->spins = 0;
    else if (spins_first(p, thread, o))
        return true;
    if (r->enters && open && is_kernels(p, lock_of(p, o)))
        r->enters = ENTERS_NOT;
    if (r->enters == ENTERS_TRIES && open) {
        finds(p, thread, lock_of(p, o));
        return true;
    }
    if (r->enters == ENTERS_CALLS && r->late) {
        replay_expect(p, r->cycle + r->late, EVENT_STEP, thread);
        r->late = 0;
        return true;
    }
    if (r->enters == ENTERS_CALLS) {
        r->enters = ENTERS_NOT;
        if (open) {
            r->waited = true;
            replay_expect(p, r->cycle + (found - m->looks), EVENT_STEP, thread);
        } else {
            /* Also where it was given back and taken since. */
            l->waited = true;
            r->lock = lock_of(p, o) + 1;
            r->cycle += m->enter > m->looks ? m->enter - m->looks : 0;
            cpus_leave(p, thread);
        }
        return true;
    }
    if (open) {
        has(p, thread, o);
        l->waited = r->waited;
        r->waited = false;
        return false;
    }
    enter(p, thread, o);
    return true;
}

/* The wait for a condition that a lock is given back for: the operation behind
 * it that takes the lock again, if what it waits for is so by now. 0: it is
 * not, or more is done meanwhile. */
static size_t needless(const struct replay *p, const struct runner *r,
                       const struct graph_op *give)
{
    const struct retime *g = p->g;
    const struct graph_thread *t = &g->thread[give->thread];
    const struct scene_hold *h = &g->scene->hold[give->hold];
    bool waits = false;

    if (h->done > h->given)
        return 0;
    for (size_t n = r->at + 1; n < t->first + t->ops; n++) {
        const struct graph_op *o = &g->op[n];

        if ((o->is == GRAPH_TAKE || o->is == GRAPH_GIVE) &&
            graph_lock_is(g, lock_of(p, o)) == GRAPH_LOCK_KERNEL)
            continue;
        if (o->is == GRAPH_TAKE)
            return waits && o->again && lock_of(p, o) == h->lock ? n : 0;
        if (o->is == GRAPH_GIVE ||
            (o->is == GRAPH_WAKE && o->target != GRAPH_NONE &&
             !replay_plays(p, &g->op[o->target])))
            return 0;
        if (o->is != GRAPH_WAIT || replay_plays(p, o))
            continue;
        if (o->target == GRAPH_NONE || p->woken[n] > r->cycle)
            return 0;
        waits = true;
    }
    return 0;
}

/* A thread that has spun for a lock goes on with it. For one of the kernel's it
 * spins as long as `enter`, and as its owner has a CPU, then waits. */
static void go_on(struct replay *p, const struct graph_mutex *m,
                  uint32_t thread, uint64_t given)
{
    const struct runner *r = &p->runner[thread];
    bool waits = m == &p->g->mutex[GRAPH_LOCK_KERNEL] && !m->most &&
                 given > r->cycle + m->enter;
    uint64_t over =
        graph_most(m->over, m->wake + (uint64_t)p->g->typical[0] + m->leave[0]);

    if (r->on)
        replay_expect(p, given + (waits ? over : m->spun), EVENT_STEP, thread);
    else
        latches_way(p, thread, given + m->wake, m->leave[0]);
}

/* The thread that has spun longest has it next. */
static void give_spinning(struct replay *p, uint32_t thread, uint32_t lock)
{
    uint64_t cycle = p->runner[thread].cycle;
    const struct graph_mutex *m = &p->g->mutex[graph_lock_is(p->g, lock)];
    uint32_t first = latches_longest(p, lock, false);

    p->latch[lock].has = 0;
    given(&p->latch[lock], thread, cycle);
    if (first == GRAPH_NONE)
        return;
    p->runner[first].lock = 0;
    p->runner[first].granted = true;
    p->latch[lock].has = first + 1;
    go_on(p, m, first, cycle);
}

/* A thread that waits for such a lock has it, and is woken. */
static void grant(struct replay *p, uint32_t thread, uint64_t cycle)
{
    const struct graph_op *o = &p->g->op[p->runner[thread].at];
    const struct graph_mutex *m = of_lock(p, o);

    has(p, thread, o);
    p->runner[thread].granted = true;
    latches_way(p, thread, cycle + m->wake, m->leave[o->again]);
}

/* Who shares such a lock goes on with all others that do; the last of them lets
 * the one go on that has waited longest to have it alone. */
static void give_shared(struct replay *p, uint32_t thread,
                        const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    uint32_t lock = lock_of(p, o), first;
    struct latch *l = &p->latch[lock];
    const struct graph_mutex *m = of_lock(p, o);
    const struct scene_hold *h = &p->g->scene->hold[o->hold];
    bool met = h->done - h->given > m->give + m->call / 2, wakes = false;

    if (h->shared && l->shares && --l->shares)
        return;
    if (!h->shared)
        l->has = 0;
    given(l, thread, r->cycle);
    while (!h->shared &&
           (first = latches_longest(p, lock, true)) != GRAPH_NONE) {
        grant(p, first, r->cycle);
        wakes = true;
    }
    first = latches_longest(p, lock, false);
    if (!wakes && first != GRAPH_NONE) {
        grant(p, first, r->cycle);
        wakes = true;
    }
    if (wakes && !met)
        r->owes += m->call;
    if (!wakes && met)
        r->spared += m->call;
}

/* Has a thread come to a lock, and not got it at once? Who gives back a
 * semaphore calls the system as long as there is one. */
static bool is_awaited(const struct replay *p, uint32_t lock)
{
    for (uint32_t n = 0; n < p->g->scene->threads; n++) {
        const struct runner *r = &p->runner[n];
        const struct graph_op *o = &p->g->op[r->at];

        if ((r->enters || r->waited || r->lock == lock + 1) &&
            o->is == GRAPH_TAKE && lock_of(p, o) == lock)
            return true;
    }
    return false;
}

/* What a thread does that gives a lock back: no more than that, or it calls the
 * system, which finds no thread there, or wakes one. */
enum gives { GIVES, CALLS, WAKES };

static enum gives gave(const struct replay *p, const struct graph_op *o)
{
    const struct graph_mutex *m = of_lock(p, o);
    const struct scene_hold *h = &p->g->scene->hold[o->hold];

    return o->target != GRAPH_NONE                      ? WAKES
           : h->done - h->given > m->give + m->call / 2 ? CALLS
                                                        : GIVES;
}

/* Those whose calls come to the kernel's lock for a lock's word while a thread
 * that gives the lock back has it. */
static void delay(struct replay *p, uint32_t lock, const struct graph_word *met)
{
    for (uint32_t n = 0; n < p->g->scene->threads; n++) {
        struct runner *r = &p->runner[n];

        if (r->enters == ENTERS_CALLS && p->g->word[GRAPH_WORD_WAITS].to &&
            lock_of(p, &p->g->op[r->at]) == lock && r->meets >= met->from &&
            r->meets < met->to)
            r->late = met->to - r->meets + p->g->mutex[GRAPH_LOCK_KERNEL].spun;
    }
}

/* It takes as long as in the recording if it is the same as there. */
static void pay_give(struct replay *p, struct runner *r,
                     const struct graph_op *o, enum gives now)
{
    const struct graph_mutex *m = of_lock(p, o);
    const struct scene_hold *h = &p->g->scene->hold[o->hold];
    uint64_t cycles = now == WAKES ? m->call : now == CALLS ? m->idle : 0;
    enum gives before = gave(p, o);
    uint64_t late = 0, took = h->done - h->given - m->give;
    uint64_t recorded = before == GIVES                     ? 0
                        : before == CALLS && took < m->call ? took
                                                            : m->call;

    if (now != GIVES) {
        struct graph_word *has = met_at(p, lock_of(p, o)), met = *has;

        late = mutex_meets(p->g, &met, r->cycle + m->begins,
                           now == CALLS ? GRAPH_WORD_FINDS : GRAPH_WORD_WAKES);
        delay(p, lock_of(p, o), &met);
        if (now != before) /* else its operations have it */
            *has = met;
    }
    if (now == before)
        return;
    r->owes += late;
    if (cycles > recorded)
        r->owes += cycles - recorded;
    else
        r->spared += recorded - cycles;
}

void mutex_give(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    const struct graph_mutex *m = of_lock(p, o);
    struct runner *r = &p->runner[thread];
    uint32_t lock = lock_of(p, o);
    struct latch *l = &p->latch[lock];
    const struct scene_hold *h = &p->g->scene->hold[o->hold];
    bool met = gave(p, o) != GIVES;
    bool calls =
        p->g->scene->lock[lock].counted ? is_awaited(p, lock) : l->waited;
    size_t again;

    if (p->g->shared[lock] || hands_over(p, lock)) {
        give_shared(p, thread, o);
        return;
    }
    if (slots_of(p, o) ? !l->shares : l->has != thread + 1)
        return;
    if (p->g->spins[lock]) {
        give_spinning(p, thread, lock);
        return;
    }
    again = needless(p, r, o);
    if (again) {
        replay_pass(p, r, again);
        l->hold = p->g->op[again].hold;
        l->again = false;
        return;
    }
    /* Though no thread waits, as behind a wait for a condition. */
    if (h->stay == SCENE_NONE)
        calls |= l->again && (p->g->again[o->hold] ? met : m->recalls);
    l->has = 0;
    l->shares -= l->shares > 0;
    given(l, thread, r->cycle);
    l->waited = false;
    pay_give(p, r, o,
             !calls                                          ? GIVES
             : latches_longest(p, lock, false) != GRAPH_NONE ? WAKES
                                                             : CALLS);
    if (calls)
        replay_expect(p, r->cycle + m->wake, EVENT_WAKE, lock);
    catches(p, lock, r->cycle);
}

/* An event that was expected for an earlier lock is told by its cycle. */
void mutex_spun(struct replay *p, uint32_t thread, uint64_t cycle)
{
    struct runner *r = &p->runner[thread];
    uint64_t spins = p->g->mutex[GRAPH_LOCK_KERNEL].enter;
    uint64_t most = p->g->mutex[GRAPH_LOCK_KERNEL].most;
    const struct latch *l = r->lock ? &p->latch[r->lock - 1] : NULL;

    if (!l || !l->has || !r->on || !p->g->spins[r->lock - 1] ||
        (cycle - r->cycle) % (spins + 1))
        return;
    if (p->runner[l->has - 1].on && (!most || cycle - r->cycle < most)) {
        replay_expect(p, cycle + spins + 1, EVENT_SPUN, thread);
        return;
    }
    if (most)
        r->cycle = cycle;
    cpus_leave(p, thread);
}

void mutex_drop(struct replay *p, uint32_t thread, uint32_t lock)
{
    struct runner *r = &p->runner[thread];
    struct latch *l = &p->latch[lock];

    l->has = 0;
    given(l, thread, r->cycle);
    if (!l->waited)
        return;
    l->waited = false;
    r->owes += p->g->mutex[0].call;
    replay_expect(p, r->cycle + p->g->mutex[0].wake, EVENT_WAKE, lock);
}

void mutex_wake(struct replay *p, uint32_t lock, uint64_t cycle)
{
    uint32_t first = latches_longest(p, lock, false);

    if (first == GRAPH_NONE ||
        preempt_delays(p, p->latch[lock].giver, lock, cycle))
        return;
    p->runner[first].waited = true;
    latches_way(p, first, cycle,
                p->g->mutex[0].leave[p->g->op[p->runner[first].at].again]);
}
