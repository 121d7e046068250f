/* idle_calls.c - the idle report's tree of calls. */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/simprof/reports/idle/idle.h"
#include "tools/simprof/view/tree_rows.h"

/* Siblings: most samples of both kinds first, then to-idle, then by name. */
static int siblings(const struct stacktree *tree, uint32_t a, uint32_t b,
                    const void *arg)
{
    const struct idle_view *v = arg;
    uint64_t p = idle_view_total(v, a, IDLE_TO);
    uint64_t q = idle_view_total(v, b, IDLE_TO);
    uint64_t x = p + idle_view_total(v, a, IDLE_FROM);
    uint64_t y = q + idle_view_total(v, b, IDLE_FROM);

    (void)tree;
    if (x != y)
        return x > y ? -1 : 1;
    if (p != q)
        return p > q ? -1 : 1;
    return idle_view_order(v, a, b);
}

static bool is_small(const struct idle_view *v, uint32_t node)
{
    for (int m = IDLE_TO; m <= IDLE_FROM; m++) {
        enum idle_metric metric = (enum idle_metric)m;
        uint64_t n = idle_view_total(v, node, metric);

        if (n && (!v->o->limit ||
                  n * TREE_ROWS_SMALL >= idle_view_whole(v, m == IDLE_TO)))
            return false;
    }
    return true;
}

static bool is_empty(const struct idle_view *v, uint32_t node)
{
    return !idle_view_total(v, node, IDLE_TO) &&
           !idle_view_total(v, node, IDLE_FROM);
}

static void put_counts(struct table *t, const struct idle_view *v, uint64_t to,
                       uint64_t from)
{
    uint64_t all_to = idle_view_whole(v, true),
             all_from = idle_view_whole(v, false);

    table_dotted(t, to);
    if (to)
        table_percent(t, to, all_to);
    else
        table_text(t, ".");
    table_dotted(t, from);
    if (from)
        table_percent(t, from, all_from);
    else
        table_text(t, ".");
}

struct idle_tree {
    const struct idle_view *v;
    struct table table;
    unsigned step; /* blanks a level */
};

static enum tree_worth worth(const void *arg, uint32_t node)
{
    const struct idle_tree *t = arg;

    return !is_small(t->v, node)  ? TREE_WORTH_ROW
           : is_empty(t->v, node) ? TREE_WORTH_NOTHING
                                  : TREE_WORTH_SMALL;
}

/* A frame, indented; where stacks end that others pass, how many. */
static uint32_t put_frame(void *arg, uint32_t node, uint32_t parent)
{
    struct idle_tree *t = arg;
    const struct idle_view *v = t->v;
    uint64_t to = idle_view_base(v, node, IDLE_TO);
    uint64_t from = idle_view_base(v, node, IDLE_FROM);
    const struct stacknode *n = &v->d.tree.node[node];
    char name[IDLE_NAME], line[IDLE_NAME * 3], ends[96] = "";

    if (node == STACKTREE_ROOT) {
        struct idle_sums all = idle_view_sums(v);

        put_counts(&t->table, v, all.interrupts, all.ends);
        table_text(&t->table, "<Total>");
        return parent;
    }
    if (n->child != STACKTREE_NONE && (to || from))
        snprintf(ends, sizeof ends, " [%" PRIu64 " and %" PRIu64 " end here]",
                 to, from);
    snprintf(line, sizeof line, "%*s%s%s", (int)((n->depth - 1) * t->step), "",
             idle_view_name(v, node, name), ends);
    put_counts(&t->table, v, idle_view_total(v, node, IDLE_TO),
               idle_view_total(v, node, IDLE_FROM));
    table_text(&t->table, line);
    return parent;
}

static void put_small(void *arg, uint32_t node, uint32_t parent,
                      const uint32_t *small, unsigned count)
{
    struct idle_tree *t = arg;
    const struct idle_view *v = t->v;
    uint64_t to = 0, from = 0;
    char line[IDLE_NAME];

    (void)parent;
    for (unsigned i = 0; i < count; i++) {
        to += idle_view_total(v, small[i], IDLE_TO);
        from += idle_view_total(v, small[i], IDLE_FROM);
    }
    snprintf(line, sizeof line, "%*s(%u more, each below 1%%)",
             (int)(v->d.tree.node[node].depth * t->step), "", count);
    put_counts(&t->table, v, to, from);
    table_text(&t->table, line);
}

void idle_print_tree(struct idle_view *v, FILE *to)
{
    struct idle_sums all = idle_view_sums(v);
    struct idle_tree t = {.v = v, .step = tree_rows_step(&v->d.tree)};
    struct tree_rows rows = {&v->d.tree, worth, put_frame, put_small, &t};

    stacktree_sort(&v->d.tree, siblings, v);
    fputs("\nCall tree: from where a thread began to where it had stopped\n",
          to);
    table_column(&t.table, "to-idle", "", TABLE_NUMBER);
    table_column(&t.table, "share", "", TABLE_NUMBER);
    table_column(&t.table, "from-idle", "", TABLE_NUMBER);
    table_column(&t.table, "share", "", TABLE_NUMBER);
    table_column(&t.table, "function", "", 0);
    tree_rows_put(&rows);
    for (unsigned i = 1; i < IDLE_REASONS; i++) {
        bool to_idle = i < UNSAMPLED_REASONS;

        if (!all.unsampled[i])
            continue;
        put_counts(&t.table, v, to_idle ? all.unsampled[i] : 0,
                   to_idle ? 0 : all.unsampled[i]);
        table_text(&t.table, idle_reason_text(i));
    }
    report_table(&t.table, v->o, to);
}

/* Nodes are numbered as they are printed. */
static void csv_node(struct table *t, const struct idle_view *v, uint32_t node,
                     const uint32_t *number)
{
    const struct stacknode *n = &v->d.tree.node[node];
    char name[IDLE_NAME], cpu[16];

    table_text(t, idle_view_cpu(v, cpu));
    table_count(t, number[node]);
    if (n->parent == STACKTREE_NONE)
        table_number(t, "", "");
    else
        table_count(t, number[n->parent]);
    table_count(t, n->depth);
    table_count(t, idle_view_total(v, node, IDLE_TO));
    table_count(t, idle_view_base(v, node, IDLE_TO));
    table_count(t, idle_view_total(v, node, IDLE_FROM));
    table_count(t, idle_view_base(v, node, IDLE_FROM));
    table_count(t, idle_view_total(v, node, IDLE_EXPLAINED));
    table_text(t, idle_name(&v->d, v->r, node, name, sizeof name));
}

void idle_csv_tree(struct table *t, struct idle_view *v)
{
    static const char *const key[] = {
        "cpu",         "node",         "parent",    "depth",
        "to_idle",     "to_idle_base", "from_idle", "from_idle_base",
        "idle_cycles", "function"};
    uint32_t *number = grow_zero(v->d.tree.count, sizeof *number), rows = 0;

    if (!t->columns)
        for (size_t i = 0; i < sizeof key / sizeof key[0]; i++)
            table_column(t, "", key[i], 0);
    stacktree_sort(&v->d.tree, siblings, v);
    for (uint32_t n = STACKTREE_ROOT; n != STACKTREE_NONE;
         n = stacktree_next(&v->d.tree, n))
        if (n == STACKTREE_ROOT || !is_empty(v, n)) {
            number[n] = rows++;
            csv_node(t, v, n, number);
        }
    free(number);
}
