/* slices_truth.c - see slices_truth.h. */
#include "tools/simprof/reports/html/slices_truth.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/profile/exact_cycles.h"
#include "tools/analysis/profile/samples.h"
#include "tools/simprof/reports/html/deflated.h"
#include "tools/simprof/reports/truth/truth.h"

enum { NAMED, MET, WHICH };

void html_truth_open(struct html_truth *t, struct recording *r,
                     const struct options *o)
{
    struct accuracy_source source;
    struct samples_metrics m;

    *t = (struct html_truth){.counters = 0};
    samples_metrics_open(&m, r);
    for (unsigned i = SAMPLES_EXACT + 1; i < m.count && i <= HTML_JUDGED; i++) {
        unsigned n = t->counters;

        if (!m.list[i].period || !truth_source(r, o, m.list[i].name, &source))
            continue;
        snprintf(t->name[n], sizeof t->name[n], "%.90s", m.list[i].name);
        t->number[n] = source.number;
        t->account[n] = source.of == ACCURACY_CYCLES;
        t->mode[n] = source.mode;
        t->counters++;
    }
    samples_metrics_free(&m);
}

static uint32_t function_of(struct html_truth *t, struct recording *r,
                            uint32_t pc, const struct record *s)
{
    uint32_t is = record_get_profile_flags(s) & PROFILE_NAPPING
                      ? EXACT_CYCLES_NAPPING
                      : loadmap_find(&r->map, pc, s->cycle).function;
    bool fresh;
    uint32_t *n = hash_at(&t->at, is, &fresh);

    if (fresh) {
        *n = (uint32_t)t->functions;
        t->function =
            grow(t->function, &t->room, t->functions + 1, sizeof *t->function);
        t->function[t->functions++] = is;
    }
    return *n;
}

/* Functions are not all known yet: by function, counter and which. */
static void add_sample(struct html_truth *t, struct recording *r,
                       const struct record *s)
{
    for (unsigned k = 0; k < t->counters; k++) {
        uint32_t named, met;

        if (t->number[k] != record_get_profile_counter(s))
            continue;
        named = function_of(t, r, record_get_profile_pc(s), s);
        met = function_of(t, r, record_get_profile_interrupted(s), s);
        slice_sums_add(&t->sums, (named * t->counters + k) * WHICH + NAMED,
                       s->cycle, 1);
        slice_sums_add(&t->sums, (met * t->counters + k) * WHICH + MET,
                       s->cycle, 1);
    }
}

void html_truth_read(struct html_truth *t, struct recording *r,
                     const struct slices *slices)
{
    uint64_t begin = slices->edge[0], end = slices->edge[slices->count];
    uint64_t from = begin, to = end;
    struct recfile f;
    struct record s;

    slice_sums_open(&t->sums, slices);
    if (recording_intervals(r, &from, &to)) {
        t->begins = from == begin;
        t->ends = to == end;
    }
    if (!t->counters || !recording_records(r, REC_PROFILE, &f))
        return;
    while (recfile_next(&f, &s))
        add_sample(t, r, &s);
    recording_done(r, &f);
    slice_sums_sort(&t->sums);
}

void html_truth_free(struct html_truth *t)
{
    slice_sums_free(&t->sums);
    hash_free(&t->at);
    free(t->function);
}

json_t *html_truth_json(const struct html_truth *t, const struct recording *r,
                        uint32_t (*number)(void *arg, uint32_t function),
                        void *arg)
{
    json_t *judged = json_array(), *functions = json_array();
    json_t *system = json_array();

    for (unsigned k = 0; k < t->counters; k++)
        json_array_append_new(judged,
                              json_pack("[s, i]", t->name[k],
                                        t->account[k] ? (int)t->mode[k] : -1));
    for (size_t n = 0; n < t->functions; n++)
        json_array_append_new(functions,
                              json_integer(number(arg, t->function[n])));
    for (unsigned k = 0; k < r->reasons; k++)
        json_array_append_new(system,
                              json_boolean(r->reason_is[k] == REASON_SYSTEM));
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:b}", "judged", judged,
                     "functions", functions, "sums", html_packed(&t->sums),
                     "system", system, "begins", t->begins, "ends", t->ends);
}
