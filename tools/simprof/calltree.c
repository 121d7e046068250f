/* calltree.c - the report `calltree`: from where threads begin down to where
 * samples fell, a line for each call sequence.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/grow.h"
#include "tools/simprof/group.h"

#define SMALL 100 /* a branch below 1/SMALL of the total is put together */

struct calltree {
    struct group g;
    struct stacktree tree; /* of rows of the tally */
    struct table table;
    unsigned step; /* blanks a level */
};

static uint64_t key(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

static void name(void *arg, const struct samples_frame *frame,
                 char out[GROUP_NAME])
{
    snprintf(out, GROUP_NAME, "%s", samples_name(arg, frame->function));
}

/* The tree of instructions becomes one of functions. */
static void build(struct calltree *c)
{
    const struct samples *s = &c->g.samples;
    uint32_t *at = grow_zero(s->tree.count, sizeof *at);
    uint32_t deepest = 0;

    stacktree_init(&c->tree, s->metric.count);
    for (uint32_t n = 1; n < s->tree.count; n++) {
        const struct stacknode *node = &s->tree.node[n];

        at[n] = stacktree_below(&c->tree, at[node->parent],
                                c->g.tally.of[node->frame]);
        for (unsigned m = 0; m < s->metric.count; m++)
            stacktree_add(&c->tree, at[n], m, stacktree_base(&s->tree, n, m));
        if (node->depth > deepest)
            deepest = node->depth;
    }
    stacktree_total(&c->tree);
    c->step = deepest > 10 ? 1 : 2;
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
    if (!c->g.o->limit || c->g.o->csv)
        return false;
    for (unsigned i = 0; i < c->g.view.columns; i++) {
        unsigned m = c->g.view.column[i].metric;

        if (stacktree_sum(&c->tree, node, m) &&
            stacktree_sum(&c->tree, node, m) * SMALL >=
                stacktree_sum(&c->tree, STACKTREE_ROOT, m))
            return false;
    }
    return true;
}

static void put_line(struct calltree *c, const struct view_row *row,
                     unsigned depth, const char *text)
{
    struct view_row total = group_total(&c->g);
    char line[GROUP_NAME * 2];

    snprintf(line, sizeof line, "%*s%s", (int)(depth * c->step), "", text);
    view_cells(&c->table, &c->g.view, row, &total);
    table_text(&c->table, line);
}

/* The small children of a node as one line. */
static void put_small(struct calltree *c, uint32_t node)
{
    const struct stacktree *t = &c->tree;
    uint64_t *sum = grow_zero(t->metrics, sizeof *sum);
    struct view_row row = {.value = {NULL, sum}};
    unsigned count = 0;
    char text[64];

    for (uint32_t n = t->node[node].child; n != STACKTREE_NONE;
         n = t->node[n].sibling) {
        if (!is_small(c, n) || is_nothing(c, n))
            continue;
        count++;
        for (unsigned m = 0; m < t->metrics; m++)
            sum[m] += stacktree_sum(t, n, m);
    }
    snprintf(text, sizeof text, "(%u more, each below 1%%)", count);
    if (count)
        put_line(c, &row, t->node[node].depth + 1, text);
    free(sum);
}

/* A node and what is below it, as deep as stacks are. */
static void put_tree(struct calltree *c, uint32_t node)
{
    const struct stacktree *t = &c->tree;
    struct view_row row = row_of(c, node);

    put_line(c, &row, t->node[node].depth, row.name);
    for (uint32_t n = t->node[node].child; n != STACKTREE_NONE;
         n = t->node[n].sibling)
        if (!is_small(c, n))
            put_tree(c, n);
    put_small(c, node);
}

/* Nodes are numbered as they are printed. */
static void put_csv(struct calltree *c)
{
    uint32_t *number = grow_zero(c->tree.count, sizeof *number), next = 0;

    for (uint32_t n = STACKTREE_ROOT; n != STACKTREE_NONE;
         n = stacktree_next(&c->tree, n)) {
        const struct stacknode *node = &c->tree.node[n];
        struct view_row row = row_of(c, n), total = group_total(&c->g);

        view_cells(&c->table, &c->g.view, &row, &total);
        number[n] = next++;
        table_count(&c->table, number[n]);
        if (node->parent == STACKTREE_NONE)
            table_text(&c->table, "");
        else
            table_count(&c->table, number[node->parent]);
        table_count(&c->table, node->depth);
        table_text(&c->table, row.name);
    }
    free(number);
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
    struct grouping by = {key, name, r, true};
    struct calltree c = {0};

    if (!group_open(&c.g, r, o, &by, flavors))
        return;
    build(&c);
    stacktree_sort(&c.tree, siblings, &c);
    put_columns(&c);
    if (!o->csv) {
        report_head(r, "call tree", to);
        selection_say(&c.g.selection, o, to);
    }
    if (o->csv)
        put_csv(&c);
    else if (c.g.samples.metric.count > 1)
        put_tree(&c, STACKTREE_ROOT);
    if (o->csv || c.g.samples.metric.count > 1)
        report_table(&c.table, o, to);
    if (!o->csv)
        group_foot(&c.g, to);
    table_free(&c.table);
    stacktree_free(&c.tree);
    group_close(&c.g);
}
