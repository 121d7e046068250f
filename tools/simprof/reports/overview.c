/* overview.c - the reports `overview` and `metrics`: the run at a glance, and
 * what there is to ask for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/query/fields.h"
#include "lib/base/text.h"
#include "lib/elf/demangle.h"
#include "tools/simprof/view/group.h"

static const struct {
    const char *name, *text;
} events[] = {
#define EVENT(name, kind, owner, data, pmc1, pmc2, pmc3, pmc4, unit, text)     \
    {#name, text},
#include "pmu/events.def"
#undef EVENT
};

/* The sentence of a metric: its event's. */
static const char *meaning(const char *metric)
{
    size_t n = strcspn(metric, ".#");

    if (!strcmp(metric, "exact"))
        return "processor cycles, every one accounted for";
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (strlen(events[i].name) == n && !strncmp(events[i].name, metric, n))
            return events[i].text;
    return "";
}

/* ---- metrics ------------------------------------------------------------- */

static void put_metric(struct table *t, const struct samples_metric *m,
                       bool exact)
{
    uint64_t counted = exact ? m->total : 0;

    table_text(t, m->name);
    table_text(t, exact ? "e" : "e i a");
    table_text(t, m->cycles ? ". + %" : "+ %");
    table_dotted(t, m->total);
    for (unsigned cpu = 0; !exact && cpu < SAMPLES_CPUS; cpu++)
        counted += m->counted[cpu];
    table_count(t, counted);
    table_dotted(t, m->samples);
    table_dotted(t, m->period);
    table_text(t, meaning(m->name));
}

static void print_metrics(const struct samples_metrics *m,
                          const struct options *o, FILE *to)
{
    struct table t = {0};

    table_column(&t, "metric", "metric", 0);
    table_column(&t, "flavors", "flavors", 0);
    table_column(&t, "looks", "looks", 0);
    table_column(&t, "total", "total", TABLE_NUMBER);
    table_column(&t, "", "counted", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "one in", "period", TABLE_NUMBER);
    table_column(&t, "counts", "counts", TABLE_WRAP);
    for (unsigned i = 0; i < m->count; i++)
        put_metric(&t, &m->list[i], i == SAMPLES_EXACT);
    report_table(&t, o, to);
}

static void print_fields(const struct options *o, FILE *to)
{
    const char *name, *text;
    struct table t = {0};

    fputs("\nFields of --filters and --index (docs/expressions.md):\n", to);
    table_column(&t, "field", "field", 0);
    table_column(&t, "is", "is", TABLE_WRAP);
    for (int i = 0; (name = field_name(i, &text)); i++) {
        table_text(&t, name);
        table_text(&t, text);
    }
    table_text(&t, "\"f\" in stack");
    table_text(&t, "a function of that name is on the stack");
    report_table(&t, o, to);
}

static uint64_t one_key(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    (void)frame;
    return 0;
}

static void one_name(void *arg, const struct samples_frame *frame,
                     char out[GROUP_NAME])
{
    (void)arg;
    (void)frame;
    snprintf(out, GROUP_NAME, "all");
}

void report_metrics(struct recording *r, const struct options *o, FILE *to)
{
    struct grouping by = {one_key, one_name, NULL, true};
    struct group g;

    if (!group_open(&g, r, o, &by, 1 << FLAVOR_EXCLUSIVE))
        return;
    if (!o->csv) {
        report_head(r, "metrics", to);
        selection_say(&g.selection, o, to);
    }
    print_metrics(&g.samples.metric, o, to);
    if (!o->csv) {
        report_say(o, to,
                   "\nA column is flavors (e exclusive, i inclusive, a "
                   "attributed), looks (. time, + count, %% of the total, ! "
                   "not shown), metric: --metrics=e.+exact:i%%%s, "
                   "--sort=e.exact.",
                   g.samples.metric.count > 1 ? g.samples.metric.list[1].name
                                              : "cycles");
        print_fields(o, to);
    }
    group_close(&g);
}

/* ---- overview ------------------------------------------------------------ */

static uint64_t by_function(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

static void function_name(void *arg, const struct samples_frame *frame,
                          char out[GROUP_NAME])
{
    demangled_fit(samples_name(arg, frame->function), out, GROUP_NAME);
}

/* Cycles of a CPU by what it did. */
static void put_cpu(struct table *t, const struct exact_cycles *a, long cpu,
                    const char *name)
{
    uint64_t all = 0, napped = 0, parked = 0;

    for (size_t i = 0; i < a->count; i++) {
        const struct exact_cycles_cell *c = &a->cell[i];

        if (cpu >= 0 && c->cpu != cpu)
            continue;
        all += c->cycles;
        napped += c->function == EXACT_CYCLES_NAPPING ? c->cycles : 0;
        parked += c->function == EXACT_CYCLES_PARKED ? c->cycles : 0;
    }
    table_count(t, all);
    table_percent(t, all - napped - parked, all);
    table_percent(t, napped, all);
    table_percent(t, parked, all);
    table_text(t, name);
}

static void print_cpus(const struct group *g, FILE *to)
{
    const struct exact_cycles *a = &g->samples.account;
    struct table t = {0};

    table_column(&t, "exact\ncycles", "cycles", TABLE_NUMBER);
    table_column(&t, "\nworking", "working_percent", TABLE_NUMBER);
    table_column(&t, "\nnapping", "napping_percent", TABLE_NUMBER);
    table_column(&t, "\nparked", "parked_percent", TABLE_NUMBER);
    table_column(&t, "\nCPU", "cpu", 0);
    put_cpu(&t, a, -1, "<Total>");
    for (unsigned cpu = 0; cpu < a->cpus; cpu++) {
        char name[32];

        if (g->o->cpu >= 0 && cpu != (unsigned long)g->o->cpu)
            continue;
        snprintf(name, sizeof name, "CPU %u", cpu);
        put_cpu(&t, a, cpu, name);
    }
    report_table(&t, g->o, to);
}

/* The function with the most of a metric, exclusive; -1: none has any. */
static long top_of(const struct group *g, unsigned m)
{
    long best = -1;

    for (size_t i = 0; i < g->tally.rows; i++) {
        const struct totals_row *row = &g->tally.row[i];
        uint32_t f = (uint32_t)row->key;

        if (f == EXACT_CYCLES_NAPPING || f == EXACT_CYCLES_PARKED ||
            !row->exclusive[m] ||
            (best >= 0 && row->exclusive[m] <= g->tally.row[best].exclusive[m]))
            continue;
        best = (long)i;
    }
    return best;
}

/* Counters without samples. What they counted is known of the whole run only,
 * by CPU, once it is over. */
static bool put_counted(struct table *t, const struct group *g)
{
    const struct selection *s = &g->selection;
    struct samples_metrics m;
    bool any;

    if (s->filter || s->r->windowed || !s->r->ended)
        return false;
    samples_counters_open(&m, s->r);
    for (unsigned i = 0; i < m.count; i++) {
        uint64_t counted = 0;

        for (unsigned cpu = 0; cpu < SAMPLES_CPUS; cpu++)
            if (s->cpu < 0 || cpu == (unsigned long)s->cpu)
                counted += m.list[i].counted[cpu];
        table_text(t, m.list[i].name);
        table_count(t, counted);
        table_dotted(t, 0);
        table_text(t, "");
    }
    any = m.count;
    samples_metrics_free(&m);
    return any;
}

/* True: some were counted only. */
static bool print_tops(const struct group *g, FILE *to)
{
    const struct samples_metrics *m = &g->samples.metric;
    struct table t = {0};
    bool counted;

    table_column(&t, "metric", "metric", 0);
    table_column(&t, "total", "total", TABLE_NUMBER);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "most in", "most_in", 0);
    for (unsigned i = 0; i < m->count; i++) {
        long top = top_of(g, i);
        char share[TEXT_NUMBER], text[GROUP_NAME + 64] = "";

        if (top >= 0)
            snprintf(text, sizeof text, "%s, %s%%", g->name[top],
                     text_percent(share, g->tally.row[top].exclusive[i],
                                  m->list[i].total -
                                      (i == SAMPLES_EXACT ? g->parked : 0)));
        table_text(&t, m->list[i].name);
        table_count(&t, m->list[i].total);
        table_dotted(&t, m->list[i].samples);
        table_text(&t, text);
    }
    counted = put_counted(&t, g);
    report_table(&t, g->o, to);
    return counted;
}

/* Has the run a sample that says after what a CPU was idle, or an interrupt
 * that found one idle? */
static bool has_idle(struct recording *r, unsigned kind)
{
    struct recfile f;
    struct record record;
    bool found = false;

    if (!recording_records(r, kind, &f))
        return false;
    while (!found && recfile_next(&f, &record))
        found = kind != REC_IDLE ||
                record_get_idle_transition(&record) == IDLE_KIND_TO;
    recfile_close(&f);
    return found;
}

/* Where most of the time is decides what to look at first; of idleness the run
 * must have samples. */
static void say_next(const struct group *g, struct recording *r, FILE *to)
{
    uint64_t all = g->samples.metric.list[SAMPLES_EXACT].total - g->parked;
    uint64_t napping = 0;
    char share[TEXT_NUMBER];
    bool samples = has_idle(r, REC_IDLE);

    for (size_t i = 0; i < g->tally.rows; i++)
        if ((uint32_t)g->tally.row[i].key == EXACT_CYCLES_NAPPING)
            napping = g->tally.row[i].exclusive[SAMPLES_EXACT];
    if (napping > all / 2 && samples)
        report_say(g->o, to,
                   "The CPUs napped %s%% of the time: simprof idle says after "
                   "what. Then come simprof functions, cpi.",
                   text_percent(share, napping, all));
    else
        report_say(g->o, to, "What comes next: simprof functions, cpi%s.",
                   samples || has_idle(r, REC_UNSAMPLED) ? ", idle" : "");
}

/* What makes sample interrupts fewer, by the boot line. */
static const char *fewer(const struct recording *r)
{
    char trigger[RECORDING_ARGUMENT];

    return recording_argument(r, "trigger", trigger) &&
                   !strncmp(trigger, "event:", 6)
               ? "; trigger=event:NAME:COUNT with a larger COUNT costs less"
               : "; trigger=time:CYCLES with more CYCLES costs less";
}

/* What the guest's own sampling costs: the share of the cycles that CPUs worked
 * which its sampler threads took. From 5 % on, what to do. ANA-26, ANA-37. */
static void say_sampling(const struct group *g, struct recording *r, FILE *to)
{
    struct selection s = g->selection;
    struct exact_cycles_choice choice = {.spots = true,
                                         .wants =
                                             s.all ? NULL : selection_wants,
                                         .arg = &s,
                                         .timeless = selection_timeless(&s)};
    uint64_t sampling = 0, working = 0;
    char share[TEXT_NUMBER];
    struct exact_cycles a;

    exact_cycles_choose(&a, r, &choice);
    for (size_t i = 0; i < a.spots; i++) {
        const struct exact_cycles_spot *spot = &a.spot[i];
        const struct thread *t =
            threads_find(&r->threads, spot->thread, spot->cycle);

        if (spot->function == EXACT_CYCLES_NAPPING ||
            spot->function == EXACT_CYCLES_PARKED)
            continue;
        working += spot->cycles;
        sampling += t && t->is == THREAD_IS_SAMPLER ? spot->cycles : 0;
    }
    exact_cycles_free(&a);
    if (sampling)
        report_say(g->o, to,
                   "The guest's sampling took %s%% of the working cycles%s.",
                   text_percent(share, sampling, working),
                   sampling * 20 < working ? "" : fewer(r));
}

void report_overview(struct recording *r, const struct options *o, FILE *to)
{
    struct grouping by = {by_function, function_name, r, true};
    struct group g;
    bool counted;

    if (!group_open(&g, r, o, &by, 1 << FLAVOR_EXCLUSIVE))
        return;
    if (!o->csv) {
        report_head(r, "overview", to);
        selection_say(&g.selection, o, to);
        print_cpus(&g, to);
        putc('\n', to);
    }
    counted = print_tops(&g, to);
    if (!o->csv) {
        report_say(o, to,
                   "\nworking: neither napping nor parked. Most in: the "
                   "function with the most, its share of the total%s.",
                   counted ? "; not known of what has no samples (simrun -e "
                             "EVENT:PERIOD takes them)"
                           : "");
        say_next(&g, r, to);
        say_sampling(&g, r, to);
    }
    group_close(&g);
}
