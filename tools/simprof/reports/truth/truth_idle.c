/* truth_idle.c - idle samples against the context switches, and idle time
 * against the oracle. */
#include "tools/analysis/idle/accuracy_idle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/idle/idle.h"
#include "lib/base/text.h"
#include "tools/analysis/profile/accuracy.h"
#include "tools/simprof/reports/truth/truth.h"

/* fair below 0: there is nothing that a fair sampler would have. */
static void put_row(struct table *t, const char *name, const char *by,
                    uint64_t samples, double error, double fair)
{
    table_text(t, name);
    table_text(t, by);
    table_count(t, samples);
    truth_put_share(t, error);
    table_both(t, ".", "");
    if (fair < 0)
        table_both(t, ".", "");
    else
        truth_put_share(t, fair);
    table_text(t, "");
    table_text(t, "");
}

static void put_rows(struct table *t, const char *name, const char *by,
                     const struct truth_transition *v)
{
    uint64_t all = accuracy_idle_whole(v);
    char text[32];

    if (!all)
        return;
    if (v->samples)
        put_row(t, name, by, v->samples,
                (double)(v->wrong + v->outside) / (double)v->samples, -1);
    snprintf(text, sizeof text, "%s share", by + strlen("each "));
    put_row(t, name, text, all, accuracy_idle_error(v, false),
            accuracy_idle_noise(v));
    snprintf(text, sizeof text, "%s cycles", by + strlen("each "));
    put_row(t, name, text, all, accuracy_idle_error(v, true), -1);
}

void truth_idle_rows(struct recording *r, struct table *t)
{
    struct accuracy_idle v;

    accuracy_idle_read(&v, r);
    put_rows(t, "to-idle", "each thread", &v.to);
    put_rows(t, "to-idle", "each cause", &v.cause);
    put_rows(t, "from-idle", "each thread", &v.from);
    accuracy_idle_free(&v);
}

/* ---- text ---------------------------------------------------------------- */

static void put_thread(struct table *t, struct recording *r, uint32_t thread)
{
    const struct thread *who = threads_find(&r->threads, thread, r->end);
    char text[96];

    if (thread == TIMELINE_NOBODY)
        snprintf(text, sizeof text, "not known");
    else
        snprintf(text, sizeof text, "%" PRIu32 " %.80s", thread,
                 who ? who->name : "");
    table_text(t, text);
}

static void put_cause(struct table *t, struct recording *r,
                      const struct accuracy_idle *all, uint32_t cause)
{
    char text[512];

    accuracy_idle_name(all, r, cause, text, sizeof text);
    table_text(t, text);
}

/* exact below 0: an idle interrupt without a sample is no cause. */
struct shares {
    double exact, found, explained;
    struct accuracy_interval range;
};

static bool put_shares(struct table *t, const struct shares *s)
{
    bool holds = s->exact >= s->range.low && s->exact <= s->range.high;

    if (s->exact < 0)
        table_both(t, ".", "");
    else
        truth_put_share(t, s->exact);
    truth_put_share(t, s->found);
    truth_put_share(t, s->range.low);
    truth_put_share(t, s->range.high);
    if (s->exact < 0) {
        table_text(t, "");
        table_both(t, ".", "");
    } else {
        table_both(t, holds ? "" : "*", holds ? "1" : "0");
        truth_put_share(t, s->explained);
    }
    return holds;
}

static void put_columns(struct table *t, bool causes)
{
    table_column(t, "exact", "exact", TABLE_NUMBER);
    table_column(t, "samples", "samples", TABLE_NUMBER);
    table_column(t, "95% from", "low", TABLE_NUMBER);
    table_column(t, "to", "high", TABLE_NUMBER);
    table_column(t, "", "inside", 0);
    table_column(t, "explained\ncycles", "explained", TABLE_NUMBER);
    table_column(t, causes ? "stack" : "thread", causes ? "stack" : "thread",
                 causes ? TABLE_WRAP : 0);
}

/* A row each of the first `shown` of the list; returns how many of the
 * intervals hold. */
static size_t put_idlers(struct table *t, struct recording *r,
                         const struct accuracy_idle *all,
                         const struct truth_transition *v, size_t shown)
{
    struct accuracy_interval *range = grow_zero(shown + 1, sizeof *range);
    uint32_t *who = grow_zero(shown + 1, sizeof *who);
    size_t inside = 0;

    for (size_t i = 0; i < shown; i++)
        who[i] = v->list[i].who;
    resample_intervals(&v->draws, who, shown, range);
    for (size_t i = 0; i < shown; i++) {
        const struct truth_idler *p = &v->list[i];
        double exact = (double)v->exact;

        inside += put_shares(
            t, &(struct shares){(double)p->exact / exact,
                                (double)p->samples /
                                    (double)accuracy_idle_whole(v),
                                (double)p->explained / exact, range[i]});
        if (v == &all->cause)
            put_cause(t, r, all, p->who);
        else
            put_thread(t, r, p->who);
    }
    free(range);
    free(who);
    return inside;
}

static void put_unsampled(struct table *t, const struct truth_transition *v)
{
    for (unsigned i = 1; i < IDLE_REASONS; i++) {
        struct shares s = {-1, 0, 0, {0, 1}};
        uint32_t what = IDLE_UNSAMPLED(i);

        if (!v->unsampled[i])
            continue;
        s.found = (double)v->unsampled[i] / (double)accuracy_idle_whole(v);
        resample_intervals(&v->draws, &what, 1, &s.range);
        put_shares(t, &s);
        table_text(t, idle_reason_text(i));
    }
}

static void put_transition(struct recording *r, const struct options *o,
                           const char *name, const char *title,
                           const struct accuracy_idle *all,
                           const struct truth_transition *v, FILE *to)
{
    bool causes = v == &all->cause;
    const char *event = o->text[OPTION_BIT_EVENT];
    size_t shown = o->limit && v->count > o->limit ? o->limit : v->count;
    struct table t = {0};
    size_t inside;

    if (!accuracy_idle_whole(v) || !v->exact || (event && strcmp(event, name)))
        return;
    put_columns(&t, causes);
    inside = put_idlers(&t, r, all, v, shown);
    put_unsampled(&t, v);
    if (!o->csv)
        report_say(o, to, "\n%s: %s", name, title);
    report_table(&t, o, to);
    if (o->csv)
        return;
    report_say(o, to,
               "%zu of %zu intervals hold the exact share; * does not. %" PRIu64
               " of %" PRIu64 " samples name another %s than the context "
               "switches do, %" PRIu64 " lie in no idle period; %" PRIu64
               " of %" PRIu64 " periods were sampled.",
               inside, shown, v->wrong, v->samples, causes ? "stack" : "thread",
               v->outside, v->sampled, v->periods);
    if (v->unmonitored)
        report_say(o, to,
                   "Of the wrong ones %" PRIu64 " came where a daemon had run "
                   "last, which the guest does not monitor: such a sample "
                   "names the last thread that it does.",
                   v->unmonitored);
}

static void put_cpus(const struct options *o, const struct accuracy_idle *v,
                     FILE *to)
{
    struct table t = {0};

    table_column(&t, "CPU", "cpu", TABLE_NUMBER);
    table_column(&t, "idle by\nswitches", "switches", TABLE_NUMBER);
    table_column(&t, "idle by\nthe oracle", "oracle", TABLE_NUMBER);
    table_column(&t, "residual", "residual", TABLE_NUMBER);
    table_column(&t, "share", "share", TABLE_NUMBER);
    for (unsigned i = 0; i < v->cpus; i++) {
        const struct accuracy_idle_cpu *c = &v->cpu[i];
        bool less = c->switches < c->oracle;
        uint64_t apart =
            less ? c->oracle - c->switches : c->switches - c->oracle;
        char number[TEXT_NUMBER], text[TEXT_NUMBER + 1];

        table_count(&t, i);
        table_count(&t, c->switches);
        table_count(&t, c->oracle);
        snprintf(text, sizeof text, "%s%s",
                 !apart ? ""
                 : less ? "-"
                        : "+",
                 text_count(number, apart));
        table_text(&t, text);
        table_percent(&t, apart, c->oracle);
    }
    report_say(o, to,
               "\nIdle cycles: of the idle report, from context "
               "switches, and the oracle's of the idle threads");
    report_table(&t, o, to);
    report_say(o, to,
               "What an idle thread ran before its CPU's first switch "
               "only the oracle has.");
}

void truth_put_idle(struct recording *r, const struct options *o, FILE *to)
{
    struct accuracy_idle v;

    accuracy_idle_read(&v, r);
    put_transition(r, o, "to-idle",
                   "shares of idle cycles by the thread that left a "
                   "CPU idle, as they are and as samples and the periods that "
                   "they explain have them",
                   &v, &v.to, to);
    put_transition(r, o, "to-idle-causes",
                   "shares of idle cycles by the stack of the thread that left "
                   "a CPU idle, from the caller of the scheduler on",
                   &v, &v.cause, to);
    put_transition(r, o, "from-idle",
                   "shares of idle cycles by the thread that ended "
                   "them",
                   &v, &v.from, to);
    if (accuracy_idle_whole(&v.to) && !o->csv) {
        report_say(o, to,
                   "Samples of to-idle are of all sample interrupts that found "
                   "a CPU idle, "
                   "or at a sample of that; intervals by drawing idle periods "
                   "again. Explained: of all idle cycles, in periods whose "
                   "first sample names it. Samples of from-idle are of those, "
                   "one an idle period: there long periods count as one.");
        if (idle_restarts(r))
            report_say(o, to, "%s", idle_restarts_text);
    }
    if (v.to.periods && !o->text[OPTION_BIT_EVENT])
        put_cpus(o, &v, to);
    accuracy_idle_free(&v);
}
