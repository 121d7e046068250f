/* slices_threads.c - see slices_threads.h. */
#include "tools/simprof/reports/html/slices_threads.h"

#include "tools/analysis/states/micro.h"
#include "tools/analysis/states/spans.h"
#include "tools/simprof/reports/html/deflated.h"

#define FIELDS (MICRO_TIMES + 1)

struct adding {
    const struct slices *slices;
    struct slice_sums sums;
    json_t *threads;
    struct hash at;
};

static uint32_t number_of(struct adding *a, uint32_t thread)
{
    bool fresh;
    uint32_t *n = hash_at(&a->at, thread, &fresh);

    if (fresh) {
        *n = (uint32_t)json_array_size(a->threads);
        json_array_append_new(a->threads, json_integer(thread));
    }
    return *n;
}

static void add_state(struct adding *a, const struct spans_event *e)
{
    const struct slices *s = a->slices;
    uint32_t what = number_of(a, e->thread) * FIELDS +
                    micro_time_of(micro_of(e->state, e->vector));
    uint64_t from = e->from > s->edge[0] ? e->from : s->edge[0];
    uint64_t to = e->to < s->edge[s->count] ? e->to : s->edge[s->count];

    for (uint64_t until; from < to; from = until) {
        until = s->edge[slices_at(s, from) + 1];
        until = until < to ? until : to;
        slice_sums_add(&a->sums, what, from, until - from);
    }
}

json_t *html_threads(struct recording *r, const struct sliced *sliced)
{
    struct adding a = {.slices = &sliced->slices, .threads = json_array()};
    struct spans spans;
    struct spans_event e;
    json_t *is;

    slice_sums_open(&a.sums, a.slices);
    spans_open(&spans, r);
    while (spans_next(&spans, &e))
        if (e.is == SPANS_STATE)
            add_state(&a, &e);
    spans_close(&spans);
    for (size_t i = 0; i < sliced->ran.count; i++) {
        const struct slice_sum *k = &sliced->ran.list[i];
        const uint32_t *n = hash_find(&a.at, sliced->thread[k->what]);

        if (n)
            slice_sums_add(&a.sums, *n * FIELDS + MICRO_TIMES,
                           a.slices->edge[k->slice], k->n);
    }
    slice_sums_sort(&a.sums);
    is = json_pack("{s:o, s:o}", "threads", a.threads, "sums",
                   html_packed(&a.sums));
    slice_sums_free(&a.sums);
    hash_free(&a.at);
    return is;
}
