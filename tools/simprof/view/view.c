/* view.c - metric columns: reading their spelling, writing their cells. */
#include "tools/simprof/view/view.h"
#include "tools/analysis/profile/offcpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/did_you_mean.h"
#include "lib/base/grow.h"
#include "lib/base/text.h"

#define NAME_ROOM 24 /* columns of text that names should keep */

/* ---- spelling ------------------------------------------------------------ */

static const char flavor_letter[FLAVORS + 1] = "eia";

/* What a metric was spelled with. */
struct spelled {
    unsigned flavors;
    char looks[8];
    unsigned metric;
};

static bool refuse_metric(const struct view *v, const char *text, size_t n)
{
    report_refuse(v->o,
                  "%.*s: no metric that this report has; it wants letters of "
                  "e, i, a, then of . + %% !, then a name that simprof metrics "
                  "lists",
                  (int)(n < 200 ? n : 200), text);
    return false;
}

/* No counter is called so; those of the experiment that are near. */
static bool refuse_name(const struct view *v, const char *text, size_t n,
                        const char *name)
{
    char near[DID_YOU_MEAN_TEXT];
    struct did_you_mean names;

    did_you_mean_begin(&names, name);
    for (unsigned i = 0; i < v->metrics->count; i++)
        did_you_mean_offer(&names, v->metrics->list[i].name);
    for (unsigned i = 0; offcpu_blocked(v->r) && i < STATES_ALL; i++)
        if (offcpu_name(i))
            did_you_mean_offer(&names, offcpu_name(i));
    if (!names.count)
        return refuse_metric(v, text, n);
    report_refuse(v->o, "%.*s: no metric is called %s%s", (int)n, text, name,
                  did_you_mean_text(&names, near));
    return false;
}

/* One metric of n bytes. */
static bool read_metric(const struct view *v, const char *text, size_t n,
                        struct spelled *s)
{
    size_t letters = strspn(text, flavor_letter);
    size_t looks = strspn(text + letters, ".+%!");
    char name[128];
    int metric;

    *s = (struct spelled){0};
    if (!letters || !looks || letters + looks >= n ||
        looks >= sizeof s->looks || n - letters - looks >= sizeof name)
        return refuse_metric(v, text, n);
    for (size_t i = 0; i < letters; i++)
        s->flavors |= 1u << (strchr(flavor_letter, text[i]) - flavor_letter);
    memcpy(s->looks, text + letters, looks);
    snprintf(name, sizeof name, "%.*s", (int)(n - letters - looks),
             text + letters + looks);
    metric = samples_metrics_find(v->metrics, name);
    if (metric < 0)
        return refuse_name(v, text, n, name);
    s->metric = (unsigned)metric;
    return true;
}

/* A column, if this report can have it. False: there is no room. */
static bool add_column(struct view *v, unsigned metric, enum flavor flavor,
                       enum look look)
{
    bool none = !(v->flavors & 1u << flavor) ||
                (metric == SAMPLES_EXACT && flavor != FLAVOR_EXCLUSIVE);

    if (none)
        return true;
    if (v->columns == VIEW_COLUMNS)
        return false;
    v->column[v->columns++] = (struct view_column){metric, flavor, look};
    return true;
}

static bool add_spelled(struct view *v, const struct spelled *s)
{
    bool time = v->metrics->list[s->metric].cycles && v->r->clock_hz;

    for (int f = 0; f < FLAVORS; f++)
        for (const char *c = s->looks; *c && s->flavors & 1u << f; c++) {
            enum look look = *c == '%'           ? LOOK_PERCENT
                             : *c == '.' && time ? LOOK_TIME
                                                 : LOOK_COUNT;

            if (*c != '!' && !add_column(v, s->metric, (enum flavor)f, look))
                return false;
        }
    return true;
}

static bool read_metrics(struct view *v, const char *list)
{
    for (const char *at = list;; at++) {
        size_t n = strcspn(at, ":");
        struct spelled s;

        if (!at[n] && n == 4 && !strncmp(at, "name", 4) && at > list)
            break;
        if (!read_metric(v, at, n, &s))
            return false;
        if (!add_spelled(v, &s)) {
            report_refuse(v->o, "--metrics: %d columns are all there are",
                          VIEW_COLUMNS);
            return false;
        }
        at += n;
        if (!*at)
            break;
    }
    if (!v->columns && !(v->o->standing & OPTION_METRICS))
        report_refuse(v->o, "%s: leaves this report without a column", list);
    return !v->o->refusal->text[0];
}

static bool read_sort(struct view *v, const char *text)
{
    struct spelled s;

    v->backwards = text[0] == '-';
    text += v->backwards;
    v->by_name = !strcmp(text, "name");
    if (v->by_name)
        return true;
    if (!read_metric(v, text, strlen(text), &s))
        return false;
    for (int f = 0; f < FLAVORS; f++)
        if (s.flavors & v->flavors & 1u << f) {
            v->sort = (struct view_column){s.metric, (enum flavor)f, 0};
            return true;
        }
    if (v->o->standing & OPTION_SORT) {
        for (int f = 0; f < FLAVORS; f++)
            if (v->flavors & 1u << f) /* by what it has of the metric */
                v->sort = (struct view_column){s.metric, (enum flavor)f, 0};
        return true;
    }
    return refuse_metric(v, text, strlen(text));
}

/* ---- what suits ---------------------------------------------------------- */

static unsigned digits(uint64_t n)
{
    char text[TEXT_NUMBER];

    return (unsigned)strlen(text_count(text, n));
}

/* Columns of text that a counter's columns take. */
static unsigned width_of(const struct view *v, unsigned metric)
{
    unsigned number = digits(v->metrics->list[metric].total);
    unsigned name = (unsigned)strlen(v->metrics->list[metric].name);
    unsigned each = (number > name ? number : name) + 2, columns = 0;

    for (int f = 0; f < FLAVORS; f++)
        columns += !!(v->flavors & 1u << f);
    return each * columns + 8;
}

/* Does any counter have events here? */
static bool any_total(const struct view *v)
{
    for (unsigned m = 1; m < v->metrics->count; m++)
        if (v->metrics->list[m].total)
            return true;
    return false;
}

/* A counter's columns: every flavor, and the share of the inclusive one; or
 * of brief views the exclusive one. */
static void add_counter(struct view *v, unsigned m)
{
    static const enum flavor order[] = {FLAVOR_ATTRIBUTED, FLAVOR_EXCLUSIVE,
                                        FLAVOR_INCLUSIVE};
    bool calls = v->flavors & 1 << FLAVOR_ATTRIBUTED;
    bool brief = v->flavors & VIEW_BRIEF && !v->o->csv;

    for (int f = 0; f < FLAVORS; f++)
        if (!brief || order[f] == FLAVOR_EXCLUSIVE)
            add_column(v, m, order[f], LOOK_COUNT);
    if (!calls && !brief)
        add_column(v, m,
                   v->flavors & 1 << FLAVOR_INCLUSIVE ? FLAVOR_INCLUSIVE
                                                      : FLAVOR_EXCLUSIVE,
                   LOOK_PERCENT);
}

/* Exact cycles with their share, then the counter that rows are sorted by, then
 * the others, while room is left for names; CSV has all. Where rows are of
 * stacks, exact cycles say nothing. */
static void choose_columns(struct view *v, unsigned first)
{
    unsigned used = digits(v->metrics->list[SAMPLES_EXACT].total) + 10;
    bool stacks = v->flavors & VIEW_STACKS;

    if (!v->o->csv && !v->metrics->list[SAMPLES_EXACT].total && any_total(v))
        stacks = true; /* a filter about counters left no exact cycles */
    if (stacks) {
        used = 0;
    } else {
        add_column(v, SAMPLES_EXACT, FLAVOR_EXCLUSIVE, LOOK_COUNT);
        add_column(v, SAMPLES_EXACT, FLAVOR_EXCLUSIVE, LOOK_PERCENT);
    }
    for (unsigned i = 0; i < v->metrics->count; i++) {
        unsigned m = i ? i : first;

        if (m == SAMPLES_EXACT || (i && m == first))
            continue;
        if (!v->o->csv && !v->metrics->list[m].total && any_total(v))
            continue; /* the filter left nothing of it */
        if (!v->o->csv && v->columns > (stacks ? 0 : 2) &&
            used + width_of(v, m) + NAME_ROOM > v->o->width)
            continue;
        used += width_of(v, m);
        add_counter(v, m);
    }
}

bool view_shows(const struct view *v, unsigned metric)
{
    for (unsigned i = 0; i < v->columns; i++)
        if (v->column[i].metric == metric)
            return true;
    return false;
}

/* Of a list of metrics: those of waits. */
static unsigned waits_in(const char *list)
{
    unsigned bits = 0;
    char name[32];
    size_t n;

    for (; list && *list; list += n + (list[n] == ':')) {
        size_t letters = strspn(list, "eia");

        n = strcspn(list, ":");
        letters += strspn(list + letters, ".+%!");
        if (letters < n && n - letters < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)(n - letters),
                     list + letters);
            bits |= offcpu_bit(name);
        }
    }
    return bits;
}

unsigned view_waits(struct recording *r, const struct options *o, bool *good)
{
    unsigned bits = waits_in(o->text[OPTION_BIT_METRICS]) |
                    waits_in(o->text[OPTION_BIT_SORT]);

    *good = !bits || offcpu_blocked(r);
    if (!*good)
        report_refuse(o,
                      "%s: the run does not tell what threads waited for; the "
                      "guest does with --append \"states=on\", simrun --user "
                      "with --switch-stacks",
                      offcpu_name((unsigned)__builtin_ctz(bits)));
    return *good ? bits : 0;
}

bool view_open(struct view *v, struct recording *r, const struct options *o,
               const struct samples_metrics *metrics, unsigned flavors)
{
    const char *list = o->text[OPTION_BIT_METRICS];
    const char *sort = o->text[OPTION_BIT_SORT];

    *v = (struct view){.r = r, .o = o, .metrics = metrics, .flavors = flavors};
    if (list && !read_metrics(v, list))
        return false;
    if (sort && !read_sort(v, sort))
        return false;
    if (!v->columns)
        choose_columns(v, v->sort.metric);
    if (v->columns && (!sort || v->by_name))
        v->sort = v->column[0];
    return true;
}

/* ---- tables -------------------------------------------------------------- */

/* Percents stand behind the values that they are the shares of, or name them.
 */
static void put_percent(const struct view *v, unsigned i, const char *of,
                        char heading[192])
{
    const struct view_column *c = &v->column[i], *b = c - 1;

    if (i && b->metric == c->metric && b->flavor == c->flavor)
        snprintf(heading, 192, "%% of\ntotal");
    else
        snprintf(heading, 192, "%s %%\n%s", of,
                 c->metric == SAMPLES_EXACT ? "cycles"
                                            : v->metrics->list[c->metric].name);
}

static void put_column(struct table *t, const struct view *v, unsigned i)
{
    static const char *const words[] = {"excl.", "incl.", "attr."};
    static const char *const keys[] = {"excl", "incl", "attr"};
    static const char *const units[] = {"", "_seconds", "_percent"};
    const struct view_column *c = &v->column[i];
    const char *name = v->metrics->list[c->metric].name;
    char heading[192], key[160];

    if (c->look == LOOK_PERCENT)
        put_percent(v, i,
                    c->metric == SAMPLES_EXACT ? "exact" : words[c->flavor],
                    heading);
    else if (c->metric == SAMPLES_EXACT)
        snprintf(heading, sizeof heading, "exact\n%s",
                 c->look == LOOK_TIME ? "s" : "cycles");
    else
        snprintf(heading, sizeof heading, "%s\n%s%s", words[c->flavor], name,
                 c->look == LOOK_TIME ? " s" : "");
    snprintf(key, sizeof key, "%s_%s%s", keys[c->flavor], name, units[c->look]);
    table_column(t, heading, key, TABLE_NUMBER);
}

void view_columns(struct table *t, const struct view *v)
{
    for (unsigned i = 0; i < v->columns; i++)
        put_column(t, v, i);
}

/* "0.001234", rounded. */
static void put_seconds(struct table *t, uint64_t cycles, uint64_t hz)
{
    uint64_t millionths =
        (uint64_t)(((unsigned __int128)cycles * 1000000 + hz / 2) / hz);
    char text[TEXT_NUMBER * 2];

    snprintf(text, sizeof text, "%" PRIu64 ".%06" PRIu64, millionths / 1000000,
             millionths % 1000000);
    table_text(t, text);
}

static void put_cell(struct table *t, const struct view *v,
                     const struct view_column *c, const struct view_row *row,
                     const struct view_row *total)
{
    uint64_t n, all;

    if (!row->value[c->flavor]) {
        table_text(t, "");
        return;
    }
    n = row->value[c->flavor][c->metric];
    all = total->value[FLAVOR_EXCLUSIVE][c->metric];
    if (c->look == LOOK_PERCENT && c->metric == SAMPLES_EXACT) {
        n -= row->parked;
        all -= total->parked;
    }
    if (!n && !v->o->csv)
        table_text(t, ".");
    else if (c->look == LOOK_PERCENT)
        table_percent(t, n, all);
    else if (c->look == LOOK_TIME)
        put_seconds(t, n, v->r->clock_hz);
    else
        table_count(t, n);
}

void view_cells(struct table *t, const struct view *v,
                const struct view_row *row, const struct view_row *total)
{
    for (unsigned i = 0; i < v->columns; i++)
        put_cell(t, v, &v->column[i], row, total);
}

static uint64_t value_in(const struct view_row *row,
                         const struct view_column *c)
{
    return row->value[c->flavor] ? row->value[c->flavor][c->metric] : 0;
}

int view_order(const struct view *v, const struct view_row *a,
               const struct view_row *b)
{
    int order = 0;

    if (!v->by_name) {
        order = value_in(a, &v->sort) > value_in(b, &v->sort)   ? -1
                : value_in(a, &v->sort) < value_in(b, &v->sort) ? 1
                                                                : 0;
        /* Of equals: the order of the other columns, then names. */
        for (unsigned i = 0; !order && i < v->columns; i++)
            order = value_in(a, &v->column[i]) > value_in(b, &v->column[i]) ? -1
                    : value_in(a, &v->column[i]) < value_in(b, &v->column[i])
                        ? 1
                        : 0;
    }
    if (!order)
        order = strcmp(a->name, b->name);
    return v->backwards ? -order : order;
}

/* ---- a whole table ------------------------------------------------------- */

struct sorting {
    const struct view *v;
    struct view_row row;
};

static int by_order(const void *a, const void *b)
{
    const struct sorting *x = a, *y = b;

    return view_order(x->v, &x->row, &y->row);
}

static void sort_rows(const struct view *v, struct view_row *row, size_t rows)
{
    struct sorting *s = grow_zero(rows + 1, sizeof *s);

    for (size_t i = 0; i < rows; i++)
        s[i] = (struct sorting){v, row[i]};
    qsort(s, rows, sizeof *s, by_order);
    for (size_t i = 0; i < rows; i++)
        row[i] = s[i].row;
    free(s);
}

static bool is_nothing(const struct view *v, const struct view_row *row)
{
    for (unsigned i = 0; i < v->columns; i++)
        if (value_in(row, &v->column[i]))
            return false;
    return true;
}

static void put_rest(struct table *t, const struct view *v,
                     const struct view_row *row, size_t rows,
                     const struct view_row *total)
{
    uint64_t *sum = grow_zero(v->metrics->count, sizeof *sum);
    struct view_row rest = {.name = "<all others>", .value = {sum}};

    for (size_t i = 0; i < rows; i++) {
        rest.parked += row[i].parked;
        for (unsigned m = 0; m < v->metrics->count; m++)
            sum[m] += row[i].value[FLAVOR_EXCLUSIVE][m];
    }
    view_cells(t, v, &rest, total);
    table_text(t, rest.name);
    free(sum);
}

static bool shows_share_of_exact(const struct view *v)
{
    for (unsigned i = 0; i < v->columns; i++)
        if (v->column[i].look == LOOK_PERCENT &&
            v->column[i].metric == SAMPLES_EXACT)
            return true;
    return false;
}

void view_print(const struct view *v, struct view_row *row, size_t rows,
                const struct view_row *total, const char *names, FILE *to)
{
    struct table t = {0};
    size_t shown, kept = 0;

    for (size_t i = 0; i < rows; i++)
        if (!is_nothing(v, &row[i]))
            row[kept++] = row[i];
    rows = kept;
    if (!v->as_is)
        sort_rows(v, row, rows);
    shown = v->o->limit && rows > v->o->limit ? v->o->limit : rows;
    view_columns(&t, v);
    table_column(&t, names, names, v->wrap ? TABLE_WRAP : 0);
    view_cells(&t, v, total, total);
    table_text(&t, total->name);
    for (size_t i = 0; i < shown; i++) {
        view_cells(&t, v, &row[i], total);
        table_text(&t, row[i].name);
    }
    if (shown < rows)
        put_rest(&t, v, row + shown, rows - shown, total);
    report_table(&t, v->o, to);
    if (shows_share_of_exact(v))
        report_parked(total->parked, v->o, to);
}
