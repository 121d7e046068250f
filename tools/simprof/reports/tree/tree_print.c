/* tree_print.c - counts by stack become functions, stacks or a call tree. In
 * each of them the rows, <Other> included, add up to <Total>.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/reports/tree/tree.h"
#include "tools/simprof/view/tree_rows.h"

#define OTHER "<Other>"
#define INDENT_MAX 60

bool tree_choose_show(const struct options *o, enum tree_show *show)
{
    static const char *const name[] = {"functions", "stacks", "calltree",
                                       "callers-callees"};
    const char *text = o->text[OPTION_BIT_SHOW];

    *show = o->text[OPTION_BIT_FUNCTION] ? TREE_CALLERS : TREE_FUNCTIONS;
    for (unsigned i = 0; text && i < 4; i++)
        if (!strcmp(text, name[i])) {
            *show = (enum tree_show)i;
            text = NULL;
        }
    if (text)
        report_refuse(o,
                      "--show=%s: must be functions, stacks, calltree or "
                      "callers-callees",
                      text);
    else if ((*show == TREE_CALLERS) == !o->text[OPTION_BIT_FUNCTION])
        report_refuse(o, "--show=callers-callees and --function=NAME go "
                         "together");
    return !o->refusal->text[0];
}

/* ---- functions ----------------------------------------------------------- */

struct row {
    uint32_t key;
    const char *name;
    uint64_t exclusive, inclusive;
};

/* Most first, then by name, then as they first occurred. */
static int by_exclusive(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order;

    if (x->exclusive != y->exclusive)
        return x->exclusive > y->exclusive ? -1 : 1;
    if (x->inclusive != y->inclusive)
        return x->inclusive > y->inclusive ? -1 : 1;
    order = strcmp(x->name, y->name);
    return order ? order : x->key < y->key ? -1 : x->key > y->key;
}

/* A stack counts once for a function, however often it is on it. */
static struct row *add_up(const struct timetree_file *f,
                          const struct timetree_answer *a)
{
    struct row *row = grow_zero(f->names + 1, sizeof *row);
    uint32_t *seen = grow_zero(f->names + 1, sizeof *seen);

    for (uint32_t i = 0; i < f->names; i++)
        row[i] = (struct row){.key = i, .name = f->text + f->name[i]};
    for (uint32_t type = 0; type < f->tree.types; type++) {
        if (!a->count[type])
            continue;
        row[f->call[f->call_of[type]].name].exclusive += a->count[type];
        for (uint32_t c = f->call_of[type]; c; c = f->call[c].parent) {
            uint32_t name = f->call[c].name;

            if (seen[name] != type + 1)
                row[name].inclusive += a->count[type];
            seen[name] = type + 1;
        }
    }
    free(seen);
    row[0].inclusive = row[0].exclusive = 0; /* the root is no function */
    return row;
}

static void put_function(struct table *t, uint64_t all, uint64_t exclusive,
                         uint64_t inclusive, const char *name)
{
    table_dotted(t, exclusive);
    table_percent(t, exclusive, all);
    table_dotted(t, inclusive);
    table_percent(t, inclusive, all);
    table_text(t, name);
}

static void print_functions(const struct timetree_file *f,
                            const struct timetree_answer *a,
                            const struct options *o, FILE *to)
{
    struct row *row = add_up(f, a);
    uint64_t all = a->counted + a->other, rest = 0, shown = 0, left = 0;
    struct table t = {0};

    qsort(row, f->names, sizeof *row, by_exclusive);
    table_column(&t, "samples", "exclusive", TABLE_NUMBER);
    table_column(&t, "share", "exclusive_percent", TABLE_NUMBER);
    table_column(&t, "with its\ncalls", "inclusive", TABLE_NUMBER);
    table_column(&t, "share", "inclusive_percent", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    put_function(&t, all, all, all, "<Total>");
    for (uint64_t i = 0; i < f->names; i++) {
        if (!row[i].inclusive)
            continue;
        if (o->limit && shown >= o->limit) {
            rest += row[i].exclusive;
            left++;
            continue;
        }
        put_function(&t, all, row[i].exclusive, row[i].inclusive, row[i].name);
        shown++;
    }
    if (left)
        put_function(&t, all, rest, 0, "<all others>");
    if (a->other)
        put_function(&t, all, a->other, a->other, OTHER);
    report_table(&t, o, to);
    free(row);
}

/* ---- stacks -------------------------------------------------------------- */

struct stack {
    uint64_t count;
    uint32_t type;
};

static int by_count(const void *a, const void *b)
{
    const struct stack *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->type < y->type ? -1 : x->type > y->type;
}

char *tree_spell(const struct timetree_file *f, uint32_t call, bool csv)
{
    char *text = NULL;
    size_t size = 0, n = 0;
    FILE *m = open_memstream(&text, &size);
    uint32_t *path = NULL;
    size_t room = 0;

    for (; call; call = f->call[call].parent) {
        path = grow(path, &room, n + 1, sizeof *path);
        path[n++] = call;
    }
    for (size_t i = 0; i < n; i++)
        fprintf(m, "%s%s", i ? csv ? ";" : " < " : "",
                timetree_name(f, path[csv ? n - 1 - i : i]));
    fclose(m);
    free(path);
    return text;
}

static void print_stacks(const struct timetree_file *f,
                         const struct timetree_answer *a,
                         const struct options *o, FILE *to)
{
    struct stack *list = grow_zero((size_t)f->tree.types + 1, sizeof *list);
    uint64_t all = a->counted + a->other, rest = 0;
    struct table t = {0};
    size_t n = 0;

    for (uint32_t i = 0; i < f->tree.types; i++)
        if (a->count[i])
            list[n++] = (struct stack){a->count[i], i};
    qsort(list, n, sizeof *list, by_count);
    table_column(&t, "samples", "samples", TABLE_NUMBER);
    table_column(&t, "share", "percent", TABLE_NUMBER);
    table_column(&t, "stack: function < its caller < ...", "stack", TABLE_WRAP);
    for (size_t i = 0; i < n; i++) {
        char *text, *csv;

        if (o->limit && i >= o->limit) {
            rest += list[i].count;
            continue;
        }
        text = tree_spell(f, f->call_of[list[i].type], false);
        csv = tree_spell(f, f->call_of[list[i].type], true);
        table_count(&t, list[i].count);
        table_percent(&t, list[i].count, all);
        table_both(&t, text, csv);
        free(text);
        free(csv);
    }
    for (unsigned k = 0; k < 2; k++) {
        if (!(k ? a->other : rest))
            continue;
        table_count(&t, k ? a->other : rest);
        table_percent(&t, k ? a->other : rest, all);
        table_text(&t, k ? OTHER : "<all others>");
    }
    report_table(&t, o, to);
    free(list);
}

/* ---- call tree ----------------------------------------------------------- */

struct calls {
    const struct timetree_file *f;
    struct stacktree tree; /* its nodes are the file's calls */
    struct table table;
    uint64_t all, least; /* samples; of those a row must have */
};

static int most_first(const struct stacktree *t, uint32_t a, uint32_t b,
                      const void *arg)
{
    uint64_t x = stacktree_sum(t, a, 0), y = stacktree_sum(t, b, 0);

    (void)arg;
    if (x != y)
        return x > y ? -1 : 1;
    return a < b ? -1 : a > b;
}

static enum tree_worth worth(const void *arg, uint32_t node)
{
    const struct calls *c = arg;
    uint64_t total = stacktree_sum(&c->tree, node, 0);

    return total && total >= c->least ? TREE_WORTH_ROW : TREE_WORTH_NOTHING;
}

static uint32_t put_call(void *arg, uint32_t node, uint32_t parent)
{
    struct calls *c = arg;
    const char *name = timetree_name(c->f, node);
    uint32_t depth = c->tree.node[node].depth;
    uint64_t total =
        node == STACKTREE_ROOT ? c->all : stacktree_sum(&c->tree, node, 0);
    char number[TEXT_NUMBER], *text;
    size_t indent = depth < INDENT_MAX ? depth : INDENT_MAX;

    table_count(&c->table, total);
    table_percent(&c->table, total, c->all);
    table_dotted(&c->table, stacktree_base(&c->tree, node, 0));
    snprintf(number, sizeof number, "%" PRIu32, depth);
    table_both(&c->table, "", number);
    text = grow_zero(indent + strlen(name) + 1, 1);
    memset(text, ' ', indent);
    strcpy(text + indent, name);
    table_both(&c->table, text, name);
    free(text);
    return parent;
}

/* A call's parent stands before it in the file. */
static void build_calls(struct calls *c, const struct timetree_answer *a)
{
    stacktree_init(&c->tree, 1);
    for (uint32_t i = 1; i < c->f->calls; i++)
        stacktree_below(&c->tree, c->f->call[i].parent, i);
    for (uint32_t i = 0; i < c->f->tree.types; i++)
        stacktree_add(&c->tree, c->f->call_of[i], 0, a->count[i]);
    stacktree_total(&c->tree);
    stacktree_sort(&c->tree, most_first, NULL);
}

static void print_calltree(const struct timetree_file *f,
                           const struct timetree_answer *a,
                           const struct options *o, FILE *to)
{
    struct calls c = {.f = f};
    struct tree_rows rows = {&c.tree, worth, put_call, NULL, &c};

    build_calls(&c, a);
    c.all = stacktree_sum(&c.tree, STACKTREE_ROOT, 0) + a->other;
    c.least = o->limit ? c.all / TREE_ROWS_SMALL : 0;
    table_column(&c.table, "samples", "inclusive", TABLE_NUMBER);
    table_column(&c.table, "share", "percent", TABLE_NUMBER);
    table_column(&c.table, "its own", "exclusive", TABLE_NUMBER);
    table_column(&c.table, "", "depth", TABLE_NUMBER | TABLE_CSV);
    table_column(&c.table, "function", "function", 0);
    tree_rows_put(&rows);
    if (a->other) {
        table_count(&c.table, a->other);
        table_percent(&c.table, a->other, c.all);
        table_count(&c.table, a->other);
        table_both(&c.table, "", "1");
        table_both(&c.table, " " OTHER, OTHER);
    }
    report_table(&c.table, o, to);
    stacktree_free(&c.tree);
}

void tree_print(const struct timetree_file *f, const struct timetree_answer *a,
                enum tree_show show, const struct options *o, FILE *to)
{
    if (show == TREE_CALLERS)
        tree_print_callers(f, a, o, to);
    else if (show == TREE_STACKS)
        print_stacks(f, a, o, to);
    else if (show == TREE_CALLTREE)
        print_calltree(f, a, o, to);
    else
        print_functions(f, a, o, to);
}
