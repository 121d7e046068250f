/* predict.c - what a change brings, by playing the recording through again
 * (tools/analysis/retime); where that cannot say, at most, by the critical
 * path. Nothing else of advise knows how it is found.
 */
#include "tools/analysis/advise/advise.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/experiment/stack.h"

/* Parts in so many of the path. */
#define MUCH 10
#define LITTLE 50

/* Is a function in a stack? *beyond: what is further out. */
static bool inside(const struct advise *a, uint32_t stack, uint32_t function,
                   uint32_t *beyond)
{
    struct loadmap *m = &a->r->map;
    const struct frames_place *f;
    uint32_t thread = m->thread;
    bool found = false;

    while (!found && (f = frames_at(&a->scene->frames, stack))) {
        uint64_t cycle = frames_whose(f, m, f->cycle ? f->cycle : a->r->end);
        uint32_t pc = loadmap_home(m, stack_before(f->pc), cycle);

        found = loadmap_find(m, pc, cycle).function == function;
        stack = f->caller;
    }
    loadmap_thread(m, thread);
    *beyond = stack;
    return found;
}

bool advise_is_within(const struct advise *a, uint32_t function,
                      uint32_t caller)
{
    uint64_t all = 0, within = 0;
    uint32_t beyond, last;

    for (uint32_t n = 1; n < a->scene->frames.count; n++) {
        uint64_t cycles = a->path.stack[n];

        if (!cycles || !inside(a, n, function, &beyond))
            continue;
        all += cycles;
        within += inside(a, beyond, caller, &last) ? cycles : 0;
    }
    return all && within >= all / 10 * 9;
}

bool advise_is_below(const struct advise *a, uint32_t function, uint32_t caller)
{
    uint32_t beyond, last;
    bool any = false;

    for (uint32_t n = 1; n < a->scene->frames.count; n++) {
        if (!inside(a, n, function, &beyond))
            continue;
        if (beyond && !inside(a, beyond, caller, &last))
            return false;
        any |= beyond != 0;
    }
    return any;
}

/* Has a thread a lock in a cycle? The holds from `at` on are in its order. */
static bool has_lock(const struct scene *s, size_t *at, uint32_t lock,
                     const struct scene_spot *p)
{
    const struct scene_hold *h = s->hold;

    while (*at < s->holds &&
           (h[*at].lock != lock || h[*at].thread < p->thread ||
            (h[*at].thread == p->thread && h[*at].given < p->cycle)))
        ++*at;
    return *at < s->holds && h[*at].thread == p->thread &&
           h[*at].taken <= p->cycle;
}

static bool has_holds(const struct scene *s, uint32_t lock)
{
    for (size_t n = 0; n < s->holds; n++)
        if (s->hold[n].lock == lock)
            return true;
    return false;
}

bool advise_is_held(const struct advise *a, uint32_t function, uint32_t lock)
{
    const struct scene *s = a->scene;
    bool *in;
    uint64_t all = 0, held = 0;
    size_t at = 0;
    uint32_t beyond;

    if (!has_holds(s, lock))
        return true;
    in = grow_zero(s->frames.count + 1, sizeof *in);
    for (uint32_t n = 1; n < s->frames.count; n++)
        in[n] = inside(a, n, function, &beyond);
    for (size_t n = 0; n < s->spots; n++)
        if (in[s->spot[n].stack]) {
            all++;
            held += has_lock(s, &at, lock, &s->spot[n]);
        }
    free(in);
    return 2 * held >= all;
}

/* Cycles by stack of those that are in a function, or what it calls. */
static uint64_t within(const struct advise *a, const uint64_t *stack,
                       uint32_t function)
{
    uint64_t sum = 0;
    uint32_t beyond;

    for (uint32_t n = 1; n < a->scene->frames.count; n++)
        if (stack[n] && inside(a, n, function, &beyond))
            sum += stack[n];
    return sum;
}

/* Cycles of the path that a function runs, with its callees, or sleeps, or in
 * which it takes the CPU from a thread on the path; without samples those that
 * it runs itself. */
static uint64_t of_function(const struct advise *a, uint32_t function)
{
    uint64_t sum = within(a, a->path.stack, function) +
                   within(a, a->path.taken_stack, function);

    for (size_t n = 0; !a->scene->samples && n < a->path.c.roots; n++) {
        const struct causes_root *r = &a->path.c.root[n];

        if (r->is == ROOT_RUNS &&
            a->places->list[r->place].function[0] == function)
            sum += r->cycles;
    }
    return sum;
}

bool advise_takes_cpu(const struct advise *a, const struct advise_candidate *c)
{
    uint64_t taken = c->kind == ADVISE_FUNCTION
                         ? within(a, a->path.taken_stack, c->function)
                         : 0;

    return taken > a->path.c.total / MUCH &&
           within(a, a->path.stack, c->function) < a->path.c.total / LITTLE;
}

static uint64_t of_root(const struct advise *a, enum chain_root is)
{
    uint64_t sum = 0;

    for (size_t n = 0; n < a->path.c.roots; n++)
        if (a->path.c.root[n].is == is)
            sum += a->path.c.root[n].cycles;
    return sum;
}

/* Part of n that a factor takes away. */
static uint64_t less(uint64_t n, uint32_t factor)
{
    return (uint64_t)((unsigned __int128)n * (ADVISE_UNIT - factor) /
                      ADVISE_UNIT);
}

/* At most: the path may lead elsewhere then. */
static int64_t bound(const struct advise *a, const struct advise_candidate *c)
{
    uint64_t cycles;

    switch (c->kind) {
    case ADVISE_FUNCTION:
        return (int64_t)less(of_function(a, c->function), c->factor);
    case ADVISE_LOCK:
        return (int64_t)less(a->path.lock[c->lock], c->factor);
    case ADVISE_DEVICE:
        return (int64_t)less(of_root(a, ROOT_DEVICE), c->factor);
    case ADVISE_PRIORITY:
        cycles = of_root(a, ROOT_CPU);
        return (int64_t)(cycles < advise_spare(a) ? cycles : advise_spare(a));
    case ADVISE_AFFINITY:
    case ADVISE_CPUS:
        return (int64_t)(of_root(a, ROOT_CPU) + of_root(a, ROOT_MASK));
    }
    return 0;
}

void advise_predict(const struct advise *a, struct advise_candidate *c)
{
    struct retime_change change = retime_change_none();
    char why[256];
    struct retime_prediction p;

    c->on_path = (uint64_t)bound(a, c);
    if (!retime_change_add(&change, c->spec, why, sizeof why) ||
        !retime_predict(a->graph, &change, &p, why, sizeof why)) {
        c->predicted = (int64_t)c->on_path;
        c->doubt = RETIME_POLLS;
        return;
    }
    c->predicted = (int64_t)retime_recorded(a->graph) - (int64_t)p.elapsed;
    c->doubt = retime_doubt(a->graph, &change, &p);
}
