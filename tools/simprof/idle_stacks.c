/* idle_stacks.c - the idle report's stacks and their tree. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/grow.h"
#include "tools/lib/text.h"
#include "tools/simprof/idle.h"

#define NAME 256
#define STACK 65536 /* a stack as one line of text */

/* Branches with less than one sample in this many are put together. */
#define SMALL 100

static const char *const kind_name[] = {"to-idle", "from-idle"};

/* ---- which stacks ------------------------------------------------------- */

/* By name, then by what it is a name of: the same wherever it was read. */
static int frame_order(const struct idle_view *v, uint32_t a, uint32_t b)
{
    const struct idle_frame *x = &v->d.frame[v->d.tree.node[a].frame];
    const struct idle_frame *y = &v->d.frame[v->d.tree.node[b].frame];
    char name[2][NAME];
    int order = strcmp(idle_name(&v->d, v->r, a, name[0], NAME),
                       idle_name(&v->d, v->r, b, name[1], NAME));

    if (order)
        return order;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* From the root on; a stack stands before those that it is a part of. */
static int stack_order(const struct idle_view *v, uint32_t a, uint32_t b)
{
    const struct stacknode *node = v->d.tree.node;
    uint32_t x = a, y = b;

    while (node[x].depth > node[b].depth)
        x = node[x].parent;
    while (node[y].depth > node[a].depth)
        y = node[y].parent;
    if (x == y)
        return node[a].depth < node[b].depth ? -1
                                             : node[a].depth > node[b].depth;
    while (node[x].parent != node[y].parent) {
        x = node[x].parent;
        y = node[y].parent;
    }
    return frame_order(v, x, y);
}

struct ranked {
    const struct idle_view *v;
    uint32_t node;
    uint64_t n, idle;
};

/* Most samples first, then most idle time. */
static int by_samples(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    if (x->idle != y->idle)
        return x->idle > y->idle ? -1 : 1;
    return stack_order(x->v, x->node, y->node);
}

uint32_t *idle_view_stacks(const struct idle_view *v, enum idle_metric m,
                           size_t *count)
{
    struct ranked *list = grow_zero(v->d.tree.count, sizeof *list);
    uint32_t *node = grow_zero(v->d.tree.count, sizeof *node);

    *count = 0;
    for (uint32_t n = 0; n < v->d.tree.count; n++) {
        uint64_t samples = idle_view_base(v, n, m);

        if (samples)
            list[(*count)++] = (struct ranked){
                v, n, samples, idle_view_base(v, n, IDLE_EXPLAINED)};
    }
    if (*count)
        qsort(list, *count, sizeof *list, by_samples);
    for (size_t i = 0; i < *count; i++)
        node[i] = list[i].node;
    free(list);
    return node;
}

/* ---- a stack as text ---------------------------------------------------- */

static void append(char *text, const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, STACK - used, "%s", more);
}

/* "mutex_lock", or with --pcs "mutex_lock+0x3c (mutex.c:31)". */
static const char *name_of(const struct idle_view *v, uint32_t node,
                           char out[NAME])
{
    const char *name = idle_name(&v->d, v->r, node, out, NAME);
    const struct idle_frame *f;
    struct source_line line;
    size_t n;

    if (node == STACKTREE_ROOT || !v->d.by_pc || name != out)
        return name;
    f = &v->d.frame[v->d.tree.node[node].frame];
    line = lines_find(v->lines, &(struct samples_frame){.function = f->function,
                                                        .pc = f->at,
                                                        .cycle = f->cycle});
    n = strlen(out);
    if (line.file)
        snprintf(out + n, NAME - n, " (%.100s:%" PRIu32 ")",
                 lines_file(v->lines, line.file), line.line);
    return out;
}

/* Leaf first, "swtch < mutex_lock < main". */
static void name_stack(const struct idle_view *v, uint32_t node, char *text)
{
    char name[NAME];

    text[0] = '\0';
    if (node == STACKTREE_ROOT)
        append(text, "<empty stack>");
    for (; node != STACKTREE_ROOT; node = v->d.tree.node[node].parent) {
        append(text, name_of(v, node, name));
        if (v->d.tree.node[node].parent != STACKTREE_ROOT)
            append(text, " < ");
    }
}

/* Root first, "main;mutex_lock;swtch". */
static void fold_stack(const struct idle_view *v, uint32_t node, char *text)
{
    uint32_t path[REC_MAX_WORDS + 1];
    char name[NAME];
    size_t n = 0;

    text[0] = '\0';
    for (; node != STACKTREE_ROOT; node = v->d.tree.node[node].parent)
        path[n++] = node;
    while (n--) {
        append(text, idle_name(&v->d, v->r, path[n], name, sizeof name));
        if (n)
            append(text, ";");
    }
}

/* ---- the stacks --------------------------------------------------------- */

static void put_others(struct table *t, const struct idle_view *v,
                       const uint32_t *node, size_t count, bool to)
{
    enum idle_metric m = to ? IDLE_TO : IDLE_FROM;
    uint64_t n = 0, idle = 0;

    for (size_t i = 0; i < count; i++) {
        n += idle_view_base(v, node[i], m);
        idle += idle_view_base(v, node[i], IDLE_EXPLAINED);
    }
    table_count(t, n);
    table_percent(t, n, idle_view_total(v, STACKTREE_ROOT, m));
    if (to)
        table_percent(t, idle, idle_view_cycles(v));
    table_text(t, "<all others>");
}

static void print_kind(const struct idle_view *v, bool to, FILE *file)
{
    enum idle_metric m = to ? IDLE_TO : IDLE_FROM;
    uint64_t samples = idle_view_total(v, STACKTREE_ROOT, m);
    char *text = grow_zero(STACK, 1);
    size_t count, shown;
    uint32_t *node = idle_view_stacks(v, m, &count);
    struct table t = {0};

    shown = v->o->limit && count > v->o->limit ? v->o->limit : count;
    table_column(&t, "samples", "", TABLE_NUMBER);
    table_column(&t, "share", "", TABLE_NUMBER);
    if (to)
        table_column(&t, "idle time", "", TABLE_NUMBER);
    table_column(&t, "stack: function < its caller < ...", "", TABLE_WRAP);
    for (size_t i = 0; i < shown; i++) {
        name_stack(v, node[i], text);
        table_count(&t, idle_view_base(v, node[i], m));
        table_percent(&t, idle_view_base(v, node[i], m), samples);
        if (to)
            table_percent(&t, idle_view_base(v, node[i], IDLE_EXPLAINED),
                          idle_view_cycles(v));
        table_text(&t, text);
    }
    if (shown < count)
        put_others(&t, v, node + shown, count - shown, to);
    report_table(&t, v->o, file);
    free(node);
    free(text);
}

void idle_print_stacks(const struct idle_view *v, FILE *to)
{
    if (idle_view_total(v, STACKTREE_ROOT, IDLE_TO)) {
        fputs("\nTo-idle: where the last thread to run before a CPU was idle "
              "had stopped\n",
              to);
        print_kind(v, true, to);
    }
    if (idle_view_total(v, STACKTREE_ROOT, IDLE_FROM)) {
        fputs("\nFrom-idle: where the first thread to run after that had "
              "stopped\n",
              to);
        print_kind(v, false, to);
    }
}

void idle_csv_stacks(struct table *t, const struct idle_view *v)
{
    char cpu[16], *text = grow_zero(STACK, 1);

    if (!t->columns) {
        table_column(t, "", "cpu", 0);
        table_column(t, "", "kind", 0);
        table_column(t, "", "samples", 0);
        table_column(t, "", "idle_cycles", 0);
        table_column(t, "", "stack", 0);
    }
    for (int m = IDLE_TO; m <= IDLE_FROM; m++) {
        size_t count;
        uint32_t *node = idle_view_stacks(v, (enum idle_metric)m, &count);

        if (v->o->limit && count > v->o->limit)
            count = v->o->limit;
        for (size_t i = 0; i < count; i++) {
            fold_stack(v, node[i], text);
            table_text(t, idle_view_cpu(v, cpu));
            table_text(t, kind_name[m]);
            table_count(t, idle_view_base(v, node[i], (enum idle_metric)m));
            table_count(t, m == IDLE_TO
                               ? idle_view_base(v, node[i], IDLE_EXPLAINED)
                               : 0);
            table_text(t, text);
        }
        free(node);
    }
    free(text);
}

/* ---- the tree ----------------------------------------------------------- */

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
    return frame_order(v, a, b);
}

static bool is_small(const struct idle_view *v, uint32_t node)
{
    for (int m = IDLE_TO; m <= IDLE_FROM; m++) {
        enum idle_metric metric = (enum idle_metric)m;
        uint64_t n = idle_view_total(v, node, metric);

        if (n && (!v->o->limit ||
                  n * SMALL >= idle_view_total(v, STACKTREE_ROOT, metric)))
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
    uint64_t all_to = idle_view_total(v, STACKTREE_ROOT, IDLE_TO);
    uint64_t all_from = idle_view_total(v, STACKTREE_ROOT, IDLE_FROM);

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

/* A frame, indented; where stacks end that others pass, how many. */
static void put_frame(struct table *t, const struct idle_view *v, uint32_t node,
                      unsigned step)
{
    uint64_t to = idle_view_base(v, node, IDLE_TO);
    uint64_t from = idle_view_base(v, node, IDLE_FROM);
    unsigned indent = (v->d.tree.node[node].depth - 1) * step;
    char name[NAME], line[NAME * 3], ends[96] = "";

    if (v->d.tree.node[node].child != STACKTREE_NONE && (to || from))
        snprintf(ends, sizeof ends, " [%" PRIu64 " and %" PRIu64 " end here]",
                 to, from);
    snprintf(line, sizeof line, "%*s%s%s", (int)indent, "",
             name_of(v, node, name), ends);
    put_counts(t, v, idle_view_total(v, node, IDLE_TO),
               idle_view_total(v, node, IDLE_FROM));
    table_text(t, line);
}

/* The children of a node that are too small to be shown, as one line. */
static void put_small(struct table *t, const struct idle_view *v, uint32_t node,
                      unsigned step)
{
    uint64_t to = 0, from = 0;
    unsigned count = 0, indent = v->d.tree.node[node].depth * step;
    char line[NAME];

    for (uint32_t n = v->d.tree.node[node].child; n != STACKTREE_NONE;
         n = v->d.tree.node[n].sibling) {
        if (!is_small(v, n) || is_empty(v, n))
            continue;
        count++;
        to += idle_view_total(v, n, IDLE_TO);
        from += idle_view_total(v, n, IDLE_FROM);
    }
    if (!count)
        return;
    snprintf(line, sizeof line, "%*s(%u more, each below 1%%)", (int)indent, "",
             count);
    put_counts(t, v, to, from);
    table_text(t, line);
}

static void put_below(struct table *t, const struct idle_view *v, uint32_t node,
                      unsigned step)
{
    for (uint32_t n = v->d.tree.node[node].child; n != STACKTREE_NONE;
         n = v->d.tree.node[n].sibling) {
        if (is_small(v, n))
            continue;
        put_frame(t, v, n, step);
        put_below(t, v, n, step);
    }
    put_small(t, v, node, step);
}

/* Spaces a level: as many as keep most names in view. */
static unsigned step_of(const struct idle_view *v)
{
    uint32_t deepest = 0;

    for (size_t n = 0; n < v->d.tree.count; n++)
        if (v->d.tree.node[n].depth > deepest)
            deepest = v->d.tree.node[n].depth;
    return deepest > 10 ? 1 : 2;
}

void idle_print_tree(struct idle_view *v, FILE *to)
{
    struct table t = {0};

    stacktree_sort(&v->d.tree, siblings, v);
    fputs("\nCall tree: from where a thread began to where it had stopped\n",
          to);
    table_column(&t, "to-idle", "", TABLE_NUMBER);
    table_column(&t, "share", "", TABLE_NUMBER);
    table_column(&t, "from-idle", "", TABLE_NUMBER);
    table_column(&t, "share", "", TABLE_NUMBER);
    table_column(&t, "function", "", 0);
    put_counts(&t, v, idle_view_total(v, STACKTREE_ROOT, IDLE_TO),
               idle_view_total(v, STACKTREE_ROOT, IDLE_FROM));
    table_text(&t, "<Total>");
    put_below(&t, v, STACKTREE_ROOT, step_of(v));
    report_table(&t, v->o, to);
}

/* Nodes are numbered as they are printed. */
static void csv_node(struct table *t, const struct idle_view *v, uint32_t node,
                     const uint32_t *number)
{
    const struct stacknode *n = &v->d.tree.node[node];
    char name[NAME], cpu[16];

    table_text(t, idle_view_cpu(v, cpu));
    table_count(t, number[node]);
    if (n->parent == STACKTREE_NONE)
        table_text(t, "");
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
