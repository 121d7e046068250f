/* tree_print.c - counts by stack become functions, stacks or a call tree. In
 * each of them the rows, <Other> included, add up to <Total>.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/simprof/reports/tree/tree.h"

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
    uint64_t *base, *total; /* by call */
};

struct link {
    uint64_t total;
    uint32_t parent, call;
};

static int by_parent(const void *a, const void *b)
{
    const struct link *x = a, *y = b;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->call < y->call ? -1 : x->call > y->call;
}

static void put_call(struct table *t, const struct calls *c, uint32_t call,
                     unsigned depth, uint64_t all)
{
    const char *name = timetree_name(c->f, call);
    char number[TEXT_NUMBER], *text;
    size_t indent = depth < INDENT_MAX ? depth : INDENT_MAX;

    table_count(t, c->total[call]);
    table_percent(t, c->total[call], all);
    table_dotted(t, c->base[call]);
    snprintf(number, sizeof number, "%u", depth);
    table_both(t, "", number);
    text = grow_zero(indent + strlen(name) + 1, 1);
    memset(text, ' ', indent);
    strcpy(text + indent, name);
    table_both(t, text, name);
    free(text);
}

/* Depth first, from the list of links sorted by parent. */
static void put_calls(struct table *t, const struct calls *c,
                      const struct link *link, const uint64_t *first,
                      const struct options *o, uint64_t all)
{
    uint64_t *at = grow_zero(c->f->calls + 1, sizeof *at);
    uint64_t least = o->limit ? all / 100 : 0;
    uint32_t call = 0;
    unsigned depth = 0;

    memcpy(at, first, (c->f->calls + 1) * sizeof *at);
    for (;;) {
        uint64_t i = at[call]++;

        if (i < first[call + 1] && link[i].total && link[i].total >= least) {
            call = link[i].call;
            put_call(t, c, call, ++depth, all);
        } else if (call) {
            call = c->f->call[call].parent;
            depth--;
        } else {
            break;
        }
    }
    free(at);
}

static void print_calltree(const struct timetree_file *f,
                           const struct timetree_answer *a,
                           const struct options *o, FILE *to)
{
    struct calls c = {.f = f};
    uint64_t *first = grow_zero(f->calls + 2, sizeof *first);
    struct link *link = grow_zero(f->calls + 1, sizeof *link);
    struct table t = {0};

    c.base = grow_zero(f->calls, sizeof *c.base);
    c.total = grow_zero(f->calls, sizeof *c.total);
    for (uint32_t i = 0; i < f->tree.types; i++)
        c.base[f->call_of[i]] += a->count[i];
    memcpy(c.total, c.base, f->calls * sizeof *c.total);
    for (uint64_t i = f->calls; i-- > 1;)
        c.total[f->call[i].parent] += c.total[i];
    for (uint64_t i = 1; i < f->calls; i++) {
        link[i - 1] = (struct link){c.total[i], f->call[i].parent, (uint32_t)i};
        first[f->call[i].parent + 1]++;
    }
    for (uint64_t i = 1; i <= f->calls; i++)
        first[i] += first[i - 1];
    qsort(link, f->calls - 1, sizeof *link, by_parent);
    table_column(&t, "samples", "inclusive", TABLE_NUMBER);
    table_column(&t, "share", "percent", TABLE_NUMBER);
    table_column(&t, "its own", "exclusive", TABLE_NUMBER);
    table_column(&t, "", "depth", TABLE_NUMBER | TABLE_CSV);
    table_column(&t, "function", "function", 0);
    c.total[0] += a->other;
    put_call(&t, &c, 0, 0, c.total[0]);
    put_calls(&t, &c, link, first, o, c.total[0]);
    if (a->other) {
        table_count(&t, a->other);
        table_percent(&t, a->other, c.total[0]);
        table_count(&t, a->other);
        table_both(&t, "", "1");
        table_both(&t, " " OTHER, OTHER);
    }
    report_table(&t, o, to);
    free(first);
    free(link);
    free(c.base);
    free(c.total);
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
