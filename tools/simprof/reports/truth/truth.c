/* truth.c - the report `truth`: how wrong each profile of the run is.
 * Every counter that was sampled and the guest's timer interrupts, against the
 * oracle or against the records' own word for the instruction; by function,
 * line and instruction; intervals, whether they may be believed, and the skid.
 * Idle samples and active time have files of their own.
 */
#include "tools/analysis/profile/accuracy.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/profile/exact_cycles.h"
#include "lib/base/grow.h"
#include "tools/analysis/profile/mark_counts.h"
#include "tools/analysis/profile/sampled.h"
#include "tools/analysis/profile/samples.h"
#include "tools/simprof/report/event_hint.h"
#include "tools/simprof/reports/truth/truth.h"

#define DECREMENTER 0x900
#define PERFMON 0xF00
#define UNJUDGED 9 /* counters of the host, and the guest's */

/* A profile that can be judged. */
struct profile {
    char name[96];
    struct accuracy_source source;
};

struct profiles {
    struct profile *list;
    unsigned count, counters;
    bool others; /* sampled instructions or marks are judged */
    /* What is not judged, and why. */
    char unjudged[UNJUDGED][128];
    unsigned nunjudged;
};

void truth_put_share(struct table *t, double share)
{
    char text[32], csv[32];

    snprintf(text, sizeof text, "%.1f%%", 100 * share);
    snprintf(csv, sizeof csv, "%.4f", share);
    table_both(t, text, csv);
}

/* ---- which profiles ------------------------------------------------------ */

static bool has_interrupts(struct recording *r, uint32_t vector)
{
    struct record record;
    struct recfile f;
    bool found = false;

    if (!recording_records(r, REC_IRQ, &f))
        return false;
    while (!found && recfile_next(&f, &record))
        found = record_get_irq_vector(&record) == vector;
    recfile_close(&f);
    return found;
}

/* Only those that --event names, if it does; the list has room for one more
 * than there are. */
static struct profile *add_profile(struct profiles *p, const struct options *o,
                                   const char *name, enum accuracy_of of,
                                   uint32_t number)
{
    const char *event = o->text[OPTION_BIT_EVENT];
    struct profile *q = &p->list[p->count];

    if (event && strcmp(event, name))
        return q;
    snprintf(q->name, sizeof q->name, "%s", name);
    q->source = (struct accuracy_source){.of = of, .number = number};
    p->count++;
    return q;
}

static void pass_over(struct profiles *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void pass_over(struct profiles *p, const char *format, ...)
{
    va_list args;

    if (p->nunjudged == UNJUDGED)
        return;
    va_start(args, format);
    vsnprintf(p->unjudged[p->nunjudged++], sizeof p->unjudged[0], format, args);
    va_end(args);
}

/* Cycles of the whole run, which is what the machine's counts are of: all but
 * those that CPUs were parked, and of these naps and `system`. */
struct run_cycles {
    uint64_t parked, ran, system;
};

static struct run_cycles run_cycles(struct recording *r)
{
    struct run_cycles c = {0, 0, 0};
    bool windowed = r->windowed;
    struct exact_cycles a;

    r->windowed = false;
    exact_cycles_read(&a, r);
    r->windowed = windowed;
    for (size_t i = 0; i < a.count; i++) {
        const struct exact_cycles_cell *k = &a.cell[i];

        if (k->function == EXACT_CYCLES_PARKED)
            c.parked += k->cycles;
        else
            c.ran += k->cycles;
        if (k->function == EXACT_CYCLES_NAPPING ||
            r->reason_is[k->reason] == REASON_SYSTEM)
            c.system += k->cycles;
    }
    exact_cycles_free(&a);
    return c;
}

/* The same, to half a percent: an instruction in flight when the mode changes
 * has all its cycles in one of them. */
static bool close_to(uint64_t counted, uint64_t cycles)
{
    uint64_t apart = counted > cycles ? counted - cycles : cycles - counted;

    return cycles && apart <= cycles / 200;
}

/* A counter of cycles in one mode. The oracle has no modes. But the machine
 * counted: if everything ran in that mode, or (under --user) it is that of the
 * system, which has reasons of its own, then the oracle knows its cycles. */
static void add_mode(struct profiles *p, struct recording *r,
                     const struct options *o, const struct samples_metric *e)
{
    bool user = !strcmp(strchr(e->name, '.'), ".u");
    struct run_cycles c = run_cycles(r);
    uint64_t counted = 0, expected = user ? c.ran - c.system : c.system;
    enum accuracy_mode mode = user ? ACCURACY_PROGRAM : ACCURACY_SYSTEM;

    for (unsigned cpu = 0; cpu < SAMPLES_CPUS; cpu++)
        counted += e->counted[cpu];
    if (!user) /* as which a parked CPU counts */
        counted -= counted < c.parked ? counted : c.parked;
    if (counted == c.ran)
        mode = ACCURACY_ALL;
    if (!r->ended)
        pass_over(p,
                  "%s: the run did not end, how much of it was in this mode is "
                  "unknown",
                  e->name);
    else if (!counted)
        pass_over(p, "%s: nothing ran in this mode", e->name);
    else if (mode == ACCURACY_ALL || close_to(counted, expected))
        add_profile(p, o, e->name, ACCURACY_CYCLES, e->number)->source.mode =
            mode;
    else
        pass_over(p,
                  "%s: the program ran in both modes, and the oracle does not "
                  "keep them apart",
                  e->name);
}

/* The event that the guest's performance monitor interrupted for, by the log;
 * "": it says several. */
static const char *monitored(struct recording *r)
{
    const char *name = text_lines_get(&r->log, "monitored");

    return name && text_lines_get(&r->log, "monitored-too") ? "" : name;
}

/* The guest's own samples by its performance monitor; for another event than
 * cycles a counter of the host must know where that happened. */
static void add_perfmon(struct profiles *p, struct recording *r,
                        const struct options *o,
                        const struct samples_metrics *m)
{
    const char *name = monitored(r);
    int host;

    if (!name || !*name) {
        pass_over(p, name ? "perfmon: the guest sampled several events, and "
                            "records do not say which one each time"
                          : "perfmon: the log does not say what the guest "
                            "counted");
        return;
    }
    host = samples_metrics_find(m, name);
    if (!strcmp(name, "cycles"))
        add_profile(p, o, "perfmon", ACCURACY_PERFMON, PERFMON)
            ->source.of_tasks = text_lines_get(&r->log, "kernel");
    else if (host > 0 && m->list[host].period)
        add_profile(p, o, "perfmon", ACCURACY_OCCURRED, PERFMON)->source.host =
            m->list[host].number;
    else
        pass_over(p,
                  "perfmon: the guest counted %s; simrun -e %s:PERIOD "
                  "records where that happened",
                  name, name);
}

/* Of sampled instructions and of marks, if there are any. */
static void find_others(struct profiles *p, struct recording *r,
                        const struct options *o)
{
    bool sampled = sampled_period(r) && !sampled_mode(r);
    bool marks = false, slow = false;
    struct mark_counts m;

    if (sampled_mode(r))
        pass_over(p, "sampled instructions are of one state, which the oracle "
                     "does not keep apart: sample both");

    mark_counts_read(&m, r);
    for (size_t i = 0; i < m.marks; i++) {
        marks |= mark_count_executions(&m.mark[i]) && m.mark[i].count;
        slow |= mark_count_thresholds(&m.mark[i]) && m.mark[i].exceeded;
    }
    mark_counts_free(&m);
    if (sampled) {
        add_profile(p, o, "sampled.one", ACCURACY_SAMPLED, ACCURACY_ONE);
        add_profile(p, o, "sampled.in-flight", ACCURACY_SAMPLED,
                    ACCURACY_IN_FLIGHT);
        add_profile(p, o, "sampled.oldest", ACCURACY_SAMPLED, ACCURACY_OLDEST);
    }
    if (marks)
        add_profile(p, o, "marks", ACCURACY_MARKS, 0);
    if (slow)
        add_profile(p, o, "thresholds", ACCURACY_THRESHOLDS, 0);
    if (sampled && marks)
        add_profile(p, o, "sampled.executions", ACCURACY_EXECUTIONS,
                    ACCURACY_ONE);
    p->others = sampled || marks || slow;
}

static void find_profiles(struct profiles *p, struct recording *r,
                          const struct options *o)
{
    struct samples_metrics m;

    samples_metrics_open(&m, r);
    *p = (struct profiles){.list = grow_zero(m.count + 9, sizeof *p->list)};
    for (unsigned k = 0; k < m.count; k++) {
        const struct samples_metric *e = &m.list[k];

        if (k == SAMPLES_EXACT || !e->period)
            continue;
        if (e->cycles && strchr(e->name, '.'))
            add_mode(p, r, o, e);
        else if (++p->counters)
            add_profile(p, o, e->name,
                        e->cycles ? ACCURACY_CYCLES : ACCURACY_EVENTS,
                        e->number);
    }
    if (has_interrupts(r, DECREMENTER))
        add_profile(p, o, "timer", ACCURACY_TIMER, DECREMENTER);
    if (has_interrupts(r, PERFMON))
        add_perfmon(p, r, o, &m);
    find_others(p, r, o);
    samples_metrics_free(&m);
}

bool truth_source(struct recording *r, const struct options *o,
                  const char *name, struct accuracy_source *source)
{
    struct options one = *o;
    struct profiles p;
    bool is;

    one.text[OPTION_BIT_EVENT] = name;
    find_profiles(&p, r, &one);
    is = p.count;
    if (is)
        *source = p.list[0].source;
    free(p.list);
    return is;
}

/* ---- the table of errors ------------------------------------------------- */

/* Has chance a part in it? Counts of marks are exact. */
static bool is_drawn(const struct accuracy *v)
{
    return v->source.of < ACCURACY_MARKS;
}

/* Would a fair sampler of as many samples have an error to compare with? The
 * truth of an event is the samples' own. */
static bool is_fair(const struct accuracy *v)
{
    return v->source.of != ACCURACY_EVENTS && is_drawn(v);
}

static void put_error(struct table *t, const char *profile, const char *by,
                      const struct accuracy *v, const struct accuracy_places *p)
{
    const struct independence *s = &v->serial;
    char z[32];

    table_text(t, profile);
    table_text(t, by);
    table_count(t, v->samples);
    if (v->samples)
        truth_put_share(t, accuracy_error(v, p, false));
    else
        table_both(t, ".", "");
    if (v->samples && accuracy_names(v))
        truth_put_share(t, accuracy_error(v, p, true));
    else
        table_both(t, ".", "");
    if (is_fair(v))
        truth_put_share(t, accuracy_noise(v, p));
    else
        table_both(t, ".", "");
    snprintf(z, sizeof z, "%.1f", s->lag[0].z);
    table_text(t, s->known ? z : "");
    snprintf(z, sizeof z, "%.1f", s->lag[s->worst - 1].z);
    table_text(t, s->known ? z : "");
}

static void put_errors(struct table *t, const struct profile *p,
                       const struct accuracy *v)
{
    put_error(t, p->name, "function", v, &v->function);
    put_error(t, p->name, "line", v, &v->line);
    put_error(t, p->name, "instruction", v, &v->instruction);
}

static void error_columns(struct table *t)
{
    table_column(t, "profile", "counter", 0);
    table_column(t, "by", "by", 0);
    table_column(t, "samples", "samples", TABLE_NUMBER);
    table_column(t, "wrong at\ninterrupt", "error_interrupt", TABLE_NUMBER);
    table_column(t, "wrong at\nrecorded", "error_recorded", TABLE_NUMBER);
    table_column(t, "fair\nsampler", "error_fair", TABLE_NUMBER);
    table_column(t, "", "z_lag1", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "", "z_worst", TABLE_NUMBER | TABLE_CSV);
}

/* ---- shares by function -------------------------------------------------- */

static int by_exact(const void *a, const void *b)
{
    const struct accuracy_place *p = a, *q = b;

    if (p->exact != q->exact)
        return p->exact < q->exact ? 1 : -1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return 0;
}

static void function_columns(struct table *t)
{
    table_column(t, "exact", "exact", TABLE_NUMBER);
    table_column(t, "found", "found", TABLE_NUMBER);
    table_column(t, "95% from", "low", TABLE_NUMBER);
    table_column(t, "to", "high", TABLE_NUMBER);
    table_column(t, "", "inside", 0);
    table_column(t, "function", "function", 0);
}

/* The rows of one profile: what is, what was found, whether the interval of
 * the one holds the other. */
static const char *shares_of(const struct accuracy *v)
{
    switch (v->source.of) {
    case ACCURACY_SAMPLED:
        return "of cycles as they are, and of what sampled instructions are "
               "worth";
    case ACCURACY_EXECUTIONS:
        return "of executions as marks counted them, and of sampled "
               "instructions with these marks";
    case ACCURACY_THRESHOLDS:
        return "of the cycles that marked instructions lost, and of the times "
               "they exceeded their thresholds";
    case ACCURACY_MARKS:
        return "of the cycles of marked instructions, and of their executions";
    default:
        return "as they are and as found where an interrupt meets the program";
    }
}

/* The interval around what was found: samples of different worth are as good
 * as fewer equal ones. Does it hold what is? */
static bool put_interval(struct table *t, const struct accuracy *v, double is,
                         uint64_t met)
{
    uint64_t n = accuracy_effective(v);
    double share = (double)met / (double)v->worth;
    struct accuracy_interval range =
        accuracy_interval((uint64_t)(share * (double)n + 0.5), n);
    bool holds = is >= range.low && is <= range.high;

    if (!is_drawn(v)) {
        table_both(t, ".", "");
        table_both(t, ".", "");
        table_text(t, "");
        return false;
    }
    truth_put_share(t, range.low);
    truth_put_share(t, range.high);
    table_both(t, holds ? "" : "*", holds ? "1" : "0");
    return holds;
}

static void put_functions(struct recording *r, const struct options *o,
                          const struct profile *profile,
                          const struct accuracy *v, FILE *to)
{
    struct table t = {0};
    size_t n = v->worth && v->exact ? v->function.count : 0;
    size_t inside = 0, shown;
    struct accuracy_place *p = grow_zero(n + 1, sizeof *p);

    if (n)
        memcpy(p, v->function.place, n * sizeof *p);
    qsort(p, n, sizeof *p, by_exact);
    shown = o->limit && n > o->limit ? o->limit : n;
    function_columns(&t);
    for (size_t i = 0; i < shown; i++) {
        double is = (double)p[i].exact / (double)v->exact;

        truth_put_share(&t, is);
        truth_put_share(&t, (double)p[i].met / (double)v->worth);
        inside += put_interval(&t, v, is, p[i].met);
        table_text(&t, samples_name(r, p[i].a));
    }
    if (!o->csv)
        report_say(o, to, "\n%s: shares by function, %s", profile->name,
                   shares_of(v));
    report_table(&t, o, to);
    if (!o->csv && is_drawn(v))
        report_say(o, to,
                   "%zu of %zu intervals hold the exact share; * does not.",
                   inside, shown);
    free(p);
}

static void put_serial(const struct options *o, const struct accuracy *v,
                       FILE *to)
{
    const struct independence *s = &v->serial;
    unsigned k = s->worst - 1;

    if (!independence_warns(s)) {
        report_say(o, to,
                   s->known ? "Neighbouring samples agree as independent ones "
                              "would."
                            : "Too few samples differ to tell whether "
                              "neighbours are independent.");
        return;
    }
    report_say(o, to,
               "WARNING: samples are autocorrelated: of those %u apart on a "
               "CPU %.1f%% are in one function, of independent ones %.1f%% "
               "would be (%.1f deviations). The intervals take samples for "
               "independent; where %s.",
               k + 1, 100 * s->lag[k].found, 100 * s->lag[k].expected,
               s->lag[k].z,
               s->lag[k].z > 0 ? "a phase has many in a row they are wider "
                                 "than need be, where sampling resonates with "
                                 "a loop too narrow"
                               : "sampling resonates with a loop they may be "
                                 "too narrow");
}

/* ---- skid ---------------------------------------------------------------- */

static const char *skid_name(const struct accuracy *v, unsigned k, char out[64])
{
    static const char *const far[] = {"farther", "back", "elsewhere"};

    if (!accuracy_interrupts(v->source.of) && k >= ACCURACY_FARTHER)
        return far[k - ACCURACY_FARTHER];
    if (!accuracy_interrupts(v->source.of) || k < 2)
        snprintf(out, 64, "%u", k);
    else
        snprintf(out, 64, "%" PRIu64 " to %" PRIu64, (uint64_t)1 << (k - 1),
                 ((uint64_t)1 << (k - 1)) * 2 - 1);
    return out;
}

static void put_skid(const struct options *o, const struct profile *profile,
                     const struct accuracy *v, FILE *to)
{
    static const char *const from[] = {
        [ACCURACY_CYCLES] =
            "instructions from the last one completed to where an "
            "interrupt meets the program",
        [ACCURACY_EVENTS] =
            "instructions from the event's to where an interrupt "
            "meets the program",
        [ACCURACY_TIMER] =
            "cycles from the interrupt's time until it was taken",
        [ACCURACY_PERFMON] = "cycles from the overflow until it was taken",
        [ACCURACY_OCCURRED] = "cycles from the overflow until it was taken"};
    struct table t = {0};
    uint64_t all = 0;

    for (unsigned k = 0; k < ACCURACY_SKIDS; k++)
        all += v->skid[k];
    if (!all)
        return;
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "share", "percent", TABLE_NUMBER);
    table_column(&t, "behind", "skid", 0);
    for (unsigned k = 0; k < ACCURACY_SKIDS; k++) {
        char text[64];

        if (!v->skid[k])
            continue;
        table_count(&t, v->skid[k]);
        table_percent(&t, v->skid[k], all);
        table_text(&t, skid_name(v, k, text));
    }
    report_say(o, to, "\n%s: skid, %s", profile->name, from[v->source.of]);
    report_table(&t, o, to);
}

/* ---- the report ---------------------------------------------------------- */

static void put_others(const struct options *o, FILE *to)
{
    report_say(o, to,
               "Of sampled instructions those that completed count: as one; by "
               "the cycles from issue to completion (in-flight), of which "
               "instructions side by side have the same; by those since the "
               "completion before (oldest), of which no two are the same. "
               "They, and the executions that marks counted, are held against "
               "the cycles of all, or of the marked, instructions; naps and "
               "system calls made elsewhere are left out. sampled.executions "
               "is held against the marks, thresholds against the cycles in "
               "which a marked instruction kept others from completing.");
}

static void put_text(struct recording *r, const struct options *o,
                     const struct profiles *p, const struct accuracy *v,
                     struct table *errors, FILE *to)
{
    if (!p->counters && !o->text[OPTION_BIT_EVENT])
        report_say(o, to, "No counter was sampled: simrun -e EVENT:PERIOD.");
    for (unsigned k = 0; k < p->nunjudged; k++)
        report_say(o, to, "Not judged: %s.", p->unjudged[k]);
    if (errors->cells)
        report_table(errors, o, to);
    if (p->count)
        report_say(o, to,
                   "wrong: the share of samples in the wrong place. At "
                   "interrupt: where an interrupt at the overflow meets the "
                   "program, as a profiler inside it would see. At recorded: "
                   "the last instruction completed. Fair sampler: what as many "
                   "samples without any skid would have.");
    if (p->others && p->count)
        put_others(o, to);
    for (unsigned k = 0; k < p->count; k++) {
        if (!v[k].worth || !v[k].exact)
            continue;
        put_functions(r, o, &p->list[k], &v[k], to);
        if (v[k].source.of_tasks)
            report_say(o, to,
                       "\n%s: of the tasks that its interrupts met, from the "
                       "first interrupt to the last.",
                       p->list[k].name);
        if (v[k].source.of < ACCURACY_MARKS)
            put_serial(o, &v[k], to);
        put_skid(o, &p->list[k], &v[k], to);
    }
    truth_put_idle(r, o, to);
    if (!o->text[OPTION_BIT_EVENT])
        truth_put_active(r, o, to);
}

static bool refuse_event(struct recording *r, const struct options *o,
                         const struct profiles *p)
{
    const char *event = o->text[OPTION_BIT_EVENT];
    char near[DID_YOU_MEAN_TEXT];

    if (!event || p->count || !strcmp(event, "to-idle") ||
        !strcmp(event, "to-idle-causes") || !strcmp(event, "from-idle"))
        return false;
    event_hint(r, event, false, near);
    report_refuse(o, "--event=%s: there is no such profile%s", event,
                  *near ? near : "; without --event all are shown");
    return true;
}

/* Samples are held against exact cycles of the same time, and those come in
 * whole intervals. Where none ends nothing is held against any. */
static void choose_interval(struct recording *r)
{
    uint64_t from = r->from, to = r->to;

    /* Of a run without an end samples may stand behind the last one. */
    if ((r->windowed || !r->ended) && recording_intervals(r, &from, &to))
        recording_within(r, from, to);
}

void report_truth(struct recording *r, const struct options *o, FILE *to)
{
    struct table errors = {0};
    struct sources *lines = sources_new(r);
    struct profiles p;
    struct accuracy *v;

    choose_interval(r);
    find_profiles(&p, r, o);
    v = grow_zero(p.count + 1, sizeof *v);
    error_columns(&errors);
    for (unsigned k = 0; k < p.count; k++) {
        accuracy_read(&v[k], r, &p.list[k].source, lines);
        put_errors(&errors, &p.list[k], &v[k]);
    }
    if (!o->text[OPTION_BIT_EVENT])
        truth_idle_rows(r, &errors);
    if (refuse_event(r, o, &p)) {
        table_free(&errors);
    } else if (!o->csv) {
        report_head(r, "how wrong the profiles are", to);
        report_interval(r, o, to);
        put_text(r, o, &p, v, &errors, to);
    } else if (o->text[OPTION_BIT_EVENT] && !p.count) {
        truth_put_idle(r, o, to);
    } else if (o->text[OPTION_BIT_EVENT]) {
        put_functions(r, o, &p.list[0], &v[0], to);
    } else {
        report_table(&errors, o, to);
    }
    table_free(&errors);
    for (unsigned k = 0; k < p.count; k++)
        accuracy_free(&v[k]);
    free(v);
    free(p.list);
    sources_free(lines);
}
