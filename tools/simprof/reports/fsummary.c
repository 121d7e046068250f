/* fsummary.c - the reports `fsummary` and `fsingle`: all that is known of a
 * function: its values, where its code and its source are, its other names.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/view/group.h"
#include "tools/simprof/view/lines.h"
#include "tools/simprof/report/function_hint.h"

struct summary {
    struct group g;
    struct lines_of lines;
    struct view_row row; /* of the function in hand */
    uint32_t function;
    FILE *to;
};

/* ---- facts of a function, "" where there are none ------------------------ */

struct facts {
    char *object, *aliases;
    char source[GROUP_NAME], address[16], size[16];
};

static char *aliases_of(const struct function *f)
{
    size_t room = 0, used = 0;
    char *all = grow(NULL, &room, 1, 1);

    for (size_t i = 0; f && i < f->aliases; i++) {
        all = grow(all, &room, used + strlen(f->alias[i]) + 3, 1);
        used += (size_t)sprintf(all + used, "%s%s", i ? ", " : "", f->alias[i]);
    }
    return all;
}

/* Where it was written, else its first instruction that has a line. */
static void find_source(struct summary *s, uint32_t start, uint32_t size,
                        char out[GROUP_NAME])
{
    struct source_line written = lines_written(&s->lines, start);

    if (written.file) {
        snprintf(out, GROUP_NAME, "%s:%" PRIu32,
                 lines_file(&s->lines, written.file), written.line);
        return;
    }
    for (uint32_t at = 0; at < size; at += 4) {
        struct samples_frame frame = {
            .function = s->function, .pc = start + at, .cycle = UINT64_MAX};
        struct source_line line = lines_find(&s->lines, &frame);

        if (!line.file)
            continue;
        snprintf(out, GROUP_NAME, "%s:%" PRIu32,
                 lines_file(&s->lines, line.file), line.line);
        return;
    }
}

static struct facts facts_of(struct summary *s)
{
    const struct loadmap *map = &s->g.r->map;
    const struct function *it = loadmap_function(map, s->function);
    struct facts f = {.aliases = aliases_of(it)};
    uint32_t start, size;

    f.object = it ? group_object(s->g.r, s->function) : grow_text("");
    text_printable(f.object);
    if (loadmap_extent(map, s->function, &start, &size)) {
        snprintf(f.address, sizeof f.address, "0x%08" PRIx32, start);
        snprintf(f.size, sizeof f.size, "%" PRIu32, size);
        find_source(s, start, size, f.source);
    }
    return f;
}

static void facts_free(struct facts *f)
{
    free(f->object);
    free(f->aliases);
}

/* ---- as text ------------------------------------------------------------- */

static void put_values(struct summary *s)
{
    const struct samples_metrics *m = &s->g.samples.metric;
    struct view_row total = group_total(&s->g);
    struct table t = {0};

    table_column(&t, "excl.", "excl", TABLE_NUMBER);
    table_column(&t, "%", "excl_percent", TABLE_NUMBER);
    table_column(&t, "incl.", "incl", TABLE_NUMBER);
    table_column(&t, "%", "incl_percent", TABLE_NUMBER);
    table_column(&t, "metric", "metric", 0);
    for (unsigned i = 0; i < m->count; i++) {
        uint64_t all = total.value[FLAVOR_EXCLUSIVE][i];
        uint64_t n = s->row.value[FLAVOR_EXCLUSIVE][i];
        bool exact = i == SAMPLES_EXACT;

        table_dotted(&t, n);
        table_percent(&t, n - (exact ? s->row.parked : 0),
                      all - (exact ? total.parked : 0));
        if (exact) { /* has no stacks */
            table_text(&t, "");
            table_text(&t, "");
        } else {
            table_dotted(&t, s->row.value[FLAVOR_INCLUSIVE][i]);
            table_percent(&t, s->row.value[FLAVOR_INCLUSIVE][i], all);
        }
        table_text(&t, i == SAMPLES_EXACT ? "exact cycles" : m->list[i].name);
    }
    report_table(&t, s->g.o, s->to);
    report_parked(total.parked, s->g.o, s->to);
}

static void put_fact(struct summary *s, const char *what, const char *text)
{
    if (text[0])
        fprintf(s->to, "%-12s %s\n", what, text);
}

static void put_text(struct summary *s)
{
    struct facts f = facts_of(s);

    fprintf(s->to, "%s\n", s->row.name);
    put_fact(s, "source", f.source);
    put_fact(s, "load object", f.object);
    put_fact(s, "address", f.address);
    put_fact(s, "bytes", f.size);
    put_fact(s, "other names", f.aliases);
    put_values(s);
    facts_free(&f);
}

/* ---- as CSV -------------------------------------------------------------- */

static void put_csv(struct summary *s, struct table *t)
{
    struct view_row total = group_total(&s->g);
    struct facts f = facts_of(s);

    view_cells(t, &s->g.view, &s->row, &total);
    table_text(t, s->row.name);
    table_text(t, f.source);
    table_text(t, f.object);
    table_text(t, f.address);
    table_number(t, f.size, f.size);
    table_text(t, f.aliases);
    facts_free(&f);
}

static void put_columns(struct summary *s, struct table *t)
{
    static const char *const names[] = {"function", "source", "object",
                                        "address",  "bytes",  "aliases"};

    view_columns(t, &s->g.view);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        table_column(t, names[i], names[i], 0);
}

/* ---- the reports --------------------------------------------------------- */

struct order {
    const struct summary *s;
    size_t row; /* of the tally */
};

static int by_order(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    struct view_row p = group_row(&x->s->g, x->row);
    struct view_row q = group_row(&y->s->g, y->row);

    return view_order(&x->s->g.view, &p, &q);
}

static void put(struct summary *s, size_t row, struct table *t)
{
    s->row = group_row(&s->g, row);
    s->function = (uint32_t)s->g.tally.row[row].key;
    if (s->g.o->csv)
        put_csv(s, t);
    else
        put_text(s);
}

static bool open_summary(struct summary *s, struct recording *r,
                         const struct options *o, FILE *to)
{
    unsigned flavors = 1 << FLAVOR_EXCLUSIVE | 1 << FLAVOR_INCLUSIVE;
    struct grouping by = group_by_function(r);

    *s = (struct summary){.to = to};
    if (!group_open(&s->g, r, o, &by, flavors))
        return false;
    lines_open(&s->lines, r, true);
    return true;
}

static void begin(const struct summary *s, const char *title)
{
    if (s->g.o->csv)
        return;
    report_head(s->g.r, title, s->to);
    selection_say(&s->g.selection, s->g.o, s->to);
}

static void close_summary(struct summary *s, struct table *t)
{
    if (s->g.o->csv)
        report_table(t, s->g.o, s->to);
    table_free(t);
    lines_close(&s->lines);
    group_close(&s->g);
}

void report_fsummary(struct recording *r, const struct options *o, FILE *to)
{
    struct order *order;
    struct table t = {0};
    struct summary s;

    if (!open_summary(&s, r, o, to))
        return;
    begin(&s, "functions, all that is known of each");
    put_columns(&s, &t);
    order = grow_zero(s.g.tally.rows + 1, sizeof *order);
    for (size_t i = 0; i < s.g.tally.rows; i++)
        order[i] = (struct order){&s, i};
    qsort(order, s.g.tally.rows, sizeof *order, by_order);
    for (size_t i = 0; i < s.g.tally.rows && (!o->limit || i < o->limit); i++) {
        if (i && !o->csv)
            putc('\n', to);
        put(&s, order[i].row, &t);
    }
    free(order);
    close_summary(&s, &t);
}

void report_fsingle(struct recording *r, const struct options *o, FILE *to)
{
    const char *wanted = o->text[OPTION_BIT_FUNCTION];
    struct table t = {0};
    struct summary s;
    long row;

    if (!wanted) {
        report_refuse(o, "fsingle: which function?");
        return;
    }
    if (!open_summary(&s, r, o, to))
        return;
    put_columns(&s, &t);
    row = group_named(&s.g, wanted);
    if (row >= 0) {
        begin(&s, "a function, all that is known of it");
        put(&s, (size_t)row, &t);
    }
    close_summary(&s, &t);
}
