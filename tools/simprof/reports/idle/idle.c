/* idle.c - the report `idle`: whose call stacks explain the idle CPUs.
 * Four parts: what was found, in words (idle_words.c); how idle each CPU was
 * and what of it was sampled (here); the stacks that lead into idleness
 * (to-idle) and out of it (from-idle), most frequent first; the tree they form
 * (idle_stacks.c).
 */
#include "tools/simprof/reports/idle/idle.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/text.h"

bool idle_view_shows(const struct idle_view *v, unsigned cpu)
{
    return cpu >= v->first && cpu < v->last && !v->out[cpu];
}

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
        if (idle_view_shows(v, cpu))
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

/* ---- how idle ------------------------------------------------------------ */

static struct idle_sums sums_of(const struct idle_view *v, unsigned cpu)
{
    const struct timeline_cpu *t = &v->d.timeline.cpu[cpu];
    const struct idle_cpu *c = &v->d.cpu[cpu];
    uint64_t parked = exact_cycles_cycles(&v->a, cpu, EXACT_CYCLES_PARKED);
    uint64_t span = recording_span(v->r);

    return (struct idle_sums){
        .cycles = span > parked ? span - parked : 0,
        .idle = t->idle,
        .unknown = !t->switches,
        .no_nap = v->r->windowed && !v->a.cpu[cpu].twelfths,
        .nap = exact_cycles_cycles(&v->a, cpu, EXACT_CYCLES_NAPPING),
        .periods = t->periods,
        .sampled = c->sampled,
        .with_to = c->sampled_to,
        .to = c->samples[IDLE_TO],
        .from = c->samples[IDLE_FROM],
        .explained = c->explained,
        .interrupts = idle_interrupts(c),
        .ends = idle_ends(c),
        .taken = c->taken,
        .kept = c->kept,
    };
}

struct idle_sums idle_view_sums(const struct idle_view *v)
{
    struct idle_sums all = {.unknown = true, .no_nap = true};

    for (unsigned cpu = v->first; cpu < v->last; cpu++) {
        struct idle_sums s = sums_of(v, cpu);

        if (!idle_view_shows(v, cpu))
            continue;
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
        all.interrupts += s.interrupts;
        all.ends += s.ends;
        all.taken += s.taken;
        all.kept += s.kept;
        for (unsigned i = 0; i < IDLE_REASONS; i++)
            all.unsampled[i] += v->d.cpu[cpu].unsampled[i];
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

/* A share, unless it is not known. */
static void share_if(struct table *t, bool known, uint64_t part, uint64_t whole)
{
    if (known)
        share(t, part, whole);
    else
        table_both(t, "-", "");
}

/* What a filter asks for that idle time has not thins samples only: then no
 * time is printed for them to be held against. */
static void put_sums(struct table *t, const struct idle_view *v,
                     const char *cpu, const struct idle_sums *s)
{
    bool known = !v->only_samples;
    char csv[TEXT_NUMBER];

    table_text(t, cpu);
    snprintf(csv, sizeof csv, "%" PRIu64, s->cycles);
    table_both(t, "", csv);
    share_if(t, known && !s->unknown, s->idle, s->cycles);
    share_if(t, known && !s->no_nap, s->nap, s->cycles);
    if (known && !s->unknown)
        table_count(t, s->periods);
    else
        table_both(t, "-", "");
    table_count(t, s->sampled);
    table_count(t, s->interrupts);
    table_count(t, s->to);
    table_count(t, s->from);
    share_if(t, known, s->explained, s->idle);
    snprintf(csv, sizeof csv, "%" PRIu64, s->kept);
    table_both(t, "", csv);
}

static void print_cpus(const struct idle_view *v, FILE *to)
{
    struct idle_sums all = idle_view_sums(v);
    struct table t = {0};
    unsigned shown = 0;

    table_column(&t, "CPU", "cpu", TABLE_RIGHT);
    table_column(&t, "", "cycles", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "idle", "idle_cycles", TABLE_NUMBER);
    table_column(&t, "napping", "nap_cycles", TABLE_NUMBER);
    table_column(&t, "idle\nperiods", "periods", TABLE_NUMBER);
    table_column(&t, "of them\nsampled", "sampled", TABLE_NUMBER);
    table_column(&t, "idle inter-\nrupts", "interrupts", TABLE_NUMBER);
    table_column(&t, "to-idle\nsamples", "to_idle", TABLE_NUMBER);
    table_column(&t, "from-idle\nsamples", "from_idle", TABLE_NUMBER);
    table_column(&t, "ex-\nplained", "explained_cycles", TABLE_NUMBER);
    table_column(&t, "", "from_idle_beforehand", TABLE_NUMBER | TABLE_CSV);
    for (unsigned cpu = v->first; cpu < v->last; cpu++) {
        struct idle_sums s = sums_of(v, cpu);
        char number[16];

        snprintf(number, sizeof number, "%u", cpu);
        if (idle_view_shows(v, cpu))
            put_sums(&t, v, number, &s);
        shown += idle_view_shows(v, cpu);
    }
    if (shown > 1)
        put_sums(&t, v, "all", &all);
    report_table(&t, v->o, to);
}

/* ---- the report ---------------------------------------------------------- */

/* What the shares of the table of CPUs are of. */
static void say_columns(const struct idle_view *v, FILE *to)
{
    bool user = text_lines_get(&v->r->log, "argument");

    report_say(v->o, to,
               "Of the CPU's time since its release: idle, %s ran (context "
               "switches); napping, it slept (oracle). Idle interrupts: sample "
               "interrupts that found it idle. Explained: of its idle time, in "
               "periods with a to-idle sample.",
               user ? "no thread" : "its idle thread");
}

static void print_text(struct idle_view *v, FILE *to)
{
    struct idle_sums all = idle_view_sums(v);
    enum part part = v->o->part;

    report_head(v->r, "why the CPUs were idle", to);
    selection_say(&v->selection, v->o, to);
    idle_print_words(v, to);
    if (part == PART_ALL || part == PART_CPUS) {
        putc('\n', to);
        print_cpus(v, to);
        say_columns(v, to);
    }
    if (part == PART_ALL || part == PART_STACKS)
        idle_print_stacks(v, to);
    if ((part == PART_ALL && (all.to || all.from)) ||
        (part == PART_TREE && (all.interrupts || all.ends)))
        idle_print_tree(v, to);
}

/* The stacks and the tree of every CPU by itself. */
static void print_each(struct idle_view *v, FILE *to)
{
    unsigned cpus = v->last;

    for (unsigned cpu = 0; cpu < cpus; cpu++) {
        struct idle_sums s = sums_of(v, cpu);

        if (!idle_view_shows(v, cpu) || (!s.interrupts && !s.ends))
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
        if (v->o->per_cpu && !idle_view_shows(v, cpu))
            continue;
        if (v->o->part == PART_TREE)
            idle_csv_tree(&t, v);
        else
            idle_csv_stacks(&t, v);
    }
    report_table(&t, v->o, to);
}

/* Does the filter ask for the CPU alone? Then what it leaves out has neither
 * samples nor idle time here. */
static void choose_cpus(struct idle_view *v)
{
    struct selection *s = &v->selection;

    v->only_samples = s->filter && !expr_only(s->filter, "cpu");
    for (unsigned cpu = 0; cpu < v->r->cpus; cpu++) {
        struct record record = {.kind = REC_UNSAMPLED, .cpu = cpu};
        struct filter_about about = {v->r, &s->metrics, &record};

        v->out[cpu] =
            s->filter && !v->only_samples && !expr_holds(s->filter, &about);
    }
}

/* What the time tree knows nothing of; NULL: nothing is asked of that. */
static const char *beyond_tree(const struct idle_view *v)
{
    return v->selection.filter ? "--filters"
           : v->o->pcs         ? "--pcs"
           : v->intervals      ? "95 % intervals (--no-intervals)"
                               : NULL;
}

/* From the time tree where there is one that can tell. */
static void read_idleness(struct idle_view *v)
{
    struct idle_choice choice = {.by_pc = v->o->pcs, .draws = v->intervals};
    const char *beyond = beyond_tree(v);

    if (v->selection.filter) {
        choice.wants = selection_wants;
        choice.arg = &v->selection;
    }
    if (beyond && idle_tree_there(v->r))
        problem_add(&v->r->problems, PROBLEM_NOTE,
                    "timetree: knows nothing of %s; the records are read",
                    beyond);
    if (beyond || !idle_tree(&v->d, v->r))
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
    if (!report_part(o, PART_CPUS, PART_TREE))
        return;
    if (!selection_open(&v.selection, r, o))
        return;
    choose_cpus(&v);
    v.intervals = !o->text[OPTION_BIT_NO_INTERVALS] &&
                  (!o->csv || o->part == PART_ALL || o->part == PART_STACKS);
    read_idleness(&v);
    exact_cycles_read(&v.a, r);
    lines_open(&lines, r, false);
    if (o->csv) {
        print_csv(&v, to);
    } else {
        print_text(&v, to);
        if (o->per_cpu && o->part != PART_CPUS)
            print_each(&v, to);
    }
    lines_close(&lines);
    exact_cycles_free(&v.a);
    idle_free(&v.d);
    selection_close(&v.selection);
}
