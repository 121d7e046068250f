/* flame.c - see flame.h. Every row's own value is put in at the end of its path
 * of names; sums are made when all are there.
 */
#include "tools/simprof/scene/flame.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/simprof/scene/words.h"

#define DEEP 512 /* functions of a path, at most */

/* A row's path, the outermost first. */
struct path {
    const char *name[DEEP];
    int count;
};

static long add_node(struct flame *f, long parent, const char *name)
{
    struct flame_node *n;

    f->node = grow(f->node, &f->room, f->count + 1, sizeof *f->node);
    n = &f->node[f->count];
    *n = (struct flame_node){.name = grow_text(name),
                             .parent = parent,
                             .first = FLAME_NONE,
                             .next = FLAME_NONE};
    if (parent != FLAME_NONE) {
        n->depth = f->node[parent].depth + 1;
        n->next = f->node[parent].first;
        f->node[parent].first = (long)f->count;
    }
    return (long)f->count++;
}

static long child_of(struct flame *f, long parent, const char *name)
{
    for (long k = f->node[parent].first; k != FLAME_NONE; k = f->node[k].next)
        if (!strcmp(f->node[k].name, name))
            return k;
    return add_node(f, parent, name);
}

/* ---- paths --------------------------------------------------------------- */

/* The functions from the one below everything to row k. */
static void path_of(const json_t *rows, size_t k, struct path *p)
{
    p->count = 0;
    while (k && p->count < DEEP) {
        const json_t *row = json_array_get(rows, k);
        size_t parent = (size_t)scene_number(row, "parent");

        p->name[p->count++] = scene_text(row, "function");
        if (parent >= k)
            break;
        k = parent;
    }
    for (int i = 0, j = p->count - 1; i < j; i++, j--) {
        const char *swap = p->name[i];

        p->name[i] = p->name[j];
        p->name[j] = swap;
    }
}

/* What follows a function that is on the path already belongs to that one. */
static void fold(struct path *p)
{
    int kept = 0;

    for (int i = 0; i < p->count; i++) {
        int at = 0;

        while (at < kept && strcmp(p->name[at], p->name[i]) != 0)
            at++;
        p->name[at] = p->name[i];
        kept = at + 1;
    }
    p->count = kept;
}

static long put_path(struct flame *f, const struct path *p, bool leaves)
{
    long at = 0;

    for (int i = 0; i < p->count; i++)
        at = child_of(f, at, p->name[leaves ? p->count - 1 - i : i]);
    return at;
}

/* ---- sums ---------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const struct flame_node *x = *(struct flame_node *const *)a,
                            *y = *(struct flame_node *const *)b;

    if (x->all != y->all)
        return x->all < y->all ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* Children in order: the largest first, then by name. */
static void order_children(struct flame *f, long at, struct flame_node **list)
{
    size_t count = 0;
    long *link = &f->node[at].first;

    for (long k = *link; k != FLAME_NONE; k = f->node[k].next)
        list[count++] = &f->node[k];
    if (count > 1)
        qsort(list, count, sizeof *list, by_size);
    for (size_t i = 0; i < count; i++) {
        *link = list[i] - f->node;
        link = &list[i]->next;
    }
    *link = FLAME_NONE;
}

static void add_up(struct flame *f)
{
    struct flame_node **list = grow_zero(f->count + 1, sizeof(void *));

    for (size_t k = 0; k < f->count; k++) {
        f->node[k].all = f->node[k].own;
        f->node[k].before = f->node[k].before_own;
    }
    for (size_t k = f->count; k-- > 1;) {
        struct flame_node *up = &f->node[f->node[k].parent];

        up->all += f->node[k].all;
        up->before += f->node[k].before;
    }
    for (size_t k = 0; k < f->count; k++)
        order_children(f, (long)k, list);
    free(list);
}

/* ---- rows ---------------------------------------------------------------- */

/* What each row has without its children, by its number. */
static int64_t *own_of(const json_t *rows, const char *column)
{
    size_t count = json_array_size(rows), k;
    int64_t *own = grow_zero(count + 1, sizeof *own);
    const json_t *row;

    json_array_foreach(rows, k, row)
    {
        size_t parent = (size_t)scene_number(row, "parent");

        own[k] += scene_number(row, column);
        if (k && parent < k)
            own[parent] -= scene_number(row, column);
    }
    return own;
}

static void put_rows(struct flame *f, const json_t *rows, const char *column,
                     unsigned ways, bool before)
{
    int64_t *own = own_of(rows, column);
    struct path p;

    for (size_t k = 0; k < json_array_size(rows); k++) {
        long at;

        if (!own[k])
            continue;
        path_of(rows, k, &p);
        if (ways & FLAME_FOLD)
            fold(&p);
        at = put_path(f, &p, ways & FLAME_LEAVES);
        if (before)
            f->node[at].before_own += own[k];
        else
            f->node[at].own += own[k];
    }
    free(own);
}

void flame_read(struct flame *f, const json_t *rows, const char *column,
                unsigned ways)
{
    *f = (struct flame){.count = 0};
    if (!json_array_size(rows))
        return;
    add_node(f, FLAME_NONE, scene_text(json_array_get(rows, 0), "function"));
    put_rows(f, rows, column, ways, false);
    add_up(f);
}

void flame_add_before(struct flame *f, const json_t *rows, const char *column,
                      unsigned ways)
{
    if (!f->count)
        return;
    put_rows(f, rows, column, ways, true);
    add_up(f);
}

void flame_free(struct flame *f)
{
    for (size_t k = 0; k < f->count; k++)
        free(f->node[k].name);
    free(f->node);
    *f = (struct flame){.count = 0};
}
