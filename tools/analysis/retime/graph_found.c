/* graph_found.c - how long after a thread has asked for a program's lock that
 * another one has does the system look whether it has been given back; see
 * graph.h.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/graph.h"

/* Of the time from asking to having a lock that was found free, up to there.
 * APPROX: 7 of 10, where no recorded one tells. Source: the guest, 690 to 760
 * of 1,039 cycles. Cost: who comes as much too early or late falls asleep, or
 * does not. */
#define USUAL(cycles) ((cycles)*7 / 10)

static int by_cycles(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* From asking for a lock to its being given back by others: of those that found
 * that it had been, and of those that slept. */
struct given {
    uint64_t *found, *slept;
    size_t founds, sleeps;
};

/* `n`: of the holds by lock, in the order in which it was taken. */
static void note(struct given *given, const struct retime *g,
                 const struct scene_hold **list, size_t n)
{
    const struct scene_hold *h = list[n];
    uint64_t asked = h->asked + g->spinning[h->lock];
    size_t k = n;

    if (g->called[h - g->scene->hold]) {
        if (n && list[n - 1]->lock == h->lock && list[n - 1]->given > asked &&
            list[n - 1]->given <= h->taken)
            given->found[given->founds++] = list[n - 1]->given - asked;
        return;
    }
    if (h->stay == SCENE_NONE)
        return;
    while (k && list[k - 1]->lock == h->lock && list[k - 1]->given > asked)
        k--;
    if (k < n)
        given->slept[given->sleeps++] = list[k]->given - asked;
}

/* How many of them would not have done what they did, if it looked then. */
static size_t wrong(const struct given *given, uint64_t looks)
{
    size_t found = SEARCH_FIRST(0, given->founds, i, given->found[i] > looks);

    return given->founds - found +
           SEARCH_FIRST(0, given->sleeps, i, given->slept[i] >= looks);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void rather(const struct given *given, uint64_t usual, uint64_t looks,
                   uint64_t *best)
{
    size_t now = wrong(given, looks), before = wrong(given, *best);

    if (now < before ||
        (now == before && apart(looks, usual) < apart(*best, usual)))
        *best = looks;
}

uint64_t graph_looks_at(const struct retime *g, uint64_t found)
{
    const struct scene *s = g->scene;
    const struct scene_hold **list = graph_holds_by_lock(s);
    struct given given = {grow_zero(s->holds + 1, sizeof *given.found),
                          grow_zero(s->holds + 1, sizeof *given.slept), 0, 0};
    uint64_t best = USUAL(found);
    size_t count = 0;

    for (size_t n = 0; n < s->holds; n++)
        if (graph_lock_is(g, list[n]->lock) == GRAPH_LOCK_MUTEX &&
            !s->lock[list[n]->lock].counted && !g->again[list[n] - s->hold])
            list[count++] = list[n];
    for (size_t n = 0; n < count; n++)
        note(&given, g, list, n);
    qsort(given.found, given.founds, sizeof *given.found, by_cycles);
    qsort(given.slept, given.sleeps, sizeof *given.slept, by_cycles);
    for (size_t n = 0; n < given.founds; n++)
        rather(&given, USUAL(found), given.found[n], &best);
    for (size_t n = 0; n < given.sleeps; n++)
        rather(&given, USUAL(found), given.slept[n], &best);
    free(given.found);
    free(given.slept);
    free(list);
    return best < found ? best : found;
}

/* The first of the kernel's locks that a thread takes, or gives back, from a
 * cycle on, in front of an operation of its own: that operation; 0: none. */
static size_t first_of_kernels(const struct retime *g, enum graph_is is,
                               uint64_t since, size_t end)
{
    size_t first = g->thread[g->op[end].thread].first, found = 0;

    for (size_t n = end; n > first && g->op[n - 1].from >= since; n--)
        if (g->op[n - 1].is == is &&
            graph_lock_is(g, g->scene->hold[g->op[n - 1].hold].lock) ==
                GRAPH_LOCK_KERNEL)
            found = n - 1;
    return found;
}

/* It looks with the first of its locks that it gives back. */
uint64_t graph_looks_in(const struct retime *g, uint64_t since, size_t wait)
{
    size_t give = first_of_kernels(g, GRAPH_GIVE, since, wait);

    return give ? g->op[give].from - since : 0;
}

/* A wait for a word of the program's in a system call: where that begins; 0: it
 * is another one. */
static uint64_t call_of(const struct retime *g, const struct graph_op *wait)
{
    const struct scene_stay *t;

    if (wait->is != GRAPH_WAIT || !wait->stay || wait->stay == GRAPH_NONE)
        return 0;
    t = &g->scene->stay[wait->stay];
    return t->kind == OBJECT_USER &&
                   (t->state == STATE_LOCK || t->state == STATE_QUEUE) &&
                   t[-1].thread == t->thread && t[-1].state == STATE_SYSTEM
               ? t[-1].from
               : 0;
}

uint32_t graph_word_lock(const struct retime *g, size_t wait)
{
    uint64_t begin = call_of(g, &g->op[wait]);
    size_t take = begin ? first_of_kernels(g, GRAPH_TAKE, begin, wait) : 0;

    return take ? g->scene->hold[g->op[take].hold].lock : GRAPH_NONE;
}

/* ... of programs' locks that threads wait for. */
static void find_word_locks(struct retime *g)
{
    const struct scene *s = g->scene;

    g->word_lock = grow_zero(s->locks + 1, sizeof *g->word_lock);
    for (uint32_t n = 0; n < s->locks; n++)
        g->word_lock[n] = GRAPH_NONE;
    for (size_t n = 0; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n];
        uint32_t lock = o->is == GRAPH_WAIT && o->stay != GRAPH_NONE
                            ? s->stay[o->stay].lock
                            : SCENE_NONE;

        if (lock != SCENE_NONE && g->word_lock[lock] == GRAPH_NONE)
            g->word_lock[lock] = graph_word_lock(g, n);
    }
}

static int64_t half(const struct scene_hold *h)
{
    return (int64_t)(h->given - h->taken) / 2;
}

enum {
    F_LOOKS,
    F_READS,
    F_WAITS, /* it has the word's lock, waits; */
    F_WAITED,
    F_WAKES, /* wakes; */
    F_WOKEN,
    F_FOUND, /* ... or would, but there is none */
    F_TAIL,  /* from where it gives that lock back to its end */
    F_ALL
};

/* Calls that wait, and calls that wake. */
static void note_wait(const struct retime *g, size_t n, int64_t **list,
                      size_t *count)
{
    uint64_t begin = call_of(g, &g->op[n]);
    size_t give = begin ? first_of_kernels(g, GRAPH_GIVE, begin, n) : 0;
    size_t take = give ? first_of_kernels(g, GRAPH_TAKE, begin, n) : 0;
    const struct scene_hold *h;

    if (!take)
        return;
    h = &g->scene->hold[g->op[give].hold];
    list[F_LOOKS][count[F_LOOKS]++] = (int64_t)(h->given - begin);
    list[F_READS][count[F_READS]++] = (int64_t)(h->given - begin) - half(h);
    h = &g->scene->hold[g->op[take].hold];
    list[F_WAITS][count[F_WAITS]++] = (int64_t)(h->taken - begin);
    list[F_WAITED][count[F_WAITED]++] = (int64_t)(h->given - begin);
}

bool graph_wakes_one(const struct retime *g, size_t n)
{
    const struct graph_op *o = &g->op[n];
    const struct scene_stay *t = &g->scene->stay[o[-1].stay];
    size_t first = g->thread[o->thread].first;
    size_t end = first + g->thread[o->thread].ops;

    for (size_t k = n; k > first && g->op[k - 1].from >= t->from; k--)
        if (g->op[k - 1].is == GRAPH_WAKE)
            return false;
    for (size_t k = n + 1; k < end && g->op[k].from < t->to; k++)
        if (g->op[k].is == GRAPH_WAKE)
            return false;
    return true;
}

/* ... and until it has found that no thread is in the list. APPROX: as long as
 * in an empty list. Source: the guest. Cost: as many cycles a call as there are
 * threads in it that wait for other words. */
#define NONE 25

/* One that wakes none has the lock as long as up to where it has looked, with
 * another one of them, and that was given back. */
static void note_wake(const struct retime *g, size_t n, int64_t **list,
                      size_t *count)
{
    const struct graph_op *o = &g->op[n], *wait;
    uint64_t begin, given;
    size_t take, inner;

    if (!n || o->is != GRAPH_WAKE || o->target == GRAPH_NONE ||
        o[-1].is != GRAPH_RUN || o[-1].thread != o->thread ||
        g->scene->stay[o[-1].stay].state != STATE_SYSTEM)
        return;
    wait = &g->op[o->target];
    begin = g->scene->stay[o[-1].stay].from;
    if (!call_of(g, wait))
        return;
    take = first_of_kernels(g, GRAPH_TAKE, begin, n);
    inner = take ? first_of_kernels(g, GRAPH_TAKE, g->op[take].from + 1, n) : 0;
    if (!inner)
        return;
    list[F_WAKES][count[F_WAKES]++] = (int64_t)(g->op[take].from - begin);
    if (graph_wakes_one(g, n))
        list[F_WOKEN][count[F_WOKEN]++] =
            (int64_t)(g->scene->hold[g->op[take].hold].given - begin);
    list[F_FOUND][count[F_FOUND]++] =
        (int64_t)(g->scene->hold[g->op[inner].hold].given +
                  (g->op[inner].from - g->op[take].from) + NONE - begin);
    given = g->scene->hold[g->op[take].hold].given;
    if (g->scene->stay[o[-1].stay].to > given)
        list[F_TAIL][count[F_TAIL]++] =
            (int64_t)(g->scene->stay[o[-1].stay].to - given);
}

void graph_find_looks(struct retime *g)
{
    int64_t *list[F_ALL];
    size_t count[F_ALL] = {0};
    uint64_t median[F_ALL];

    find_word_locks(g);
    for (unsigned k = 0; k < F_ALL; k++)
        list[k] = grow_zero(g->ops + 1, sizeof *list[k]);
    for (size_t n = 0; n < g->ops; n++) {
        note_wait(g, n, list, count);
        note_wake(g, n, list, count);
    }
    for (unsigned k = 0; k < F_ALL; k++) {
        median[k] = (uint64_t)graph_median(list[k], count[k]);
        free(list[k]);
    }
    g->looks = median[F_LOOKS];
    g->reads = median[F_READS];
    g->word[GRAPH_WORD_WAITS] =
        (struct graph_word){median[F_WAITS], median[F_WAITED]};
    g->word[GRAPH_WORD_FINDS] =
        (struct graph_word){median[F_WAKES], median[F_FOUND]};
    g->needless =
        count[F_TAIL] && median[F_FOUND] ? median[F_FOUND] + median[F_TAIL] : 0;
    g->word[GRAPH_WORD_WAKES] = (struct graph_word){
        median[F_WAKES], graph_most(median[F_WOKEN], median[F_FOUND])};
}

/* The second system call, since the wait for the condition is one. */
uint64_t graph_asks_again(const struct retime *g, const struct scene_hold *h)
{
    const struct scene *s = g->scene;
    const struct scene_thread *who = &s->thread[h->thread];
    size_t end = who->first + who->stays;
    size_t n = SEARCH_FIRST(who->first, end, i, s->stay[i].from >= h->taken);
    unsigned calls = 0;
    uint64_t from = 0;

    if (g->call || h->stay != SCENE_NONE)
        return 0;
    for (; n > who->first && s->stay[n - 1].from >= h->asked &&
           scene_runs(&s->stay[n - 1]);
         n--)
        if (s->stay[n - 1].state == STATE_SYSTEM && !calls++)
            from = s->stay[n - 1].from;
    return calls > 1 && from > GRAPH_ASKS ? from - GRAPH_ASKS : 0;
}

uint64_t graph_tries_at(const struct retime *g, size_t from, size_t take)
{
    bool left = false;

    for (size_t n = from; n < take; n++) {
        const struct graph_op *o = &g->op[n];
        const struct scene_stay *t;

        if (o->is != GRAPH_RUN)
            continue;
        t = &g->scene->stay[o->stay];
        if (left && t->state == STATE_SYSTEM)
            return t->from;
        left |= t->state != STATE_SYSTEM;
    }
    return g->op[take].from;
}
