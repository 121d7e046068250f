/* calls.c - the reports `callers_callees` and `csingle`: each function between
 * those that call it and those it calls, with what each call attributes.
 * Above a function its callers, whose attributed values add up to its
 * inclusive one; in its own line its exclusive value; below its callees: what
 * is attributed there and its exclusive value add up to its inclusive one.
 * <Total> stands between nothing and what threads begin with.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/view/group.h"

/* One line of a block. */
struct call_line {
    const struct view *view;
    const char *role;
    struct view_row row;
};

struct blocks {
    struct group g;
    struct totals_calls calls;
    struct table table;
    const struct options *o;
    struct call_line *line; /* room for the largest block */
    bool again;             /* of a function in one: it calls itself */
};

static int by_order(const void *a, const void *b)
{
    const struct call_line *x = a, *y = b;

    return view_order(x->view, &x->row, &y->row);
}

static struct view_row row_of(const struct blocks *b, uint32_t row)
{
    return row == TOTALS_ROOT ? group_total(&b->g) : group_row(&b->g, row);
}

static void put_line(struct blocks *b, const struct call_line *l,
                     const char *of)
{
    struct view_row total = group_total(&b->g);
    const char *mark = strcmp(l->role, "function") ? " " : "*";
    char text[GROUP_NAME + 2];

    view_cells(&b->table, &b->g.view, &l->row, &total);
    snprintf(text, sizeof text, "%s%s", mark, l->row.name);
    table_text(&b->table, of);
    table_text(&b->table, l->role);
    table_both(&b->table, text, l->row.name);
}

/* The callers, or the callees, of a row. calls: those of this row. */
static void put_calls(struct blocks *b, const struct totals_call *call,
                      size_t n, bool callers, const char *of)
{
    size_t lines = 0;

    for (size_t i = 0; i < n; i++) {
        if (call[i].caller != callers)
            continue;
        b->line[lines] =
            (struct call_line){&b->g.view, callers ? "caller" : "callee",
                               row_of(b, call[i].other)};
        b->line[lines++].row.value[FLAVOR_ATTRIBUTED] = call[i].attributed;
    }
    qsort(b->line, lines, sizeof *b->line, by_order);
    for (size_t i = 0; i < lines; i++)
        put_line(b, &b->line[i], of);
}

/* row TOTALS_ROOT: that of <Total>. */
static void put_block(struct blocks *b, uint32_t row)
{
    struct call_line self = {&b->g.view, "function", row_of(b, row)};
    size_t from = 0, to;

    while (from < b->calls.count && b->calls.list[from].row < row)
        from++;
    for (to = from; to < b->calls.count; to++)
        if (b->calls.list[to].row != row)
            break;
    self.row.value[FLAVOR_ATTRIBUTED] = self.row.value[FLAVOR_EXCLUSIVE];
    b->again |= row != TOTALS_ROOT && b->calls.again[row];
    put_calls(b, b->calls.list + from, to - from, true, self.row.name);
    put_line(b, &self, self.row.name);
    put_calls(b, b->calls.list + from, to - from, false, self.row.name);
}

/* An empty line between two blocks. */
static void put_gap(struct blocks *b)
{
    if (b->o->csv)
        return;
    for (size_t i = 0; i < b->table.columns; i++)
        table_text(&b->table, "");
}

static bool blocks_open(struct blocks *b, struct recording *r,
                        const struct options *o)
{
    unsigned all = 1 << FLAVOR_EXCLUSIVE | 1 << FLAVOR_INCLUSIVE |
                   1 << FLAVOR_ATTRIBUTED | VIEW_STACKS;
    struct grouping by = group_by_function(r);

    *b = (struct blocks){.o = o};
    if (!group_open(&b->g, r, o, &by, all))
        return false;
    totals_calls_read(&b->calls, &b->g.tally, &b->g.samples);
    b->line = grow_zero(b->g.tally.rows + 1, sizeof *b->line);
    view_columns(&b->table, &b->g.view);
    table_column(&b->table, "", "of", TABLE_CSV);
    table_column(&b->table, "", "role", TABLE_CSV);
    table_column(&b->table, " function", "function", 0);
    return true;
}

static void blocks_print(struct blocks *b, const char *title, FILE *to)
{
    bool any = b->g.samples.metric.count > 1;

    if (!b->o->csv) {
        report_head(b->g.r, title, to);
        selection_say(&b->g.selection, b->o, to);
    }
    if (any || b->o->csv)
        report_table(&b->table, b->o, to);
    if (b->again && !b->o->csv)
        report_say(
            b->o, to,
            "\nA sample counts once. Where calls go back into a function "
            "that is on the stack already, its call nearest the leaf "
            "counts: of one that calls itself the caller is itself.");
    if (!b->o->csv)
        group_foot(&b->g, to);
}

static void blocks_close(struct blocks *b)
{
    table_free(&b->table);
    totals_calls_free(&b->calls);
    free(b->line);
    group_close(&b->g);
}

/* Rows of functions on stacks, in the order of the view. Returns how many. */
static size_t order_functions(const struct blocks *b, struct call_line *line)
{
    size_t n = 0;

    for (size_t i = 0; i < b->g.tally.rows; i++) {
        bool on_stack = false;

        line[n] = (struct call_line){&b->g.view, "", group_row(&b->g, i)};
        line[n].row.value[FLAVOR_ATTRIBUTED] =
            line[n].row.value[FLAVOR_EXCLUSIVE];
        for (unsigned m = 1; m < b->g.samples.metric.count; m++)
            on_stack |= b->g.tally.row[i].inclusive[m] > 0;
        n += on_stack;
    }
    qsort(line, n, sizeof *line, by_order);
    return n;
}

void report_callers_callees(struct recording *r, const struct options *o,
                            FILE *to)
{
    struct call_line *line;
    struct blocks b;
    size_t n;

    if (!blocks_open(&b, r, o))
        return;
    line = grow_zero(b.g.tally.rows + 1, sizeof *line);
    n = order_functions(&b, line);
    put_block(&b, TOTALS_ROOT);
    for (size_t i = 0; i < n && (!o->limit || i < o->limit); i++) {
        put_gap(&b);
        for (uint32_t row = 0; row < b.g.tally.rows; row++)
            if (b.g.name[row] == line[i].row.name)
                put_block(&b, row);
    }
    blocks_print(&b, "functions between their callers and callees", to);
    free(line);
    blocks_close(&b);
}

void report_csingle(struct recording *r, const struct options *o, FILE *to)
{
    const char *wanted = o->text[OPTION_BIT_FUNCTION];
    bool total = wanted && !strcmp(wanted, "<Total>");
    struct blocks b;
    long row;

    if (!wanted) {
        report_refuse(o, "csingle: which function?");
        return;
    }
    if (!blocks_open(&b, r, o))
        return;
    row = total ? 0 : group_named(&b.g, wanted);
    if (row >= 0) {
        put_block(&b, total ? TOTALS_ROOT : (uint32_t)row);
        blocks_print(&b, "a function between its callers and callees", to);
    }
    blocks_close(&b);
}
