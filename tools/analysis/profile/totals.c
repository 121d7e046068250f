/* totals.c - walks each stack once from its leaf to its root. */
#include "tools/analysis/profile/totals.h"

#include <stdlib.h>

#include "lib/base/grow.h"

/* ---- rows ---------------------------------------------------------------- */

static void make_values(struct totals_row *row, unsigned metrics)
{
    row->exclusive = grow_zero(metrics, sizeof *row->exclusive);
    row->inclusive = grow_zero(metrics, sizeof *row->inclusive);
}

static void find_rows(struct totals *t, const struct samples *p,
                      totals_key *key, void *arg)
{
    struct hash at = {0};

    t->of = grow_zero(p->frames + 1, sizeof *t->of);
    for (size_t i = 0; i < p->frames; i++) {
        uint64_t is = key(arg, &p->frame[i]);
        bool fresh;
        uint32_t *number = hash_at(&at, is, &fresh);

        if (fresh) {
            *number = (uint32_t)t->rows;
            t->row = grow(t->row, &t->rows_room, t->rows + 1, sizeof *t->row);
            t->row[t->rows] =
                (struct totals_row){.key = is, .frame = (uint32_t)i};
            make_values(&t->row[t->rows++], t->metrics);
        }
        t->of[i] = *number;
    }
    hash_free(&at);
}

static bool ends_here(const struct samples *p, uint32_t node)
{
    for (unsigned m = 0; m < p->metric.count; m++)
        if (stacktree_base(&p->tree, node, m))
            return true;
    return false;
}

static void add(uint64_t *to, const struct samples *p, uint32_t node)
{
    for (unsigned m = 0; m < p->metric.count; m++)
        to[m] += stacktree_base(&p->tree, node, m);
}

static void add_exact(struct totals *t, const struct samples *p)
{
    for (size_t i = 0; i < p->frames; i++) {
        t->row[t->of[i]].exclusive[SAMPLES_EXACT] += p->exact[i];
        t->total.exclusive[SAMPLES_EXACT] += p->exact[i];
    }
}

void totals_read(struct totals *t, const struct samples *p, totals_key *key,
                 void *arg)
{
    uint32_t *met; /* by row: the last stack it was met on, plus 1 */

    *t = (struct totals){.metrics = p->metric.count};
    make_values(&t->total, t->metrics);
    find_rows(t, p, key, arg);
    add_exact(t, p);
    met = grow_zero(t->rows + 1, sizeof *met);
    for (uint32_t leaf = 1; leaf < p->tree.count; leaf++) {
        if (!ends_here(p, leaf))
            continue;
        add(t->total.exclusive, p, leaf);
        add(t->total.inclusive, p, leaf);
        for (uint32_t n = leaf; n != STACKTREE_ROOT;
             n = p->tree.node[n].parent) {
            uint32_t row = t->of[p->tree.node[n].frame];

            if (n == leaf)
                add(t->row[row].exclusive, p, leaf);
            if (met[row] != leaf)
                add(t->row[row].inclusive, p, leaf);
            met[row] = leaf;
        }
    }
    free(met);
}

void totals_free(struct totals *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        free(t->row[i].exclusive);
        free(t->row[i].inclusive);
    }
    free(t->total.exclusive);
    free(t->total.inclusive);
    free(t->row);
    free(t->of);
    *t = (struct totals){0};
}

/* ---- calls --------------------------------------------------------------- */

static void attribute(struct totals_calls *c, const struct samples *p,
                      const struct totals_call *call, uint32_t node)
{
    bool fresh;
    uint32_t *at = hash_at(&c->at[call->caller],
                           (uint64_t)call->row << 32 | call->other, &fresh);

    if (fresh) {
        *at = (uint32_t)c->count;
        c->list = grow(c->list, &c->room, c->count + 1, sizeof *c->list);
        c->list[c->count] = *call;
        c->list[c->count++].attributed =
            grow_zero(p->metric.count, sizeof(uint64_t));
    }
    add(c->list[*at].attributed, p, node);
}

/* The rows of one stack, leaf first. */
struct path {
    uint32_t *row;
    size_t depth, room;
    uint32_t *met; /* by row: the last stack it was met on */
};

/* Who calls each function on the stack, and what it calls: of one that is on
 * it several times, of the call nearest the leaf. */
static void add_path(struct totals_calls *c, const struct samples *p,
                     struct path *path, uint32_t leaf)
{
    for (size_t i = 0; i < path->depth; i++) {
        uint32_t row = path->row[i];
        bool root = i + 1 == path->depth;
        struct totals_call up = {row, root ? TOTALS_ROOT : path->row[i + 1],
                                 true, NULL};

        if (root)
            attribute(c, p,
                      &(struct totals_call){TOTALS_ROOT, row, false, NULL},
                      leaf);
        if (path->met[row] == leaf) {
            c->again[row] = true;
            continue;
        }
        path->met[row] = leaf;
        attribute(c, p, &up, leaf);
        if (i)
            attribute(c, p,
                      &(struct totals_call){row, path->row[i - 1], false, NULL},
                      leaf);
    }
}

static int by_row(const void *a, const void *b)
{
    const struct totals_call *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->caller != y->caller)
        return x->caller ? -1 : 1;
    return x->other < y->other ? -1 : x->other > y->other;
}

void totals_calls_read(struct totals_calls *c, const struct totals *t,
                       const struct samples *p)
{
    struct path path = {.met = grow_zero(t->rows + 1, sizeof *path.met)};

    *c = (struct totals_calls){.again = grow_zero(t->rows + 1, 1)};
    for (uint32_t leaf = 1; leaf < p->tree.count; leaf++) {
        if (!ends_here(p, leaf))
            continue;
        path.row = grow(path.row, &path.room, p->tree.node[leaf].depth,
                        sizeof *path.row);
        path.depth = 0;
        for (uint32_t n = leaf; n != STACKTREE_ROOT; n = p->tree.node[n].parent)
            path.row[path.depth++] = t->of[p->tree.node[n].frame];
        add_path(c, p, &path, leaf);
    }
    if (c->count)
        qsort(c->list, c->count, sizeof *c->list, by_row);
    hash_free(&c->at[0]);
    hash_free(&c->at[1]);
    free(path.row);
    free(path.met);
}

void totals_calls_free(struct totals_calls *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->list[i].attributed);
    free(c->list);
    free(c->again);
    *c = (struct totals_calls){0};
}
