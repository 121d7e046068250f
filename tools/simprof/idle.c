/* idle.c - the report `idle`: whose call stacks explain the idle CPUs.
 * Three parts: how idle each CPU was and what of it was sampled (here); the
 * stacks that lead into idleness (to-idle) and out of it (from-idle), most
 * frequent first; the tree they form (idle_stacks.c).
 */
#include "tools/simprof/idle.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/lib/text.h"

#define TOP 3 /* stacks that the first sentence speaks of */

uint64_t idle_view_base(const struct idle_view *v, uint32_t node,
                        enum idle_metric m)
{
    uint64_t sum = 0;

    for (unsigned cpu = v->first; cpu < v->last; cpu++)
        sum += stacktree_base(&v->d.tree, node, cpu * IDLE_METRICS + m);
    return sum;
}

uint64_t idle_view_total(const struct idle_view *v, uint32_t node,
                         enum idle_metric m)
{
    uint64_t sum = 0;

    for (unsigned cpu = v->first; cpu < v->last; cpu++)
        sum += stacktree_sum(&v->d.tree, node, cpu * IDLE_METRICS + m);
    return sum;
}

uint64_t idle_view_cycles(const struct idle_view *v)
{
    uint64_t sum = 0;

    for (unsigned cpu = v->first; cpu < v->last; cpu++)
        sum += v->d.timeline.cpu[cpu].idle;
    return sum;
}

const char *idle_view_cpu(const struct idle_view *v, char out[16])
{
    if (v->first + 1 == v->last && (v->o->per_cpu || v->o->cpu >= 0))
        snprintf(out, 16, "%u", v->first);
    else
        snprintf(out, 16, "all");
    return out;
}

/* ---- how idle ----------------------------------------------------------- */

struct sums {
    uint64_t cycles; /* of the run, less those the CPU was parked */
    uint64_t idle, nap, periods, sampled, with_to, to, from, explained;
    bool unknown; /* no context switch tells when it was idle */
    bool no_nap;  /* no interval of the oracle ends where it is looked at */
};

static struct sums sums_of(const struct idle_view *v, unsigned cpu)
{
    const struct timeline_cpu *t = &v->d.timeline.cpu[cpu];
    const struct idle_cpu *c = &v->d.cpu[cpu];
    uint64_t parked = account_cycles(&v->a, cpu, ACCOUNT_PARKED);
    uint64_t span = recording_span(v->r);

    return (struct sums){
        .cycles = span > parked ? span - parked : 0,
        .idle = t->idle,
        .unknown = !t->switches,
        .no_nap = v->r->windowed && !v->a.cpu[cpu].twelfths,
        .nap = account_cycles(&v->a, cpu, ACCOUNT_NAPPING),
        .periods = t->periods,
        .sampled = c->sampled,
        .with_to = c->sampled_to,
        .to = c->samples[IDLE_TO],
        .from = c->samples[IDLE_FROM],
        .explained = c->explained,
    };
}

static struct sums sums_all(const struct idle_view *v)
{
    struct sums all = {.unknown = true, .no_nap = true};

    for (unsigned cpu = v->first; cpu < v->last; cpu++) {
        struct sums s = sums_of(v, cpu);

        all.cycles += s.cycles;
        all.idle += s.idle;
        all.unknown &= s.unknown;
        all.no_nap &= s.no_nap;
        all.nap += s.nap;
        all.periods += s.periods;
        all.sampled += s.sampled;
        all.with_to += s.with_to;
        all.to += s.to;
        all.from += s.from;
        all.explained += s.explained;
    }
    return all;
}

/* part and whole in CSV, their quotient in text. */
static void share(struct table *t, uint64_t part, uint64_t whole)
{
    char text[TEXT_NUMBER + 1], csv[TEXT_NUMBER];

    text_percent(csv, part, whole);
    snprintf(text, sizeof text, "%s%%", csv);
    snprintf(csv, sizeof csv, "%" PRIu64, part);
    table_both(t, whole ? text : "-", csv);
}

static void put_sums(struct table *t, const char *cpu, const struct sums *s)
{
    char csv[TEXT_NUMBER];

    table_text(t, cpu);
    snprintf(csv, sizeof csv, "%" PRIu64, s->cycles);
    table_both(t, "", csv);
    if (s->unknown)
        table_both(t, "-", "");
    else
        share(t, s->idle, s->cycles);
    if (s->no_nap)
        table_both(t, "-", "");
    else
        share(t, s->nap, s->cycles);
    table_count(t, s->periods);
    table_count(t, s->sampled);
    table_count(t, s->to);
    table_count(t, s->from);
    share(t, s->explained, s->idle);
}

static void print_cpus(const struct idle_view *v, FILE *to)
{
    struct table t = {0};
    struct sums all = sums_all(v);

    table_column(&t, "CPU", "cpu", TABLE_NUMBER);
    table_column(&t, "", "cycles", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "idle", "idle_cycles", TABLE_NUMBER);
    table_column(&t, "napping", "nap_cycles", TABLE_NUMBER);
    table_column(&t, "idle\nperiods", "periods", TABLE_NUMBER);
    table_column(&t, "of them\nsampled", "sampled", TABLE_NUMBER);
    table_column(&t, "to-idle\nsamples", "to_idle", TABLE_NUMBER);
    table_column(&t, "from-idle\nsamples", "from_idle", TABLE_NUMBER);
    table_column(&t, "idle time\nexplained", "explained_cycles", TABLE_NUMBER);
    for (unsigned cpu = v->first; cpu < v->last; cpu++) {
        struct sums s = sums_of(v, cpu);
        char number[16];

        snprintf(number, sizeof number, "%u", cpu);
        put_sums(&t, number, &s);
    }
    if (v->last - v->first > 1)
        put_sums(&t, "all", &all);
    report_table(&t, v->o, to);
}

/* ---- the first sentence ------------------------------------------------- */

/* "The CPUs were", or of one "CPU 2 was". */
static const char *subject(const struct idle_view *v, char out[32])
{
    if (v->o->cpu < 0)
        return "The CPUs were";
    snprintf(out, 32, "CPU %u was", v->first);
    return out;
}

/* Idle cycles that the n most frequent to-idle stacks explain. */
static uint64_t top_explained(const struct idle_view *v, size_t n)
{
    size_t count;
    uint32_t *node = idle_view_stacks(v, IDLE_TO, &count);
    uint64_t sum = 0;

    for (size_t i = 0; i < n && i < count; i++)
        sum += idle_view_base(v, node[i], IDLE_EXPLAINED);
    free(node);
    return sum;
}

/* No samples: why not, and what that means. */
static void print_empty(const struct idle_view *v, const struct sums *s,
                        FILE *to)
{
    uint64_t idle = s->idle ? s->idle : s->nap;
    char percent[TEXT_NUMBER], periods[TEXT_NUMBER], who[32];
    bool asked = false;

    for (unsigned cpu = v->first; cpu < v->last; cpu++)
        asked |= v->d.cpu[cpu].stat[STAT_INTERRUPTS] > 0;
    text_percent(percent, idle, s->cycles);
    if (v->selection.filter) {
        report_say(v->o, to, "No idle transition is left by the filter.");
        return;
    }
    report_say(v->o, to, "No idle transitions: the report is empty.");
    if (s->unknown)
        report_say(v->o, to,
                   "The run recorded no context switches, so nothing is known "
                   "of idle threads; the processors slept %s%% of the time.",
                   percent);
    else if (!idle)
        report_say(v->o, to,
                   "No CPU was ever idle, so there is nothing to explain.");
    else if (!asked)
        report_say(v->o, to,
                   "%s idle %s%% of the time, but the run took no "
                   "samples (sampler=off?).",
                   subject(v, who), percent);
    else
        report_say(v->o, to,
                   "%s idle %s%% of the time, in %s periods; no "
                   "sample fell into one.",
                   subject(v, who), percent, text_count(periods, s->periods));
    if (asked && idle > s->cycles / 20)
        report_say(v->o, to,
                   "Sample more often (trigger=time:N with a smaller N).");
}

/* What no to-idle sample explains, and how long such periods are. */
static void print_rest(const struct idle_view *v, const struct sums *s,
                       FILE *to)
{
    uint64_t rest = s->periods - s->with_to, hz = v->r->clock_hz;
    char percent[TEXT_NUMBER], count[TEXT_NUMBER];
    char mean[TEXT_NUMBER], other[TEXT_NUMBER];

    if (!rest || !s->with_to || !hz)
        return;
    text_percent(percent, s->idle - s->explained, s->idle);
    text_time(mean, (s->idle - s->explained) / rest, hz);
    text_time(other, s->explained / s->with_to, hz);
    report_say(v->o, to,
               "The other %s%% lies in %s idle periods without such a sample, "
               "%s each on average; those with one last %s.",
               percent, text_count(count, rest), mean, other);
}

static void print_verdict(const struct idle_view *v, const struct sums *s,
                          FILE *to)
{
    char idle[TEXT_NUMBER], all[TEXT_NUMBER], one[TEXT_NUMBER];
    char some[TEXT_NUMBER], more[64] = "", who[32];
    size_t count;

    free(idle_view_stacks(v, IDLE_TO, &count));
    text_percent(idle, s->idle, s->cycles);
    text_percent(all, s->explained, s->idle);
    text_percent(one, top_explained(v, 1), s->idle);
    text_percent(some, top_explained(v, TOP), s->idle);
    if (count > TOP)
        snprintf(more, sizeof more, ", the %d most frequent %s%%", TOP, some);
    if (!s->idle)
        report_say(v->o, to,
                   "How long the CPUs were idle is unknown: no context switch "
                   "names an idle thread.");
    else if (!count)
        report_say(v->o, to,
                   "%s idle %s%% of the time. No to-idle samples "
                   "say why.",
                   subject(v, who), idle);
    else if (count == 1)
        report_say(v->o, to,
                   "%s idle %s%% of the time. One to-idle stack "
                   "explains %s%% of that.",
                   subject(v, who), idle, all);
    else
        report_say(v->o, to,
                   "%s idle %s%% of the time. To-idle stacks "
                   "explain %s%% of that, the most frequent alone %s%%%s.",
                   subject(v, who), idle, all, one, more);
    print_rest(v, s, to);
    if (count && idle_restarts(v->r))
        report_say(v->o, to, "%s", idle_restarts_text);
}

/* ---- the report --------------------------------------------------------- */

static void print_text(struct idle_view *v, FILE *to)
{
    struct sums all = sums_all(v);
    bool empty = !all.to && !all.from;
    enum part part = v->o->part;

    report_head(v->r, "why the CPUs were idle", to);
    selection_say(&v->selection, v->o, to);
    if (empty)
        print_empty(v, &all, to);
    else
        print_verdict(v, &all, to);
    if (part == PART_ALL || part == PART_CPUS) {
        putc('\n', to);
        print_cpus(v, to);
        fputs("idle: its idle thread ran (context switches); napping: it "
              "slept (oracle)\n",
              to);
    }
    if (empty)
        return;
    if (part == PART_ALL || part == PART_STACKS)
        idle_print_stacks(v, to);
    if (part == PART_ALL || part == PART_TREE)
        idle_print_tree(v, to);
}

/* The stacks and the tree of every CPU by itself. */
static void print_each(struct idle_view *v, FILE *to)
{
    unsigned cpus = v->last;

    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        struct sums s = sums_of(v, cpu);

        if (!s.to && !s.from)
            continue;
        v->first = cpu;
        v->last = cpu + 1;
        fprintf(to, "\nCPU %u only\n", cpu);
        if (v->o->part != PART_TREE)
            idle_print_stacks(v, to);
        if (v->o->part != PART_STACKS)
            idle_print_tree(v, to);
    }
}

static void print_csv(struct idle_view *v, FILE *to)
{
    struct table t = {0};
    unsigned cpus = v->last;

    if (v->o->part == PART_CPUS) {
        print_cpus(v, to);
        return;
    }
    for (unsigned cpu = 0; cpu < (v->o->per_cpu ? cpus : 1); cpu++) {
        if (v->o->per_cpu) {
            v->first = cpu;
            v->last = cpu + 1;
        }
        if (v->o->part == PART_TREE)
            idle_csv_tree(&t, v);
        else
            idle_csv_stacks(&t, v);
    }
    report_table(&t, v->o, to);
}

/* From the time tree where there is one that can tell. */
static void read_idleness(struct idle_view *v)
{
    struct idle_choice choice = {.by_pc = v->o->pcs};
    bool scan = v->selection.filter || v->o->pcs;

    if (v->selection.filter) {
        choice.wants = selection_wants;
        choice.arg = &v->selection;
    }
    if (scan && idle_tree_there(v->r))
        problem_add(&v->r->problems, PROBLEM_NOTE,
                    "timetree: knows nothing of %s; the records are read",
                    v->selection.filter ? "--filters" : "--pcs");
    if (scan || !idle_tree(&v->d, v->r))
        idle_choose(&v->d, v->r, &choice);
}

void report_idle(struct recording *r, const struct options *o, FILE *to)
{
    struct lines_of lines;
    struct idle_view v = {.r = r, .o = o, .last = r->cpus, .lines = &lines};

    if (o->cpu >= 0) {
        v.first = (unsigned)o->cpu;
        v.last = v.first + 1;
    }
    if (!selection_open(&v.selection, r, o))
        return;
    read_idleness(&v);
    account_read(&v.a, r);
    lines_open(&lines, r, false);
    if (o->csv) {
        print_csv(&v, to);
    } else {
        print_text(&v, to);
        if (o->per_cpu && o->part != PART_CPUS)
            print_each(&v, to);
    }
    lines_close(&lines);
    account_free(&v.a);
    idle_free(&v.d);
    selection_close(&v.selection);
}
