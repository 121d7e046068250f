/* compare.c - the report `compare`: functions of two runs side by side, what
 * differs most first. Functions are the same if their names are.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/view/group.h"

/* One function, or several of one name. */
struct pair {
    const char *name;
    uint64_t *before, *after; /* by column */
    uint64_t apart;           /* of the first column */
};

#define NEEDS 48 /* columns of text for one metric and some of the names */

struct compare {
    struct recording base;
    struct options o; /* with the columns that both runs have */
    struct group before, after;
    struct pair *pair;
    size_t pairs, room;
    char *metrics;
};

/* ---- the two runs -------------------------------------------------------- */

/* What both runs have: exact cycles, and counters of one name, as many as the
 * width has room for. */
static char *common_metrics(const struct recording *a,
                            const struct recording *b, const struct options *o)
{
    unsigned most = o->csv ? SAMPLES_METRICS_MAX : o->width / NEEDS;
    unsigned taken = 0;
    struct samples_metrics x, y;
    size_t room = 0, used = 0;
    char *list = NULL;

    samples_metrics_open(&x, a);
    samples_metrics_open(&y, b);
    for (unsigned i = 0; i + 1 < x.count; i++) {
        if (samples_metrics_find(&y, x.list[i].name) < 0 ||
            (taken && taken >= most))
            continue;
        taken++;
        list = grow(list, &room, used + strlen(x.list[i].name) + 4, 1);
        used += (size_t)sprintf(list + used, "%se+%s", used ? ":" : "",
                                x.list[i].name);
    }
    samples_metrics_free(&x);
    samples_metrics_free(&y);
    return list;
}

/* What is wrong with the base is told, too. */
static void hand_over(struct recording *r, const struct recording *base)
{
    for (size_t i = 0; i < base->problems.count; i++)
        problem_add(&r->problems, base->problems.list[i].level, "%s: %s",
                    base->name, base->problems.list[i].text);
}

static bool open_both(struct compare *c, struct recording *r,
                      const struct options *o)
{
    unsigned flavors = 1 << FLAVOR_EXCLUSIVE | 1 << FLAVOR_INCLUSIVE;
    struct grouping new = group_by_function(r);
    struct grouping old = group_by_function(&c->base);
    char why[512];

    if (!o->text[OPTION_BIT_BASE]) {
        report_refuse(o, "compare: with which experiment?");
        return false;
    }
    if (!recording_open(&c->base, o->text[OPTION_BIT_BASE], why, sizeof why)) {
        report_refuse(o, "%s", why);
        return false;
    }
    c->metrics = common_metrics(r, &c->base, o);
    c->o = *o;
    if (!o->text[OPTION_BIT_METRICS])
        c->o.text[OPTION_BIT_METRICS] = c->metrics;
    if (!group_open(&c->before, &c->base, &c->o, &old, flavors))
        goto no_before;
    if (group_open(&c->after, r, &c->o, &new, flavors))
        return true;
    group_close(&c->before);
no_before:
    recording_close(&c->base);
    free(c->metrics);
    return false;
}

static void close_both(struct compare *c)
{
    group_close(&c->before);
    group_close(&c->after);
    recording_close(&c->base);
    for (size_t i = 0; i < c->pairs; i++) {
        free(c->pair[i].before);
        free(c->pair[i].after);
    }
    free(c->pair);
    free(c->metrics);
}

/* ---- pairs --------------------------------------------------------------- */

static uint64_t value(const struct group *g, const struct totals_row *row,
                      unsigned column)
{
    const struct view_column *c = &g->view.column[column];

    return c->flavor == FLAVOR_EXCLUSIVE ? row->exclusive[c->metric]
                                         : row->inclusive[c->metric];
}

static struct pair *pair_of(struct compare *c, const char *called)
{
    for (size_t i = 0; i < c->pairs; i++)
        if (!strcmp(c->pair[i].name, called))
            return &c->pair[i];
    c->pair = grow(c->pair, &c->room, c->pairs + 1, sizeof *c->pair);
    c->pair[c->pairs] = (struct pair){
        .name = called,
        .before = grow_zero(c->after.view.columns, sizeof(uint64_t)),
        .after = grow_zero(c->after.view.columns, sizeof(uint64_t)),
    };
    return &c->pair[c->pairs++];
}

static int by_apart(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    if (x->apart != y->apart)
        return x->apart > y->apart ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void make_pairs(struct compare *c)
{
    unsigned columns = c->after.view.columns;

    for (size_t i = 0; i < c->before.tally.rows; i++)
        for (unsigned k = 0; k < columns; k++)
            pair_of(c, c->before.name[i])->before[k] +=
                value(&c->before, &c->before.tally.row[i], k);
    for (size_t i = 0; i < c->after.tally.rows; i++)
        for (unsigned k = 0; k < columns; k++)
            pair_of(c, c->after.name[i])->after[k] +=
                value(&c->after, &c->after.tally.row[i], k);
    for (size_t i = 0; i < c->pairs; i++) {
        uint64_t x = c->pair[i].before[0], y = c->pair[i].after[0];

        c->pair[i].apart = x > y ? x - y : y - x;
    }
    if (c->pairs)
        qsort(c->pair, c->pairs, sizeof *c->pair, by_apart);
}

/* ---- the table ----------------------------------------------------------- */

static void put_columns(struct table *t, const struct compare *c)
{
    static const char *const words[] = {"excl.", "incl.", "attr."};

    for (unsigned i = 0; i < c->after.view.columns; i++) {
        const struct view_column *it = &c->after.view.column[i];
        const char *metric = c->after.samples.metric.list[it->metric].name;
        const char *flavor = words[it->flavor];
        char heading[160], csv[160];

        snprintf(heading, sizeof heading, "%s %s\nbefore",
                 it->metric ? flavor : "", it->metric ? metric : "exact");
        snprintf(csv, sizeof csv, "%.4s_%s_before", flavor, metric);
        table_column(t, heading, csv, TABLE_NUMBER);
        snprintf(csv, sizeof csv, "%.4s_%s_after", flavor, metric);
        table_column(t, "\nafter", csv, TABLE_NUMBER);
        snprintf(csv, sizeof csv, "%.4s_%s_change", flavor, metric);
        table_column(t, "\nchange", csv, TABLE_NUMBER);
    }
    table_column(t, "\nfunction", "function", 0);
}

static void put_change(struct table *t, uint64_t x, uint64_t y)
{
    char count[TEXT_NUMBER], text[TEXT_NUMBER + 1], csv[TEXT_NUMBER + 1];

    snprintf(text, sizeof text, "%s%s", y < x ? "-" : "+",
             text_count(count, y < x ? x - y : y - x));
    snprintf(csv, sizeof csv, "%s%" PRIu64, y < x ? "-" : "",
             y < x ? x - y : y - x);
    table_both(t, x == y ? "." : text, csv);
}

/* The pairs [from, to) as one row. */
static void put_pairs(struct table *t, const struct compare *c, size_t from,
                      size_t to, const char *called)
{
    for (unsigned k = 0; k < c->after.view.columns; k++) {
        uint64_t x = 0, y = 0;

        for (size_t i = from; i < to; i++) {
            x += c->pair[i].before[k];
            y += c->pair[i].after[k];
        }
        table_dotted(t, x);
        table_dotted(t, y);
        put_change(t, x, y);
    }
    table_text(t, called);
}

static void put_total(struct table *t, const struct compare *c)
{
    for (unsigned k = 0; k < c->after.view.columns; k++) {
        uint64_t x = value(&c->before, &c->before.tally.total, k);
        uint64_t y = value(&c->after, &c->after.tally.total, k);

        table_dotted(t, x);
        table_dotted(t, y);
        put_change(t, x, y);
    }
    table_text(t, "<Total>");
}

static bool is_nothing(const struct compare *c, const struct pair *p)
{
    for (unsigned k = 0; k < c->after.view.columns; k++)
        if (p->before[k] || p->after[k])
            return false;
    return true;
}

static void print(struct compare *c, FILE *to)
{
    const struct options *o = &c->o;
    struct table t = {0};
    size_t shown, kept = 0;

    for (size_t i = 0; i < c->pairs; i++)
        if (!is_nothing(c, &c->pair[i])) {
            struct pair it = c->pair[i];

            c->pair[i] = c->pair[kept];
            c->pair[kept++] = it;
        }
    shown = o->limit && kept > o->limit ? o->limit : kept;
    put_columns(&t, c);
    put_total(&t, c);
    for (size_t i = 0; i < shown; i++)
        put_pairs(&t, c, i, i + 1, c->pair[i].name);
    if (shown < kept)
        put_pairs(&t, c, shown, kept, "<all others>");
    if (!o->csv) {
        char title[GROUP_NAME];

        snprintf(title, sizeof title, "functions, compared with %.512s",
                 c->base.name);
        report_head(c->after.r, title, to);
        selection_say(&c->after.selection, o, to);
    }
    report_table(&t, o, to);
}

/* Times and shares that stand for all reports are counts in this one. */
static void counts_instead(struct view *v)
{
    unsigned columns = 0;

    for (unsigned i = 0; i < v->columns; i++) {
        struct view_column it = v->column[i];
        bool twice = false;

        for (unsigned k = 0; k < columns; k++)
            twice = twice || (v->column[k].metric == it.metric &&
                              v->column[k].flavor == it.flavor);
        it.look = LOOK_COUNT;
        if (!twice)
            v->column[columns++] = it;
    }
    v->columns = columns;
}

/* Counts are compared: shares and times of two runs are not of one whole. */
static bool only_counts(struct compare *c, const struct options *o)
{
    if (o->standing & OPTION_METRICS)
        counts_instead(&c->after.view);
    for (unsigned i = 0; i < c->after.view.columns; i++)
        if (c->after.view.column[i].look != LOOK_COUNT) {
            report_refuse(o, "--metrics: compare takes counts (e+exact, "
                             "i+cycles), no times and no shares");
            return false;
        }
    return true;
}

void report_compare(struct recording *r, const struct options *o, FILE *to)
{
    struct compare c = {0};

    if (!open_both(&c, r, o))
        return;
    if (only_counts(&c, o)) {
        make_pairs(&c);
        print(&c, to);
        hand_over(r, &c.base);
    }
    close_both(&c);
}
