/* stints.c - when CPUs were idle, from the context switches. Unlike the idle
 * report's periods (idle/timeline.h) these begin with the CPU: an idle thread
 * that is switched from first has run until then, since the CPU was released;
 * but one that was something else before, as Linux's are, which start it, since
 * it is an idle one.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/causes/scene/build.h"

struct change {
    uint64_t cycle;
    size_t serial;
    uint32_t out, in;
    unsigned cpu;
};

struct changes {
    struct change *list;
    size_t count, room;
};

static int by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void read_changes(struct changes *c, struct recording *r)
{
    struct record k;
    struct recfile f;

    if (!recording_records(r, REC_SWITCH, &f))
        return;
    while (recfile_next(&f, &k)) {
        c->list = grow(c->list, &c->room, c->count + 1, sizeof *c->list);
        c->list[c->count] =
            (struct change){.cycle = k.cycle,
                            .serial = c->count,
                            .out = record_get_switch_out_thread(&k),
                            .in = k.thread,
                            .cpu = k.cpu};
        c->count++;
    }
    recording_done(r, &f);
    if (c->count)
        qsort(c->list, c->count, sizeof *c->list, by_time);
}

/* ---- CPUs that are not released yet --------------------------------------- */

#define TWELFTHS 12

/* How many cycles each CPU was parked before it was released. The whole run is
 * read, even if r is set to a part of it. The caller frees the list. */
static uint64_t *read_parked(struct recording *r)
{
    uint64_t *parked = grow_zero(r->cpus + 1, sizeof *parked), last = 0;
    bool *works = grow_zero(r->cpus + 1, 1), windowed = r->windowed;
    unsigned working = 0;
    struct record k = {.cycle = 0};
    struct recfile f;

    r->windowed = false;
    if (recording_records(r, REC_ORACLE, &f)) {
        bool more = true;

        while ((working < r->cpus || k.cycle <= last) &&
               (more = recfile_next(&f, &k))) {
            if (r->reason_is[record_get_oracle_reason(&k)] == REASON_OFF) {
                parked[k.cpu] += record_get_oracle_twelfths(&k);
            } else if (!works[k.cpu]) {
                works[k.cpu] = true;
                working++;
                last = k.cycle;
            }
        }
        if (more)
            recfile_close(&f);
        else
            recording_done(r, &f);
    }
    r->windowed = windowed;
    for (unsigned cpu = 0; cpu < r->cpus; cpu++)
        parked[cpu] /= TWELFTHS;
    free(works);
    return parked;
}

/* ---- stints -------------------------------------------------------------- */

static unsigned role(const struct scene *s, uint32_t thread, uint64_t cycle)
{
    const struct thread *t = threads_find(&s->r->threads, thread, cycle);

    if (thread == PROBE_NOBODY)
        return THREAD_IS_IDLE;
    return t ? t->is : THREAD_IS_APP;
}

/* Since when the idle thread that ran up to a cycle is one. */
static uint64_t idle_since(const struct scene *s, uint32_t thread,
                           uint64_t cycle)
{
    const struct threads *all = &s->r->threads;
    const struct thread *t = threads_find(all, thread, cycle);

    while (t && t > all->list && t[-1].id == thread) {
        if (t[-1].is != THREAD_IS_IDLE)
            return t->from;
        t--;
    }
    return 0;
}

static void add(struct scene *s, unsigned cpu, uint64_t from, uint64_t to)
{
    if (to <= from)
        return;
    s->stint = grow(s->stint, &s->stints_room, s->stints + 1, sizeof *s->stint);
    s->stint[s->stints++] =
        (struct scene_stint){cpu, from, to, SCENE_NONE, SCENE_NONE};
}

/* Who is next to an idle stint: a thread of the program, or, `daemon`, the
 * kernel's; SCENE_NONE: not known. */
struct neighbour {
    uint32_t thread, daemon;
};

static void meet(const struct scene *s, struct neighbour *n, uint32_t id,
                 uint64_t cycle)
{
    unsigned is = role(s, id, cycle);
    uint32_t thread = scene_thread_of(s, id);

    if (is == THREAD_IS_IDLE || is == THREAD_IS_SAMPLER)
        return;
    if (thread != SCENE_NONE && s->thread[thread].daemon)
        n->daemon = thread;
    else
        n->thread = thread;
}

static uint32_t named(const struct neighbour *n)
{
    return n->thread != SCENE_NONE ? n->thread : n->daemon;
}

/* Who came and who left, of the stints from `first` on, all one CPU's. */
static void name_neighbours(struct scene *s, size_t first,
                            const struct change *c, size_t n)
{
    struct neighbour left = {SCENE_NONE, SCENE_NONE}, came = left;
    size_t k = 0, back = s->stints;

    for (size_t i = first; i < s->stints; i++) {
        for (; k < n && c[k].cycle <= s->stint[i].from; k++)
            meet(s, &left, c[k].out, c[k].cycle);
        s->stint[i].left = named(&left);
    }
    for (k = n; back > first; back--) {
        for (; k && c[k - 1].cycle >= s->stint[back - 1].to; k--)
            meet(s, &came, c[k - 1].in, c[k - 1].cycle);
        s->stint[back - 1].came = named(&came);
    }
}

/* n changes of one CPU, in order, since it was released; none: it never did
 * anything else. */
static void follow(struct scene *s, unsigned cpu, uint64_t released,
                   const struct change *c, size_t n)
{
    size_t first = s->stints;
    uint64_t end = s->r->end;

    if (!n || role(s, c->out, c->cycle) == THREAD_IS_IDLE) {
        uint64_t since = n ? idle_since(s, c->out, c->cycle) : 0;

        add(s, cpu, since > released ? since : released, n ? c->cycle : end);
    }
    for (size_t i = 0; i < n; i++)
        if (role(s, c[i].in, c[i].cycle) == THREAD_IS_IDLE)
            add(s, cpu, c[i].cycle, i + 1 < n ? c[i + 1].cycle : end);
    name_neighbours(s, first, c, n);
}

void scene_read_stints(struct scene *s)
{
    struct changes c = {0};
    uint64_t *parked = read_parked(s->r);
    size_t from = 0;

    read_changes(&c, s->r);
    for (unsigned cpu = 0; cpu < s->r->cpus; cpu++) {
        size_t to = from;

        while (to < c.count && c.list[to].cpu == cpu)
            to++;
        follow(s, cpu, parked[cpu], c.list + from, to - from);
        from = to;
    }
    free(c.list);
    free(parked);
}
