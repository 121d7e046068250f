/* calltree.c - the report `calltree`: from where threads begin down to where
 * samples fell, a line for each call sequence.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/view/group.h"
#include "tools/simprof/view/tree_rows.h"

struct calltree {
    struct group g;
    struct stacktree tree; /* of rows of the tally */
    struct table table;
    bool *kept;    /* [node] it has a line */
    bool limited;  /* by --limit */
    unsigned step; /* blanks a level */
    uint32_t lines;
};

/* The tree of instructions becomes one of functions. */
static void build(struct calltree *c)
{
    const struct samples *s = &c->g.samples;
    uint32_t *at = grow_zero(s->tree.count, sizeof *at);

    stacktree_init(&c->tree, s->metric.count);
    for (uint32_t n = 1; n < s->tree.count; n++) {
        const struct stacknode *node = &s->tree.node[n];

        at[n] = stacktree_below(&c->tree, at[node->parent],
                                c->g.tally.of[node->frame]);
        for (unsigned m = 0; m < s->metric.count; m++)
            stacktree_add(&c->tree, at[n], m, stacktree_base(&s->tree, n, m));
    }
    stacktree_total(&c->tree);
    c->step = tree_rows_step(&s->tree);
    free(at);
}

static struct view_row row_of(const struct calltree *c, uint32_t node)
{
    size_t at = (size_t)node * c->tree.metrics;

    if (node == STACKTREE_ROOT)
        return group_total(&c->g);
    return (struct view_row){.name = c->g.name[c->tree.node[node].frame],
                             .value = {c->tree.base + at, c->tree.total + at}};
}

/* The metric that decides about order and what is small. */
static unsigned main_metric(const struct calltree *c)
{
    unsigned m = c->g.view.sort.metric;

    return m == SAMPLES_EXACT && c->tree.metrics > 1 ? 1 : m;
}

static int siblings(const struct stacktree *t, uint32_t a, uint32_t b,
                    const void *arg)
{
    const struct calltree *c = arg;
    unsigned m = main_metric(c);
    uint64_t x = stacktree_sum(t, a, m), y = stacktree_sum(t, b, m);
    int order;

    if (x != y && !c->g.view.by_name)
        return (x > y) != c->g.view.backwards ? -1 : 1;
    order = strcmp(c->g.name[t->node[a].frame], c->g.name[t->node[b].frame]);
    return order ? order : a < b ? -1 : 1;
}

/* Does a node have any of what is shown? */
static bool is_nothing(const struct calltree *c, uint32_t node)
{
    for (unsigned i = 0; i < c->g.view.columns; i++)
        if (stacktree_sum(&c->tree, node, c->g.view.column[i].metric))
            return false;
    return true;
}

static bool is_small(const struct calltree *c, uint32_t node)
{
    for (unsigned i = 0; i < c->g.view.columns; i++) {
        unsigned m = c->g.view.column[i].metric;

        if (stacktree_sum(&c->tree, node, m) &&
            stacktree_sum(&c->tree, node, m) * TREE_ROWS_SMALL >=
                stacktree_sum(&c->tree, STACKTREE_ROOT, m))
            return false;
    }
    return true;
}

/* With --limit=N the N largest nodes are lines, else those with 1%. */
static void choose(struct calltree *c)
{
    const struct stacktree *t = &c->tree;
    uint32_t limit = c->g.o->limit, count = 0;
    struct stacktree_rank *rank = grow_zero(t->count, sizeof *rank);

    c->kept = grow_zero(t->count, sizeof *c->kept);
    c->limited = limit && c->g.o->text[OPTION_BIT_LIMIT];
    for (uint32_t n = 1; n < t->count; n++) {
        if (is_nothing(c, n))
            continue;
        c->kept[n] = c->g.o->csv || !limit || !is_small(c, n);
        rank[count++] = (struct stacktree_rank){
            stacktree_sum(t, n, main_metric(c)), t->node[n].depth, n};
    }
    if (c->limited) {
        qsort(rank, count, sizeof *rank, stacktree_larger);
        for (uint32_t i = 0; i < count; i++)
            c->kept[rank[i].node] = i < limit;
    }
    free(rank);
}

/* A line of text, or of CSV, where lines are numbered. Returns its number. */
static uint32_t put_line(struct calltree *c, const struct view_row *row,
                         unsigned depth, uint32_t parent, const char *text)
{
    struct view_row total = group_total(&c->g);
    char line[GROUP_NAME * 2];

    view_cells(&c->table, &c->g.view, row, &total);
    if (!c->g.o->csv) {
        snprintf(line, sizeof line, "%*s%s", (int)(depth * c->step), "", text);
        table_text(&c->table, line);
        return 0;
    }
    table_count(&c->table, c->lines);
    if (depth)
        table_count(&c->table, parent);
    else
        table_number(&c->table, "", "");
    table_count(&c->table, depth);
    table_text(&c->table, text);
    return c->lines++;
}

static enum tree_worth worth(const void *arg, uint32_t node)
{
    const struct calltree *c = arg;

    return c->kept[node]         ? TREE_WORTH_ROW
           : is_nothing(c, node) ? TREE_WORTH_NOTHING
                                 : TREE_WORTH_SMALL;
}

static uint32_t put_node(void *arg, uint32_t node, uint32_t parent)
{
    struct calltree *c = arg;
    struct view_row row = row_of(c, node);

    return put_line(c, &row, c->tree.node[node].depth, parent, row.name);
}

/* All of theirs is in the one row, and so exclusive values add up, too. */
static void put_small(void *arg, uint32_t node, uint32_t parent,
                      const uint32_t *small, unsigned count)
{
    struct calltree *c = arg;
    const struct stacktree *t = &c->tree;
    uint64_t *sum = grow_zero(t->metrics, sizeof *sum);
    struct view_row row = {.value = {sum, sum}};
    char text[64];

    for (unsigned i = 0; i < count; i++)
        for (unsigned m = 0; m < t->metrics; m++)
            sum[m] += stacktree_sum(t, small[i], m);
    snprintf(text, sizeof text,
             c->limited ? "(%u more)" : "(%u more, each below 1%%)", count);
    put_line(c, &row, t->node[node].depth + 1, parent,
             c->g.o->csv ? "<all others>" : text);
    free(sum);
}

/* Exact cycles are of no stack: where they are shown they have a line. */
static void put_exact(struct calltree *c)
{
    struct view_row total = group_total(&c->g);
    uint64_t *only = grow_zero(c->tree.metrics, sizeof *only);
    uint64_t *none = grow_zero(c->tree.metrics, sizeof *none);
    struct view_row row = {.value = {only, none}};
    bool shown = false;

    for (unsigned i = 0; i < c->g.view.columns; i++)
        shown = shown || c->g.view.column[i].metric == SAMPLES_EXACT;
    only[SAMPLES_EXACT] = total.value[0][SAMPLES_EXACT];
    if (shown && only[SAMPLES_EXACT])
        put_line(c, &row, 1, 0, "<no stack>");
    free(only);
    free(none);
}

static void put_columns(struct calltree *c)
{
    view_columns(&c->table, &c->g.view);
    if (c->g.o->csv) {
        table_column(&c->table, "", "node", 0);
        table_column(&c->table, "", "parent", 0);
        table_column(&c->table, "", "depth", 0);
    }
    table_column(&c->table, "function", "function", 0);
}

void report_calltree(struct recording *r, const struct options *o, FILE *to)
{
    unsigned flavors =
        1 << FLAVOR_EXCLUSIVE | 1 << FLAVOR_INCLUSIVE | VIEW_STACKS;
    struct grouping by = group_by_function(r);
    struct calltree c = {0};
    struct tree_rows rows = {&c.tree, worth, put_node, put_small, &c};

    if (!group_open(&c.g, r, o, &by, flavors))
        return;
    build(&c);
    stacktree_sort(&c.tree, siblings, &c);
    put_columns(&c);
    if (!o->csv) {
        report_head(r, "call tree", to);
        selection_say(&c.g.selection, o, to);
    }
    if (o->csv || c.g.samples.metric.count > 1) {
        choose(&c);
        tree_rows_put(&rows);
        put_exact(&c);
        report_table(&c.table, o, to);
    }
    if (!o->csv)
        group_foot(&c.g, to);
    free(c.kept);
    table_free(&c.table);
    stacktree_free(&c.tree);
    group_close(&c.g);
}
