/* truth_idle.c - idle samples against the context switches, and idle time
 * against the oracle. */
#include "tools/lib/truth_idle.h"

#include <inttypes.h>
#include <string.h>

#include "tools/lib/idle.h"
#include "tools/lib/text.h"
#include "tools/lib/truth.h"
#include "tools/simprof/truth.h"

static void put_row(struct table *t, const char *name, const char *by,
                    uint64_t samples, double error)
{
    table_text(t, name);
    table_text(t, by);
    table_count(t, samples);
    truth_put_share(t, error);
    for (int i = 0; i < 2; i++)
        table_both(t, ".", "");
    table_text(t, "");
    table_text(t, "");
}

static void put_rows(struct table *t, const char *name, const char *by,
                     const struct truth_transition *v)
{
    char text[32];

    if (!v->samples)
        return;
    put_row(t, name, by, v->samples,
            (double)(v->wrong + v->outside) / (double)v->samples);
    snprintf(text, sizeof text, "%s share", by + strlen("each "));
    put_row(t, name, text, v->samples, truth_idle_error(v, false));
    snprintf(text, sizeof text, "%s cycles", by + strlen("each "));
    put_row(t, name, text, v->samples, truth_idle_error(v, true));
}

void truth_idle_rows(struct recording *r, struct table *t)
{
    struct truth_idle v;

    truth_idle_read(&v, r);
    put_rows(t, "to-idle", "each thread", &v.to);
    put_rows(t, "to-idle", "each cause", &v.cause);
    put_rows(t, "from-idle", "each thread", &v.from);
    truth_idle_free(&v);
}

/* ---- text --------------------------------------------------------------- */

static void put_thread(struct table *t, struct recording *r, uint32_t thread)
{
    const struct thread *who = threads_find(&r->threads, thread, r->end);
    char text[96];

    if (thread == TIMELINE_NOBODY)
        snprintf(text, sizeof text, "nobody known");
    else
        snprintf(text, sizeof text, "%" PRIu32 " %.80s", thread,
                 who ? who->name : "");
    table_text(t, text);
}

static void put_cause(struct table *t, struct recording *r,
                      const struct truth_idle *all, uint32_t cause)
{
    char text[512];

    truth_idle_name(all, r, cause, text, sizeof text);
    table_text(t, text);
}

static void put_transition(struct recording *r, const struct options *o,
                           const char *name, const char *title,
                           const struct truth_idle *all,
                           const struct truth_transition *v, FILE *to)
{
    bool causes = v == &all->cause;
    const char *event = o->text[OPTION_BIT_EVENT];
    size_t shown = o->limit && v->count > o->limit ? o->limit : v->count;
    struct table t = {0};
    size_t inside = 0;

    if (!v->samples || (event && strcmp(event, name)))
        return;
    table_column(&t, "exact", "exact", TABLE_NUMBER);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "95% from", "low", TABLE_NUMBER);
    table_column(&t, "to", "high", TABLE_NUMBER);
    table_column(&t, "", "inside", 0);
    table_column(&t, "explained\ncycles", "explained", TABLE_NUMBER);
    table_column(&t, causes ? "stack" : "thread", causes ? "stack" : "thread",
                 causes ? TABLE_WRAP : 0);
    for (size_t i = 0; i < shown; i++) {
        const struct truth_idler *p = &v->list[i];
        double is = (double)p->exact / (double)v->exact;
        struct truth_interval range = truth_interval(p->samples, v->samples);
        bool holds = is >= range.low && is <= range.high;

        inside += holds;
        truth_put_share(&t, is);
        truth_put_share(&t, (double)p->samples / (double)v->samples);
        truth_put_share(&t, range.low);
        truth_put_share(&t, range.high);
        table_both(&t, holds ? "" : "*", holds ? "1" : "0");
        truth_put_share(
            &t, v->explained ? (double)p->explained / (double)v->explained : 0);
        if (causes)
            put_cause(&t, r, all, p->who);
        else
            put_thread(&t, r, p->who);
    }
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

static void put_cpus(const struct options *o, const struct truth_idle *v,
                     FILE *to)
{
    struct table t = {0};

    table_column(&t, "CPU", "cpu", TABLE_NUMBER);
    table_column(&t, "idle by\nswitches", "switches", TABLE_NUMBER);
    table_column(&t, "idle by\nthe oracle", "oracle", TABLE_NUMBER);
    table_column(&t, "residual", "residual", TABLE_NUMBER);
    table_column(&t, "share", "share", TABLE_NUMBER);
    for (unsigned i = 0; i < v->cpus; i++) {
        const struct truth_idle_cpu *c = &v->cpu[i];
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
    struct truth_idle v;

    truth_idle_read(&v, r);
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
    if (v.to.samples && !o->csv && idle_restarts(r))
        report_say(o, to, "%s", idle_restarts_text);
    if (v.to.periods && !o->text[OPTION_BIT_EVENT])
        put_cpus(o, &v, to);
    truth_idle_free(&v);
}
