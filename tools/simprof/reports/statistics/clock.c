/* clock.c - see clock.h. */
#include "tools/simprof/reports/statistics/clock.h"

#include <stdlib.h>

#include "lib/base/grow.h"

static void put(struct clock *c, struct clock_thread *t, uint64_t cycle)
{
    struct clock_record *w = &t->waiting;
    uint64_t any = 0;

    for (unsigned m = 0; m < MICRO_STATES; m++) {
        any |= w->count[m];
        t->recorded[m] += w->count[m];
    }
    w->cycle = cycle;
    if (any && c->keep) {
        c->list = grow(c->list, &c->room, c->count + 1, sizeof *c->list);
        c->list[c->count++] = *w;
    }
    *w = (struct clock_record){.thread = w->thread};
    t->longest = 0;
}

void clock_state(struct clock *c, struct clock_thread *t,
                 const struct spans_event *e, uint64_t from, uint64_t to)
{
    uint64_t n = (to - 1) / c->interval - (from - 1) / c->interval;
    bool user = e->state == STATE_USER || e->state == STATE_SPINNING;

    t->waiting.thread = e->thread;
    if (user) {
        t->in_user = true;
        put(c, t, from);
    }
    t->waiting.count[micro_of(e->state, e->vector)] += n;
    if (user) {
        put(c, t, to);
    } else if (e->state != STATE_SYSTEM && n > t->longest) {
        t->longest = n;
        t->waiting.stack = e->stack;
    }
}

void clock_end(struct clock *c, struct clock_thread *t, uint64_t cycle)
{
    if (!t->in_user)
        put(c, t, cycle);
}

static int by_cycle(const void *a, const void *b)
{
    const struct clock_record *x = a, *y = b;

    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

void clock_sort(struct clock *c)
{
    if (c->count)
        qsort(c->list, c->count, sizeof *c->list, by_cycle);
}

void clock_free(struct clock *c)
{
    free(c->list);
    *c = (struct clock){.interval = 0};
}
