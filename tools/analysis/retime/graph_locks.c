/* graph_locks.c - which wait a lock that was given back ended, and what it
 * costs two threads to meet at one; see graph.h.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/graph.h"

/* The wait for that lock that a thread ended while it gave it back. */
static void link_give(struct retime *g, uint32_t give, size_t end)
{
    const struct scene *s = g->scene;
    const struct scene_hold *h = &s->hold[g->op[give].hold];

    for (size_t n = give + 1;
         n < end && (g->op[n].from <= h->done || h->done == h->given); n++) {
        struct graph_op *o = &g->op[n], *wait;

        if (h->done == h->given && o->is == GRAPH_WAIT)
            return; /* for a condition */
        if (o->is != GRAPH_WAKE || o->target == GRAPH_NONE)
            continue;
        wait = &g->op[o->target];
        if (wait->is != GRAPH_WAIT || s->stay[wait->stay].lock != h->lock)
            continue;
        g->op[give].target = o->target;
        wait->hold = g->op[give].hold;
        return;
    }
}

/* ---- what it costs ------------------------------------------------------- */

static uint64_t in_system(const struct scene *s, size_t stay, uint32_t thread)
{
    const struct scene_stay *t = &s->stay[stay];

    return stay < s->stays && t->thread == thread && t->state == STATE_SYSTEM
               ? t->to - t->from
               : 0;
}

static bool of_program(const struct scene_stay *t)
{
    return (t->state == STATE_LOCK || t->state == STATE_QUEUE) &&
           t->kind == OBJECT_USER;
}

/* The system's part of a wait for a word of the program's, in front of it and
 * behind it; of others 0. */
static uint64_t of_wait(const struct scene *s, size_t stay)
{
    const struct scene_stay *t = &s->stay[stay];
    size_t behind = stay + 1;

    if (!stay || !of_program(t))
        return 0;
    while (behind < s->stays && s->stay[behind].state == STATE_RUNNABLE)
        behind++;
    return in_system(s, stay - 1, t->thread) + in_system(s, behind, t->thread);
}

/* What the system takes in front of such a wait, or behind it: in the middle,
 * or, of ten, where it takes least. */
static uint64_t beside(const struct retime *g, bool behind, bool least)
{
    const struct scene *s = g->scene;
    int64_t *list = grow_zero(s->stays + 1, sizeof *list), cost;
    size_t count = 0, k;

    for (size_t n = 1; n < s->stays; n++) {
        if (!of_program(&s->stay[n]))
            continue;
        for (k = behind ? n + 1 : n - 1;
             k < s->stays && s->stay[k].state == STATE_RUNNABLE; k++)
            ;
        list[count++] = (int64_t)in_system(s, k, s->stay[n].thread);
    }
    cost = graph_median(list, count);
    if (least && count)
        cost = list[count / 10];
    free(list);
    return (uint64_t)cost;
}

static uint64_t of_waits(const struct retime *g)
{
    const struct scene *s = g->scene;
    int64_t *list = grow_zero(s->stays + 1, sizeof *list), cost;
    size_t count = 0;

    for (size_t n = 1; n + 1 < s->stays; n++)
        if (of_program(&s->stay[n]))
            list[count++] = (int64_t)of_wait(s, n);
    cost = graph_median(list, count);
    free(list);
    return (uint64_t)cost;
}

/* Is it a wake-up of a thread that waits for such a word, in the system? */
static bool wakes_program(const struct retime *g, size_t op)
{
    const struct graph_op *o = &g->op[op], *ran = o - 1;

    return op && o->is == GRAPH_WAKE && o->target != GRAPH_NONE &&
           ran->is == GRAPH_RUN && ran->thread == o->thread &&
           g->op[o->target].is == GRAPH_WAIT &&
           of_program(&g->scene->stay[g->op[o->target].stay]);
}

static uint64_t of_wake(const struct retime *g, size_t op)
{
    const struct graph_op *ran = &g->op[op - 1];

    return in_system(g->scene, ran->stay, ran->thread);
}

/* ... and of waking one. */
static uint64_t of_wakes(const struct retime *g)
{
    int64_t *list = grow_zero(g->ops + 1, sizeof *list), cost;
    size_t count = 0;

    for (size_t n = 1; n < g->ops; n++)
        if (wakes_program(g, n))
            list[count++] = (int64_t)of_wake(g, n);
    cost = graph_median(list, count);
    free(list);
    return (uint64_t)cost;
}

static int by_thread(const void *a, const void *b)
{
    const struct scene_hold *const *x = a, *const *y = b;

    if ((*x)->thread != (*y)->thread)
        return (*x)->thread < (*y)->thread ? -1 : 1;
    if ((*x)->lock != (*y)->lock)
        return (*x)->lock < (*y)->lock ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* What waits for a condition gives a lock back and takes it in one function. */
void graph_find_again(struct retime *g)
{
    const struct scene *s = g->scene;
    const struct scene_hold **list = grow_zero(s->holds + 1, sizeof *list);

    g->again = grow_zero(s->holds + 1, sizeof *g->again);
    for (size_t n = 0; n < s->holds; n++)
        list[n] = &s->hold[n];
    if (s->holds)
        qsort(list, s->holds, sizeof *list, by_thread);
    for (size_t n = 1; n < s->holds; n++) {
        const struct scene_hold *h = list[n], *had = list[n - 1];

        g->again[h - s->hold] = h->thread == had->thread &&
                                h->lock == had->lock && had->done == had->given;
    }
    free(list);
}

static int by_lock(const void *a, const void *b)
{
    const struct scene_hold *const *x = a, *const *y = b;

    if ((*x)->lock != (*y)->lock)
        return (*x)->lock < (*y)->lock ? -1 : 1;
    if ((*x)->taken != (*y)->taken)
        return (*x)->taken < (*y)->taken ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

const struct scene_hold **graph_holds_by_lock(const struct scene *s)
{
    const struct scene_hold **list = grow_zero(s->holds + 1, sizeof *list);

    for (size_t n = 0; n < s->holds; n++)
        list[n] = &s->hold[n];
    if (s->holds)
        qsort(list, s->holds, sizeof *list, by_lock);
    return list;
}

#define SPUN 8 /* one in so many of those that take a lock, at least */

/* Do threads spin for the kernel's locks, more often than they wait? Then all
 * of these are of that kind: only for a long time do threads wait for one. */
static void find_kernels_kind(struct retime *g, const size_t *spun)
{
    const struct scene *s = g->scene;
    size_t spins = 0, waits = 0;

    for (uint32_t n = 0; n < s->locks; n++)
        if (s->lock[n].kind != OBJECT_USER)
            spins += spun[n];
    for (size_t n = 0; n < s->holds; n++)
        if (s->lock[s->hold[n].lock].kind != OBJECT_USER)
            waits += s->hold[n].stay != SCENE_NONE;
    for (uint32_t n = 0; n < s->locks; n++)
        if (s->lock[n].kind != OBJECT_USER)
            g->spins[n] = SPUN * spins > waits && !g->shared[n];
}

/* Did a thread call the system while it took a program's lock, and not wait? */
static bool calls_to_take(const struct scene *s, const struct scene_hold *h)
{
    const struct scene_thread *who = &s->thread[h->thread];
    size_t end = who->first + who->stays;
    size_t n = SEARCH_FIRST(who->first, end, i, s->stay[i].from > h->asked);
    bool calls = false;

    if (h->stay != SCENE_NONE || s->lock[h->lock].kind != OBJECT_USER ||
        s->lock[h->lock].counted)
        return false;
    for (; n < end && s->stay[n].from < h->taken; n++) {
        if (!scene_runs(&s->stay[n]))
            return false;
        calls |= s->stay[n].state == STATE_SYSTEM;
    }
    return calls;
}

/* From asking for a program's lock to calling the system for it; 0: it does
 * not. */
static uint64_t spins_for(const struct scene *s, const struct scene_hold *h)
{
    const struct scene_thread *who = &s->thread[h->thread];
    size_t end = who->first + who->stays;
    size_t n = SEARCH_FIRST(who->first, end, i, s->stay[i].from > h->asked);

    while (n < end && s->stay[n].from < h->taken &&
           s->stay[n].state == STATE_USER)
        n++;
    return n < end && s->stay[n].from < h->taken ? s->stay[n].from - h->asked
                                                 : 0;
}

#define SPINNING 300 /* cycles; no more is the way into the system */
#define FEWEST 4     /* that do so, to say of a lock that threads do */

/* The n-th hold of those of a lock: how long its thread spun until another one
 * gave it back; 0: it did not. */
static uint64_t spun_for(const struct retime *g, const struct scene_hold **list,
                         size_t n)
{
    const struct scene_hold *h = list[n], *had = n ? list[n - 1] : h;

    return h->thread != had->thread && had->given > h->asked &&
                   h->taken - h->asked > SPINNING &&
                   !g->again[h - g->scene->hold] && !spins_for(g->scene, h)
               ? h->taken - h->asked
               : 0;
}

/* Of the holds of one lock, `count` of them in the order in which it was taken:
 * for how long who waits spins, and who gets it meanwhile. Where few have not
 * got it, as long as the longest. */
static void find_spinning(struct retime *g, const struct scene_hold **list,
                          size_t count)
{
    const struct scene_hold *all = g->scene->hold;
    int64_t *waits = grow_zero(count + 1, sizeof *waits);
    int64_t *takes = grow_zero(count + 1, sizeof *takes);
    size_t waited = 0, taken = 0, caught = 0;
    int64_t spins, longest = 0;

    for (size_t n = 0; n < count; n++) {
        int64_t cycles = (int64_t)spins_for(g->scene, list[n]);
        int64_t spun = (int64_t)spun_for(g, list, n);

        caught += spun > 0;
        longest = spun > longest ? spun : longest;
        if (cycles && !g->again[list[n] - all])
            waits[waited++] = cycles;
        else if (!spun && !g->again[list[n] - all])
            takes[taken++] = (int64_t)(list[n]->taken - list[n]->asked);
    }
    spins = graph_median(waits, waited) - graph_median(takes, taken);
    if (waited < FEWEST || spins < longest) /* one that got it spun as long */
        spins = longest;
    free(waits);
    free(takes);
    if (waited + caught < FEWEST || spins <= SPINNING)
        return;
    g->spinning[list[0]->lock] = (uint64_t)spins;
    for (size_t n = 1; n < count; n++)
        if (spun_for(g, list, n))
            g->caught[list[n] - all] = list[n - 1]->given;
}

/* Of all mutexes for which threads sleep. */
static void find_all_spinning(struct retime *g, const struct scene_hold **list)
{
    const struct scene *s = g->scene;
    uint64_t looks = graph_least_looks(g);
    size_t end;

    g->spinning = grow_zero(s->locks + 1, sizeof *g->spinning);
    g->caught = grow_zero(s->holds + 1, sizeof *g->caught);
    for (size_t n = 0; n < s->holds; n = end) {
        uint32_t lock = list[n]->lock;

        for (end = n + 1; end < s->holds && list[end]->lock == lock;)
            end++;
        if (graph_lock_is(g, lock) == GRAPH_LOCK_MUTEX && !g->spins[lock] &&
            !s->lock[lock].counted)
            find_spinning(g, list + n, end - n);
        if (s->lock[lock].word && !s->lock[lock].waits)
            g->spinning[lock] = looks;
    }
}

/* A thread spins where it asks for a lock while another one has it, and does
 * not wait; a program's lock is one of that kind if the record says so, or if
 * threads never wait for it, and often do so: what takes a mutex may have lost
 * its CPU meanwhile. */
void graph_find_kinds(struct retime *g)
{
    const struct scene *s = g->scene;
    const struct scene_hold **list = graph_holds_by_lock(s);
    bool *waits = grow_zero(s->locks + 1, sizeof *waits);
    size_t *taken = grow_zero(s->locks + 1, sizeof *taken);
    size_t *spun = grow_zero(s->locks + 1, sizeof *spun);

    g->shared = grow_zero(s->locks + 1, sizeof *g->shared);
    g->spins = grow_zero(s->locks + 1, sizeof *g->spins);
    g->spun = grow_zero(s->holds + 1, sizeof *g->spun);
    g->called = grow_zero(s->holds + 1, sizeof *g->called);
    for (size_t n = 0; n < s->holds; n++) {
        g->shared[list[n]->lock] |= list[n]->shared;
        waits[list[n]->lock] |= list[n]->stay != SCENE_NONE;
        taken[list[n]->lock]++;
    }
    for (size_t n = 1; n < s->holds; n++) {
        const struct scene_hold *h = list[n], *had = list[n - 1];

        if (s->lock[h->lock].slots) {
            g->called[h - s->hold] = calls_to_take(s, h);
            continue;
        }
        g->called[h - s->hold] =
            h->lock == had->lock && h->thread != had->thread &&
            had->given + GRAPH_TURN > h->asked && calls_to_take(s, h);
        if (h->lock != had->lock || h->thread == had->thread ||
            (waits[h->lock] && s->lock[h->lock].kind == OBJECT_USER) ||
            h->stay != SCENE_NONE || g->shared[h->lock] ||
            had->given <= h->asked + GRAPH_TURN ||
            had->given > h->taken + GRAPH_TURN || g->again[h - s->hold])
            continue;
        g->spun[h - s->hold] = had->given;
        spun[h->lock]++;
    }
    for (uint32_t n = 0; n < s->locks; n++)
        g->spins[n] = graph_is_word(g, n) || s->lock[n].spins ||
                      (spun[n] && SPUN * spun[n] >= taken[n]);
    find_kernels_kind(g, spun);
    for (size_t n = 0; n < s->holds; n++)
        if (!g->spins[s->hold[n].lock])
            g->spun[n] = 0;
    graph_find_yields(g);
    find_all_spinning(g, list);
    graph_find_handed(g, list);
    free(list);
    free(taken);
    free(spun);
    free(waits);
}

/* Under --user a system call is charged in one sum, in what a thread runs. */
/* Waits in functions that count a semaphore down. */
static void find_counts(struct retime *g)
{
    const struct scene *s = g->scene;

    for (size_t n = 0; n < s->signals; n++) {
        const struct scene_signal *k = &s->signal[n];
        const struct graph_thread *t = &g->thread[k->thread];
        size_t end = t->first + t->ops;
        size_t o = SEARCH_FIRST(t->first, end, i, g->op[i].from >= k->from);

        for (; k->event == LOCK_DOWN && o < end && g->op[o].from < k->to; o++)
            g->op[o].counts = g->op[o].is == GRAPH_WAIT &&
                              s->stay[g->op[o].stay].state == STATE_QUEUE;
    }
}

void graph_find_calls(struct retime *g)
{
    find_counts(g);
    for (size_t n = 0; n < g->ops; n++) {
        struct graph_op *o = &g->op[n];

        o->call = g->call;
        if (!g->call && o->is == GRAPH_WAIT)
            o->call = of_wait(g->scene, o->stay);
        else if (!g->call && wakes_program(g, n))
            o->call = of_wake(g, n);
    }
}

/* How long a thread ran from one cycle to another. */
static uint64_t ran(const struct scene *s, uint32_t thread, uint64_t from,
                    uint64_t to)
{
    const struct scene_thread *who = &s->thread[thread];
    size_t end = who->first + who->stays;
    size_t n = SEARCH_FIRST(who->first, end, i, s->stay[i].to > from);
    uint64_t cycles = 0;

    for (; n < end && s->stay[n].from < to; n++) {
        const struct scene_stay *t = &s->stay[n];
        uint64_t first = t->from > from ? t->from : from;

        if (scene_runs(t))
            cycles += (t->to < to ? t->to : to) - first;
    }
    return cycles;
}

/* What taking such a lock, or giving it back, takes more with another thread
 * there than without; 0: neither is known. */
static uint64_t compare(const struct retime *g, uint32_t kind, bool gives)
{
    const struct scene *s = g->scene;
    int64_t *list[2], cost[2];
    size_t count[2] = {0};
    bool known;

    list[0] = grow_zero(g->ops + 1, sizeof **list);
    list[1] = grow_zero(g->ops + 1, sizeof **list);
    for (size_t n = 0; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n];
        const struct scene_hold *h;
        bool met;

        if (o->is != (gives ? GRAPH_GIVE : GRAPH_TAKE))
            continue;
        h = &s->hold[o->hold];
        if (s->lock[h->lock].kind != kind || s->lock[h->lock].counted)
            continue;
        met = gives ? o->target != GRAPH_NONE : h->stay != SCENE_NONE;
        list[met][count[met]++] =
            (int64_t)(gives ? h->done - h->given
                            : ran(s, h->thread, h->asked, h->taken));
    }
    known = count[0] && count[1];
    for (unsigned n = 0; n < 2; n++) {
        cost[n] = graph_median(list[n], count[n]);
        free(list[n]);
    }
    return known && cost[1] > cost[0] ? (uint64_t)(cost[1] - cost[0]) : 0;
}

enum {
    L_TAKE,
    L_GIVE,
    L_ENTER,
    L_LEAVE,
    L_WAKE,
    L_CALL,
    L_AGAIN,
    L_SPUN,
    L_CAUGHT,
    L_OVER,  /* from being given back to being that of who slept for it */
    L_FRONT, /* of L_ENTER, L_LEAVE and L_AGAIN: of the program's */
    L_BEHIND,
    L_IDLE,    /* L_CALL with no thread woken */
    L_SIDE,    /* ... of the program's */
    L_RECALLS, /* 1 where it calls, behind a wait for a condition; else 0 */
    LISTS
};

struct lists {
    int64_t *list[LISTS];
    size_t count[LISTS];
};

static void note(struct lists *l, int which, uint64_t cycles)
{
    l->list[which][l->count[which]++] = (int64_t)cycles;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* How long is a thread in the system behind an operation, up to a cycle, if it
 * runs for so many? Under --user as long as a call takes, if there is time for
 * one: it is in no other state then. */
static uint64_t ran_in_system(const struct retime *g, const struct graph_op *o,
                              uint64_t until, uint64_t runs)
{
    const struct graph_thread *t = &g->thread[o->thread];
    const struct graph_op *end = &g->op[t->first + t->ops];
    uint64_t cycles = 0;

    if (g->call)
        return runs < g->call ? 0 : g->call;
    for (; o < end && o->from < until; o++)
        if (o->is == GRAPH_RUN && g->scene->stay[o->stay].state == STATE_SYSTEM)
            cycles += o->to - o->from;
    return cycles;
}

/* A lock that is given back is that of the thread whose wait that ends: after
 * how many cycles? 0: it is another one's. */
static uint64_t handed_over(const struct retime *g, const struct graph_op *give)
{
    const struct graph_thread *t = &g->thread[g->op[give->target].thread];
    uint32_t lock = g->scene->hold[give->hold].lock;

    for (size_t n = give->target; n < t->first + t->ops; n++)
        if (g->op[n].is == GRAPH_TAKE)
            return g->scene->hold[g->op[n].hold].lock == lock
                       ? less(g->op[n].from, give->from)
                       : 0;
    return 0;
}

/* What one operation on a lock of a program tells, of those that several may
 * have at a time or of others. */
static void measure_op(struct retime *g, const struct graph_op *o,
                       enum graph_lock which, struct lists *l)
{
    const struct scene *s = g->scene;
    const struct scene_hold *h = &s->hold[o->hold];
    const struct graph_op *way = o;
    uint64_t cycles, system, over;

    if (graph_lock_is(g, h->lock) != which)
        return;
    if (o->is == GRAPH_ASK) {
        if (o->again || h->stay == SCENE_NONE)
            return;
        cycles = less(ran(s, h->thread, o->from, s->stay[h->stay].from),
                      g->spinning[h->lock]);
        note(l, L_ENTER, cycles);
        note(l, L_FRONT, less(cycles, in_system(s, h->stay - 1, h->thread)));
    } else if (o->is == GRAPH_TAKE && h->stay == SCENE_NONE) {
        if (g->caught[o->hold])
            note(l, L_CAUGHT, less(h->taken, g->caught[o->hold]));
        else if (!o->again && !g->spun[o->hold] && !g->called[o->hold])
            note(l, L_TAKE, h->taken - h->asked);
        if (g->spun[o->hold])
            note(l, L_SPUN, h->taken - g->spun[o->hold]);
    } else if (o->is == GRAPH_TAKE) {
        while (way->is != GRAPH_DISPATCH && way->is != GRAPH_ASK &&
               way->is != GRAPH_BIRTH)
            way--;
        if (way->is != GRAPH_DISPATCH)
            return;
        cycles = h->taken - way->to - (way->near ? 0 : g->trap);
        note(l, o->again ? L_AGAIN : L_LEAVE, cycles);
        if (way[1].is == GRAPH_RUN)
            note(l, L_BEHIND,
                 less(cycles, in_system(s, way[1].stay, h->thread)));
    } else if (o->is == GRAPH_GIVE && h->done > h->given) {
        cycles = ran(s, h->thread, h->given, h->done);
        system = ran_in_system(g, o, h->done, cycles);
        note(l,
             o->target != GRAPH_NONE ? L_CALL
             : system                ? L_IDLE
                                     : L_GIVE,
             cycles);
        if (g->again[o->hold] && h->stay == SCENE_NONE)
            note(l, L_RECALLS, system > 0);
        over = o->target == GRAPH_NONE ? 0 : handed_over(g, o);
        if (over)
            note(l, L_OVER, over);
        if (o->target == GRAPH_NONE && system)
            note(l, L_SIDE, less(cycles, system));
        for (; way->is != GRAPH_END && o->target != GRAPH_NONE; way++)
            if (way->is == GRAPH_WAKE && way->target == o->target) {
                int64_t lag = g->op[way->target].lag;

                note(l, L_WAKE,
                     ran(s, h->thread, o->from, way->from) +
                         (lag > 0 ? (uint64_t)lag : 0));
                break;
            }
    }
}

#define FEW 4 /* waits for such a lock: what other waits cost says more */

/* Cycles from asking for a lock that another thread has to the system call
 * (GRAPH_ASKS); from its end to having the lock; from giving it back to the
 * call that wakes. APPROX: for all programs, where no wait for the lock tells.
 * Source: glibc's in the guest. Cost: as many more or less each time that
 * threads meet. */
#define HAS 90
#define HAS_AGAIN 116 /* ... behind a wait for a condition */
#define GIVES 155

/* It tries to have it once more, so many cycles in front of the call. APPROX,
 * as above. */
#define TRIES 20

/* From the begin of a system call that wakes threads that wait for a word of
 * the program's to their being runnable, in the middle; 0: none does. */
static uint64_t to_wake(const struct retime *g)
{
    int64_t *list = grow_zero(g->ops + 1, sizeof *list), cycles;
    size_t count = 0;

    for (size_t n = 1; n < g->ops; n++)
        if (wakes_program(g, n) && of_wake(g, n))
            list[count++] = (int64_t)(g->op[n].from -
                                      g->scene->stay[g->op[n - 1].stay].from) +
                            g->op[g->op[n].target].lag;
    cycles = graph_median(list, count);
    free(list);
    return cycles > 0 ? (uint64_t)cycles : 0;
}

/* A program's lock in the guest, for which no thread has to wait, or few: what
 * waiting would take. */
static void add_usual(const struct retime *g, struct graph_mutex *m,
                      const struct lists *l)
{
    uint64_t front = beside(g, false, false), behind = beside(g, true, false);
    uint64_t wakes = to_wake(g);

    if (l->count[L_ENTER] < FEW)
        m->enter = front + (front ? less(GRAPH_ASKS, m->take) : m->take);
    if (!l->count[L_AGAIN] && !l->count[L_LEAVE] && behind)
        m->leave[0] = m->leave[1] = behind + HAS;
    if (!l->count[L_WAKE] && wakes)
        m->wake = GIVES + wakes;
}

#define LONG 3 /* times as long as most of those that do not spin */

/* Who waits for a lock of the kernel's does so at once, as its owner has no CPU
 * or another thread waits, or has spun as long as it may. Of those that took
 * longest, where they are of both kinds, the middle; else 0. */
static uint64_t gave_up(const int64_t *enter, size_t count)
{
    size_t n = 0;

    while (n < count && enter[n] < LONG * enter[count / 10])
        n++;
    return n < count ? (uint64_t)enter[(n + count) / 2] : 0;
}

/* A call that wakes none, if one that wakes is known: up to the wake-up. One
 * that meets another at the word's lock takes longer. */
static uint64_t calls_in_vain(const struct graph_mutex *m,
                              const struct lists *l, uint64_t idle)
{
    uint64_t wake = less(m->wake, m->give);

    return !l->count[L_IDLE] || idle > wake ? wake : idle;
}

static void measure_mutexes(struct retime *g, enum graph_lock which)
{
    struct graph_mutex *m = &g->mutex[which];
    struct lists l = {.count = {0}};
    uint64_t median[LISTS], least = 0, most = 0, front;

    for (unsigned n = 0; n < LISTS; n++)
        l.list[n] = grow_zero(g->ops + 1, sizeof **l.list);
    for (size_t n = 0; n < g->ops; n++)
        if (g->op[n].is == GRAPH_ASK || g->op[n].is == GRAPH_TAKE ||
            g->op[n].is == GRAPH_GIVE)
            measure_op(g, &g->op[n], which, &l);
    for (unsigned n = 0; n < LISTS; n++) {
        median[n] = (uint64_t)graph_median(l.list[n], l.count[n]);
        if (n == L_IDLE && l.count[n])
            least = (uint64_t)l.list[n][l.count[n] / 10];
        if (n == L_ENTER && which == GRAPH_LOCK_KERNEL)
            most = gave_up(l.list[n], l.count[n]);
        free(l.list[n]);
    }
    *m = (struct graph_mutex){
        .take = median[L_TAKE],
        .give = median[L_GIVE],
        .enter = less(median[L_ENTER], median[L_TAKE]),
        .most = less(most, median[L_TAKE]),
        .leave = {median[l.count[L_LEAVE] ? L_LEAVE : L_AGAIN],
                  median[l.count[L_AGAIN] ? L_AGAIN : L_LEAVE]},
        .wake = l.count[L_WAKE] ? median[L_WAKE] : median[L_GIVE],
        .spun = median[L_SPUN],
        .over = median[L_OVER],
        .caught = median[L_CAUGHT],
        .recalls = g->call && median[L_RECALLS],
        .call = l.count[L_CALL] ? less(median[L_CALL], median[L_GIVE])
                                : g->meet[which != GRAPH_LOCK_KERNEL].wake,
    };
    if (!l.count[L_AGAIN] && !l.count[L_LEAVE])
        m->leave[0] = m->leave[1] = g->meet[which != GRAPH_LOCK_KERNEL].wait;
    if (which == GRAPH_LOCK_MUTEX && !g->call)
        add_usual(g, m, &l);
    if (which == GRAPH_LOCK_WORD) /* no thread sleeps, or is woken */
        *m = (struct graph_mutex){.spun = m->spun};
    m->idle = l.count[L_IDLE] ? less(least, median[L_GIVE]) : m->call;
    if (l.count[L_WAKE] && !g->call)
        m->idle = calls_in_vain(m, &l, m->idle);
    if (m->idle > m->call)
        m->idle = m->call;
    m->beside =
        l.count[L_SIDE] < FEW ? 0 : less(median[L_SIDE], median[L_GIVE]);
    m->found = m->enter + g->call + m->leave[0];
    m->begins = GIVES;
    m->more = which == GRAPH_LOCK_MUTEX ? HAS_AGAIN - HAS : 0;
    m->tries = 0;
    front =
        less(l.count[L_FRONT] < FEW ? GRAPH_ASKS : median[L_FRONT], m->take);
    if (which == GRAPH_LOCK_MUTEX && !g->call)
        m->found = front + g->finds +
                   (l.count[L_BEHIND] < FEW ? HAS : median[L_BEHIND]);
    if (which == GRAPH_LOCK_MUTEX && !g->call)
        m->tries = less(front, TRIES);
    m->looks = g->call                     ? m->enter
               : which != GRAPH_LOCK_MUTEX ? m->enter / 2
               : g->reads                  ? front + g->reads
                                           : graph_looks_at(g, m->found);
    if (m->looks > m->enter)
        m->looks = m->enter;
}

static void measure_meetings(struct retime *g)
{
    struct graph_meet *kernel = &g->meet[0], *program = &g->meet[1];

    kernel->wait = compare(g, OBJECT_KERNEL, false);
    kernel->wake = compare(g, OBJECT_KERNEL, true);
    program->wait = compare(g, OBJECT_USER, false);
    program->wake = compare(g, OBJECT_USER, true);
    if (!program->wait)
        program->wait = graph_most(of_waits(g), g->call);
    if (!program->wake)
        program->wake = graph_most(of_wakes(g), g->call);
}

/* The waits that mutex.c plays. */
static void mark_played(struct retime *g)
{
    for (size_t n = 0; n < g->ops; n++) {
        uint32_t lock;
        bool keeps;

        if (g->op[n].is != GRAPH_ASK)
            continue;
        lock = g->scene->hold[g->op[n].hold].lock;
        keeps = graph_keeps_order(g, lock);
        if (g->take[g->op[n].hold] == GRAPH_NONE)
            continue;
        for (size_t k = n; k < g->take[g->op[n].hold]; k++)
            if (g->op[k].is == GRAPH_WAIT &&
                (!keeps || g->op[k].played == GRAPH_NO_LOCKS))
                g->op[k].played =
                    keeps ? GRAPH_ALL_LOCKS : GRAPH_PROGRAMS_LOCKS;
    }
}

void graph_link_locks(struct retime *g)
{
    if (!g->take)
        return;
    for (uint32_t t = 0; t < g->scene->threads; t++) {
        size_t end = g->thread[t].first + g->thread[t].ops;

        for (size_t n = g->thread[t].first; n < end; n++)
            if (g->op[n].is == GRAPH_GIVE)
                link_give(g, (uint32_t)n, end);
    }
    measure_meetings(g);
    if (!g->call)
        g->finds = (beside(g, false, true) + beside(g, true, true)) / 2;
    graph_find_looks(g);
    for (unsigned n = 0; n < GRAPH_LOCKS; n++)
        measure_mutexes(g, (enum graph_lock)n);
    mark_played(g);
}
