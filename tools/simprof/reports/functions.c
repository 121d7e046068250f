/* functions.c - the report `functions`: where every cycle went.
 * Exclusive cycles by function, from the oracle's account. Rows add up to
 * <Total> to the cycle, whatever the columns; <napping> and <parked> are CPUs
 * that ran nothing.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/profile/exact_cycles.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/view/group.h"

/* One function, or a sum of several. */
struct row {
    uint32_t function;
    const char *name;
    uint64_t cycles, twelfths;
    uint64_t parked; /* cycles of it that no share is of */
    uint64_t *by;    /* cycles by CPU, or by reason */
};

/* What the columns stand for. */
struct view_of {
    const struct recording *r;
    const struct options *o;
    long cpu;         /* cells of this CPU only; -1: of all */
    bool reasons;     /* row.by is by reason, else by CPU */
    unsigned columns; /* entries of row.by */
    struct row *row;
    size_t rows, room;
    struct row total;
};

static void add_to(struct row *row, const struct exact_cycles_cell *c,
                   unsigned at)
{
    row->cycles += c->cycles;
    row->parked += c->function == EXACT_CYCLES_PARKED ? c->cycles : 0;
    row->twelfths += c->twelfths;
    row->by[at] += c->cycles;
}

static struct row *row_of(struct view_of *v, struct hash *index,
                          uint32_t function)
{
    bool fresh;
    uint32_t *at = hash_at(index, function, &fresh);

    if (fresh) {
        *at = (uint32_t)v->rows;
        v->row = grow(v->row, &v->room, v->rows + 1, sizeof *v->row);
        v->row[v->rows++] =
            (struct row){.function = function,
                         .name = exact_cycles_name(v->r, function),
                         .by = grow_zero(v->columns, sizeof *v->total.by)};
    }
    return &v->row[*at];
}

/* Most cycles first, then by name, then by number. */
static int by_cycles(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order;

    if (x->twelfths != y->twelfths)
        return x->twelfths > y->twelfths ? -1 : 1;
    order = strcmp(x->name, y->name);
    return order ? order : x->function < y->function ? -1 : 1;
}

/* Rows behind the limit become one. */
static void merge_rest(struct view_of *v)
{
    static const char *const rest = "<all others>";
    struct row *last;

    if (!v->o->limit || v->rows <= v->o->limit)
        return;
    last = &v->row[v->o->limit];
    last->name = rest;
    for (size_t i = v->o->limit + 1; i < v->rows; i++) {
        last->cycles += v->row[i].cycles;
        last->parked += v->row[i].parked;
        last->twelfths += v->row[i].twelfths;
        for (unsigned k = 0; k < v->columns; k++)
            last->by[k] += v->row[i].by[k];
        free(v->row[i].by);
    }
    v->rows = (size_t)v->o->limit + 1;
}

static void build(struct view_of *v, const struct exact_cycles *a)
{
    struct hash index = {0};

    v->columns = v->reasons ? RECORDING_REASONS : a->cpus;
    v->total = (struct row){.name = "<Total>",
                            .by = grow_zero(v->columns, sizeof *v->total.by)};
    for (size_t i = 0; i < a->count; i++) {
        const struct exact_cycles_cell *c = &a->cell[i];
        unsigned at = v->reasons ? c->reason : c->cpu;

        if (v->cpu >= 0 && c->cpu != v->cpu)
            continue;
        add_to(row_of(v, &index, c->function), c, at);
        add_to(&v->total, c, at);
    }
    hash_free(&index);
    if (v->rows)
        qsort(v->row, v->rows, sizeof *v->row, by_cycles);
    merge_rest(v);
}

static void view_free(struct view_of *v)
{
    for (size_t i = 0; i < v->rows; i++)
        free(v->row[i].by);
    free(v->row);
    free(v->total.by);
}

/* ---- columns of reasons -------------------------------------------------- */

struct shown {
    unsigned reason[RECORDING_REASONS];
    unsigned count;
    bool rest; /* further reasons share a column */
};

static bool is_column(const struct view_of *v, unsigned reason)
{
    return v->total.by[reason] && v->r->reason_is[reason] != REASON_NAP &&
           v->r->reason_is[reason] != REASON_OFF;
}

/* The reason that costs the most of those not shown yet; -1: none left. */
static int next_reason(const struct view_of *v, const struct shown *s)
{
    int best = -1;

    for (unsigned i = 0; i < RECORDING_REASONS; i++) {
        bool shown = !is_column(v, i);

        for (unsigned k = 0; k < s->count; k++)
            shown |= s->reason[k] == i;
        if (!shown && (best < 0 || v->total.by[i] > v->total.by[best]))
            best = (int)i;
    }
    return best;
}

/* The reasons that cost the most, as many as the width has room for; all of
 * them in CSV. */
static void choose_reasons(const struct view_of *v, struct shown *s)
{
    unsigned room = v->o->width > 60 ? v->o->width - 48 : 12;

    *s = (struct shown){0};
    if (!v->reasons)
        return;
    for (int i; (i = next_reason(v, s)) >= 0;) {
        size_t width = strlen(v->r->reason[i]) + 2;

        if (width < 7)
            width = 7; /* "100.0%" and a gap */
        if (!v->o->csv && width > room) {
            s->rest = true;
            return;
        }
        room -= (unsigned)width;
        s->reason[s->count++] = (unsigned)i;
    }
}

/* ---- the table ----------------------------------------------------------- */

static void reason_cells(struct table *t, const struct view_of *v,
                         const struct shown *s, const struct row *row)
{
    uint64_t rest = row->cycles;
    bool csv = v->o->csv;

    for (unsigned i = 0; i < RECORDING_REASONS; i++)
        if (!is_column(v, i))
            rest -= row->by[i];
    for (unsigned k = 0; k < s->count; k++) {
        uint64_t n = row->by[s->reason[k]];

        rest -= n;
        if (!n && !csv)
            table_text(t, ".");
        else if (csv)
            table_count(t, n);
        else
            table_percent(t, n, row->cycles - row->parked);
    }
    if (s->rest && rest)
        table_percent(t, rest, row->cycles - row->parked);
    else if (s->rest)
        table_text(t, ".");
}

static void put_cpu(struct table *t, long cpu)
{
    char number[TEXT_NUMBER];

    snprintf(number, sizeof number, "%ld", cpu);
    table_both(t, "", number);
}

static void put_row(struct table *t, const struct view_of *v,
                    const struct shown *s, const struct row *row)
{
    char csv[TEXT_NUMBER];

    table_count(t, row->cycles);
    snprintf(csv, sizeof csv, "%" PRIu64, row->twelfths);
    table_both(t, "", csv);
    if (row->cycles == row->parked && row->cycles && !v->o->csv)
        table_text(t, ".");
    else
        table_percent(t, row->cycles - row->parked,
                      v->total.cycles - v->total.parked);
    if (v->reasons)
        reason_cells(t, v, s, row);
    else if (v->o->per_cpu)
        for (unsigned cpu = 0; cpu < v->columns; cpu++)
            table_dotted(t, row->by[cpu]);
    if (v->o->per_cpu && v->reasons)
        put_cpu(t, v->cpu);
    table_text(t, row->name);
}

static void put_columns(struct table *t, const struct view_of *v,
                        const struct shown *s)
{
    table_column(t, "cycles", "cycles", TABLE_NUMBER);
    table_column(t, "", "twelfths", TABLE_NUMBER | TABLE_CSV);
    table_column(t, "share", "percent", TABLE_NUMBER);
    for (unsigned k = 0; v->reasons && k < s->count; k++)
        table_column(t, v->r->reason[s->reason[k]], v->r->reason[s->reason[k]],
                     TABLE_NUMBER);
    if (v->reasons && s->rest)
        table_column(t, "rest", "rest", TABLE_NUMBER);
    for (unsigned cpu = 0; !v->reasons && v->o->per_cpu && cpu < v->columns;
         cpu++) {
        char heading[32], key[32];

        snprintf(heading, sizeof heading, "CPU %u", cpu);
        snprintf(key, sizeof key, "cpu%u", cpu);
        table_column(t, heading, key, TABLE_NUMBER);
    }
    if (v->o->per_cpu && v->reasons)
        table_column(t, "", "cpu", TABLE_CSV);
    table_column(t, "function", "function", 0);
}

static void put_rows(struct table *t, const struct view_of *v,
                     const struct shown *s)
{
    put_row(t, v, s, &v->total);
    for (size_t i = 0; i < v->rows; i++)
        put_row(t, v, s, &v->row[i]);
}

/* One table of everything that the options ask for. */
static void print_one(struct view_of *v, const struct exact_cycles *a, FILE *to)
{
    struct table t = {0};
    struct shown s;

    build(v, a);
    choose_reasons(v, &s);
    put_columns(&t, v, &s);
    put_rows(&t, v, &s);
    report_table(&t, v->o, to);
    report_parked(v->total.parked, v->o, to);
    view_free(v);
}

/* A table for every CPU, with the same reasons; in CSV one for all. */
static void print_each(struct view_of *all, const struct exact_cycles *a,
                       FILE *to)
{
    struct table t = {0};
    struct shown s;

    build(all, a);
    choose_reasons(all, &s);
    for (unsigned cpu = 0; cpu < a->cpus; cpu++) {
        struct view_of v = {
            .r = all->r, .o = all->o, .cpu = cpu, .reasons = all->reasons};

        build(&v, a);
        if (!t.columns)
            put_columns(&t, &v, &s);
        put_rows(&t, &v, &s);
        view_free(&v);
        if (v.o->csv)
            continue;
        fprintf(to, "%sCPU %u\n", cpu ? "\n" : "", cpu);
        report_table(&t, v.o, to);
    }
    report_parked(all->total.parked, all->o, to);
    if (all->o->csv)
        report_table(&t, all->o, to);
    view_free(all);
}

/* ---- the proof ----------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void say(FILE *to,
                                                      const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (to)
        vfprintf(to, format, args);
    va_end(args);
}

/* Say whether the account holds every cycle, and what it holds if not;
 * to NULL: only note the damage. */
static void check_sum(const struct exact_cycles *a, struct recording *r,
                      FILE *to)
{
    uint64_t sum = 0, want = r->settled * a->cpus;
    char each[TEXT_NUMBER], all[TEXT_NUMBER], got[TEXT_NUMBER];
    const char *s = a->cpus == 1 ? "" : "s";

    for (unsigned i = 0; i < a->cpus; i++)
        sum += a->cpu[i].cycles;
    text_count(each, r->settled);
    text_count(all, want);
    text_count(got, sum);
    exact_cycles_check(a, r);
    if (exact_cycles_exact(a, r)) {
        say(to,
            "\nEvery cycle is in the table: %s cycles x %u CPU%s = "
            "%s, exact.\n",
            each, a->cpus, s, all);
    } else if (r->ended) {
        say(to,
            "\nNot every cycle is in the table: %s of %s (%s cycles x "
            "%u CPU%s).\n",
            got, all, each, a->cpus, s);
    } else {
        say(to,
            "\nThe run has no end; of %s cycles x %u CPU%s = %s that "
            "its log vouches for,\nthe table has %s.\n",
            each, a->cpus, s, all, got);
    }
}

/* ---- with samples -------------------------------------------------------- */

/* Is there more to show than the oracle's account of everything? */
static bool wants_metrics(const struct recording *r, const struct options *o)
{
    struct samples_metrics m;
    bool sampled;

    samples_metrics_open(&m, r);
    sampled = m.count > 2; /* exact, and what has no name */
    samples_metrics_free(&m);
    return sampled || o->text[OPTION_BIT_METRICS] || o->text[OPTION_BIT_SORT] ||
           o->text[OPTION_BIT_INLINES] || o->viewmode != VIEWMODE_MACHINE;
}

/* The oracle's account alone, by CPU or reason. */
static void print_account(struct recording *r, const struct options *o,
                          struct selection *s, FILE *to)
{
    struct view_of v = {.r = r, .o = o, .cpu = o->cpu, .reasons = o->reasons};
    struct exact_cycles_choice choice = {
        .wants = selection_wants, .arg = s, .timeless = selection_timeless(s)};
    struct exact_cycles a;

    if (s->from == 0 && s->to == UINT64_MAX && !s->filter && !s->one_thread)
        choice.wants = NULL; /* --cpu is a choice of columns */
    exact_cycles_choose(&a, r, &choice);
    if (!o->csv) {
        report_head(r, "exclusive cycles by function", to);
        if (choice.wants)
            selection_say(s, o, to);
    }
    if (o->per_cpu && o->reasons)
        print_each(&v, &a, to);
    else
        print_one(&v, &a, to);
    if (!choice.wants)
        check_sum(&a, r, o->csv ? NULL : to);
    exact_cycles_free(&a);
}

void report_functions(struct recording *r, const struct options *o, FILE *to)
{
    struct grouping by = group_by_function(r);
    struct selection s;

    if (o->text[OPTION_BIT_INLINES] && (o->per_cpu || o->reasons)) {
        report_refuse(o, "--inlines goes with neither --per-cpu nor --reasons");
        return;
    }
    if (o->text[OPTION_BIT_VIEWMODE] && (o->per_cpu || o->reasons)) {
        report_refuse(o, "--viewmode goes with neither --per-cpu nor "
                         "--reasons");
        return;
    }
    if (!o->per_cpu && !o->reasons && wants_metrics(r, o)) {
        group_report(r, o, &by, "metrics by function", "function", to);
        return;
    }
    if (!selection_open(&s, r, o))
        return;
    print_account(r, o, &s, to);
    selection_close(&s);
}
