/* timeline.c - from context switches to idle periods. */
#include "tools/analysis/idle/timeline.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"

enum who { WORKER, IDLE, SAMPLER };

/* A context switch, or what of it matters here. */
struct change {
    uint64_t cycle;
    size_t serial;
    uint32_t from, to; /* threads */
    uint8_t cpu, out, in;
};

struct changes {
    struct change *list;
    size_t count, room;
};

static enum who who_is(const struct recording *r, uint32_t thread,
                       uint64_t cycle)
{
    const struct thread *t = threads_find(&r->threads, thread, cycle);

    if (thread == PROBE_NOBODY || (t && t->is == THREAD_IS_IDLE))
        return IDLE;
    return t && t->is == THREAD_IS_SAMPLER ? SAMPLER : WORKER;
}

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
    struct record record;
    struct recfile f;

    if (!recording_records(r, REC_SWITCH, &f))
        return;
    while (recfile_next(&f, &record)) {
        uint32_t out = record_get_switch_out_thread(&record);

        c->list = grow(c->list, &c->room, c->count + 1, sizeof *c->list);
        c->list[c->count] = (struct change){
            .cycle = record.cycle,
            .serial = c->count,
            .from = out,
            .to = record.thread,
            .cpu = (uint8_t)record.cpu,
            .out = (uint8_t)who_is(r, out, record.cycle),
            .in = (uint8_t)who_is(r, record.thread, record.cycle),
        };
        c->count++;
    }
    recording_done(r, &f);
    if (c->count)
        qsort(c->list, c->count, sizeof *c->list, by_time);
}

static struct idle_period *begin(struct timeline *t, unsigned cpu,
                                 uint64_t cycle)
{
    t->period = grow(t->period, &t->room, t->count + 1, sizeof *t->period);
    t->period[t->count] = (struct idle_period){.cpu = cpu,
                                               .from = cycle,
                                               .left = TIMELINE_NOBODY,
                                               .came = TIMELINE_NOBODY};
    t->cpu[cpu].periods++;
    return &t->period[t->count++];
}

/* How much of from to `to` lies in the interval that is reported on. */
static uint64_t inside(const struct recording *r, uint64_t from, uint64_t to)
{
    if (r->windowed && from < r->from)
        from = r->from;
    if (r->windowed && to > r->to)
        to = r->to;
    return to > from ? to - from : 0;
}

/* The last period ends; one that is empty or outside of the interval is none.
 */
static void finish(struct timeline *t, const struct recording *r,
                   struct idle_period *p, uint64_t to)
{
    p->to = to;
    t->cpu[p->cpu].touched |= r->windowed && p->from < to && to == r->from;
    if (!inside(r, p->from, to)) {
        t->cpu[p->cpu].periods--;
        t->count--;
    }
}

static void ran(struct timeline *t, unsigned cpu, uint64_t from, uint64_t to)
{
    if (to <= from)
        return;
    t->stint = grow(t->stint, &t->stints_room, t->stints + 1, sizeof *t->stint);
    t->stint[t->stints++] = (struct idle_stint){cpu, from, to};
}

/* One CPU's changes, in time order, at least one. */
static void follow(struct timeline *t, const struct recording *r,
                   const struct change *c, size_t n)
{
    struct timeline_cpu *cpu = &t->cpu[c->cpu];
    struct idle_period *open = NULL;
    uint32_t worker = TIMELINE_NOBODY; /* the last that ran */
    uint64_t end = r->end;

    cpu->first = t->count;
    cpu->switches = n;
    cpu->known = inside(r, c->cycle, end);
    for (size_t i = 0; i < n; i++) {
        uint64_t next = i + 1 < n ? c[i + 1].cycle : end;

        if (c[i].out == WORKER)
            worker = c[i].from;
        if (open && c[i].in == WORKER) {
            open->came = c[i].to;
            finish(t, r, open, c[i].cycle);
            open = NULL;
        }
        if (!open && c[i].in == IDLE)
            (open = begin(t, c->cpu, c[i].cycle))->left = worker;
        if (open && c[i].in == IDLE) {
            ran(t, c->cpu, c[i].cycle, next);
            open->idle += inside(r, c[i].cycle, next);
            cpu->idle += inside(r, c[i].cycle, next);
        }
    }
    if (open)
        finish(t, r, open, end);
}

void timeline_read(struct timeline *t, struct recording *r)
{
    struct changes c = {0};

    *t = (struct timeline){.cpus = r->cpus, .begin = r->windowed ? r->from : 0};
    t->cpu = grow_zero(r->cpus, sizeof *t->cpu);
    read_changes(&c, r);
    for (size_t from = 0, to; from < c.count; from = to) {
        for (to = from; to < c.count; to++)
            if (c.list[to].cpu != c.list[from].cpu)
                break;
        follow(t, r, &c.list[from], to - from);
    }
    free(c.list);
}

void timeline_free(struct timeline *t)
{
    free(t->cpu);
    free(t->period);
    free(t->stint);
    *t = (struct timeline){0};
}

long timeline_find(const struct timeline *t, unsigned cpu, uint64_t cycle)
{
    const struct timeline_cpu *c = &t->cpu[cpu];
    size_t end = c->first + c->periods, n;

    if (c->touched && cycle == t->begin)
        return -1;
    /* The first period that ends at or after the cycle. */
    n = SEARCH_FIRST(c->first, end, i, t->period[i].to >= cycle);
    if (n < end && t->period[n].from <= cycle)
        return (long)n;
    return -1;
}
