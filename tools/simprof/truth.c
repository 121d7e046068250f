/* truth.c - the report `truth`: how wrong each profile of the run is.
 * Every counter that was sampled, against the oracle or against the records'
 * own word for the instruction; by function and by instruction; and the skid.
 */
#include "tools/lib/truth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/samples.h"
#include "tools/simprof/report.h"

static void put_share(struct table *t, double share)
{
    char text[32], csv[32];

    snprintf(text, sizeof text, "%.1f%%", 100 * share);
    snprintf(csv, sizeof csv, "%.4f", share);
    table_both(t, text, csv);
}

static void put_error(struct table *t, const char *counter, const char *by,
                      const struct truth *v, const struct truth_places *p)
{
    table_text(t, counter);
    table_text(t, by);
    table_count(t, v->samples);
    put_share(t, truth_error(v, p, false));
    if (v->cycles)
        put_share(t, truth_error(v, p, true));
    else
        table_both(t, ".", "");
    if (v->cycles)
        put_share(t, truth_noise(v, p));
    else
        table_both(t, ".", "");
}

static int by_exact(const void *a, const void *b)
{
    const struct truth_place *p = a, *q = b;

    if (p->exact != q->exact)
        return p->exact < q->exact ? 1 : -1;
    if (p->function != q->function)
        return p->function < q->function ? -1 : 1;
    return 0;
}

/* The rows of one counter: what is, what was found, whether the interval of
 * the one holds the other. */
static void put_functions(struct recording *r, const struct options *o,
                          const char *counter, const struct truth *v, FILE *to)
{
    struct table t = {0};
    size_t n = v->function.count, inside = 0, shown;
    struct truth_place *p = malloc(n * sizeof *p + 1);

    if (!p)
        return;
    memcpy(p, v->function.place, n * sizeof *p);
    qsort(p, n, sizeof *p, by_exact);
    shown = o->limit && n > o->limit ? o->limit : n;
    table_column(&t, "exact", "exact", TABLE_NUMBER);
    table_column(&t, "found", "found", TABLE_NUMBER);
    table_column(&t, "+-95%", "margin", TABLE_NUMBER);
    table_column(&t, "", "inside", 0);
    table_column(&t, "function", "function", 0);
    for (size_t i = 0; i < n; i++) {
        double is = (double)p[i].exact / (double)v->exact;
        double found = (double)p[i].met / (double)v->samples;
        double margin = truth_margin(found, v->samples);
        bool holds = is >= found - margin && is <= found + margin;

        if (i >= shown)
            continue;
        inside += holds;
        put_share(&t, is);
        put_share(&t, found);
        put_share(&t, margin);
        table_both(&t, holds ? "" : "*", holds ? "1" : "0");
        table_text(&t, samples_name(r, p[i].function));
    }
    report_say(o, to,
               "\n%s: shares by function, as they are and as found "
               "where an interrupt meets the program",
               counter);
    report_table(&t, o, to);
    report_say(o, to, "%zu of %zu intervals hold the exact share; * does not.",
               inside, shown);
    table_free(&t);
    free(p);
}

static void put_skid(const struct options *o, const char *counter,
                     const struct truth *v, FILE *to)
{
    static const char *const far[] = {"farther", "back", "elsewhere"};
    struct table t = {0};
    uint64_t all = 0;

    for (unsigned k = 0; k < TRUTH_SKIDS; k++)
        all += v->skid[k];
    if (!all)
        return;
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "share", "percent", TABLE_NUMBER);
    table_column(&t, "instructions behind", "skid", 0);
    for (unsigned k = 0; k < TRUTH_SKIDS; k++) {
        char text[16];

        if (!v->skid[k])
            continue;
        snprintf(text, sizeof text, "%u", k);
        table_count(&t, v->skid[k]);
        table_percent(&t, v->skid[k], all);
        table_text(&t, k < TRUTH_FARTHER ? text : far[k - TRUTH_FARTHER]);
    }
    report_say(o, to,
               "\n%s: skid from the %s to where an interrupt meets the "
               "program",
               counter,
               v->cycles ? "last instruction completed"
                         : "event's instruction");
    report_table(&t, o, to);
    table_free(&t);
}

static void put_details(struct recording *r, const struct options *o,
                        const struct samples_metrics *m, FILE *to)
{
    for (unsigned k = 0; k < m->count; k++) {
        const struct samples_metric *e = &m->list[k];
        struct truth v;

        if (k == SAMPLES_EXACT || !e->period)
            continue;
        truth_read(&v, r, e->number, e->cycles);
        if (v.samples && v.exact) {
            put_functions(r, o, e->name, &v, to);
            put_skid(o, e->name, &v, to);
        }
        truth_free(&v);
    }
}

void report_truth(struct recording *r, const struct options *o, FILE *to)
{
    struct samples_metrics m;
    struct table t = {0};
    unsigned counters = 0;

    samples_metrics_open(&m, r);
    table_column(&t, "counter", "counter", 0);
    table_column(&t, "by", "by", 0);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "wrong at\ninterrupt", "error_interrupt", TABLE_NUMBER);
    table_column(&t, "wrong at\nrecorded", "error_recorded", TABLE_NUMBER);
    table_column(&t, "fair\nsampler", "error_fair", TABLE_NUMBER);
    for (unsigned k = 0; k < m.count; k++) {
        const struct samples_metric *e = &m.list[k];
        struct truth v;

        if (k == SAMPLES_EXACT || !e->period)
            continue;
        truth_read(&v, r, e->number, e->cycles);
        put_error(&t, e->name, "function", &v, &v.function);
        put_error(&t, e->name, "instruction", &v, &v.instruction);
        truth_free(&v);
        counters++;
    }
    if (!o->csv) {
        report_head(r, "how wrong the profiles are", to);
        report_interval(r, o, to);
    }
    if (!counters && !o->csv)
        report_say(o, to, "No counter was sampled: simrun -e EVENT:PERIOD.");
    if (counters || o->csv)
        report_table(&t, o, to);
    if (counters && !o->csv) {
        report_say(o, to,
                   "wrong: the share of samples in the wrong place. At "
                   "interrupt: where an interrupt at the overflow meets the "
                   "program, as a profiler inside it would see. At recorded: "
                   "the last instruction completed. Fair sampler: what as many "
                   "samples without any skid would have.");
        put_details(r, o, &m, to);
    }
    table_free(&t);
    samples_metrics_free(&m);
}
