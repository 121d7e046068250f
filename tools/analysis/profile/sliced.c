/* sliced.c - see sliced.h. */
#include "tools/analysis/profile/sliced.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/timetree/timetree_samples.h"

/* ---- the account --------------------------------------------------------- */

static void add_ran(struct sliced *s, const struct record *row)
{
    unsigned is = s->r->reason_is[record_get_oracle_reason(row)];
    bool fresh;
    uint32_t *at;

    if (is == REASON_NAP || is == REASON_OFF)
        return;
    at = hash_at(&s->thread_at, row->thread, &fresh);
    if (fresh) {
        *at = (uint32_t)s->threads;
        s->thread = grow(s->thread, &s->threads_room, s->threads + 1,
                         sizeof *s->thread);
        s->thread[s->threads++] = row->thread;
    }
    slice_sums_add(&s->ran, *at, row->cycle ? row->cycle - 1 : 0,
                   record_get_oracle_twelfths(row));
}

static void add_row(void *arg, const struct record *row, uint32_t function)
{
    struct sliced *s = arg;
    uint32_t reason = record_get_oracle_reason(row), *at;
    uint64_t key = (uint64_t)row->cpu << 40 | (uint64_t)reason << 32 | function;
    bool fresh;

    at = hash_at(&s->cell_at, key, &fresh);
    if (fresh) {
        *at = (uint32_t)s->cells;
        s->cell = grow(s->cell, &s->cells_room, s->cells + 1, sizeof *s->cell);
        s->cell[s->cells++] =
            (struct sliced_cell){function, (uint8_t)row->cpu, (uint8_t)reason};
    }
    slice_sums_add(&s->account, *at, row->cycle ? row->cycle - 1 : 0,
                   record_get_oracle_twelfths(row));
    add_ran(s, row);
}

struct cell_order {
    struct sliced_cell cell;
    uint32_t was;
};

static int by_cell(const void *a, const void *b)
{
    const struct cell_order *x = a, *y = b;

    if (x->cell.cpu != y->cell.cpu)
        return x->cell.cpu < y->cell.cpu ? -1 : 1;
    if (x->cell.function != y->cell.function)
        return x->cell.function < y->cell.function ? -1 : 1;
    return x->cell.reason < y->cell.reason ? -1
                                           : x->cell.reason > y->cell.reason;
}

/* Cells get the order in which they are rounded. */
static void order_cells(struct sliced *s)
{
    struct cell_order *list = grow_zero(s->cells + 1, sizeof *list);
    uint32_t *to = grow_zero(s->cells + 1, sizeof *to);

    for (size_t i = 0; i < s->cells; i++)
        list[i] = (struct cell_order){s->cell[i], (uint32_t)i};
    if (s->cells)
        qsort(list, s->cells, sizeof *list, by_cell);
    for (size_t i = 0; i < s->cells; i++) {
        s->cell[i] = list[i].cell;
        to[list[i].was] = (uint32_t)i;
    }
    for (size_t i = 0; i < s->account.count; i++)
        s->account.list[i].what = to[s->account.list[i].what];
    free(list);
    free(to);
}

static void read_account(struct sliced *s, struct recording *r)
{
    struct exact_cycles_choice choice = {.arg = s, .told = add_row};
    struct exact_cycles a;

    slice_sums_open(&s->account, &s->slices);
    slice_sums_open(&s->ran, &s->slices);
    exact_cycles_choose(&a, r, &choice);
    exact_cycles_free(&a);
    order_cells(s);
}

/* ---- calls --------------------------------------------------------------- */

/* What some samples of a metric are in the tree of all functions. */
struct joining {
    struct sliced *s;
    const struct samples *from;
    uint32_t *node; /* by node of theirs */
};

static void join_open(struct joining *j, struct sliced *s,
                      const struct samples *from)
{
    *j = (struct joining){.s = s, .from = from};
    j->node = grow_zero(from->tree.count + 1, sizeof *j->node);
    for (uint32_t n = 1; n < from->tree.count; n++) {
        const struct stacknode *at = &from->tree.node[n];

        j->node[n] = stacktree_below(&s->calls, j->node[at->parent],
                                     from->frame[at->frame].function);
    }
}

static void join(const struct joining *j, uint32_t node, unsigned metric,
                 uint64_t cycle, uint64_t n)
{
    if (!n)
        return;
    stacktree_add(&j->s->calls, j->node[node], metric, n);
    slice_sums_add(&j->s->stacks, j->node[node] * j->s->calls.metrics + metric,
                   cycle, n);
}

/* By records. Samples that a tree has told need not be read. */
static void read_records(struct sliced *s, struct recording *r, unsigned waits,
                         bool sampled)
{
    struct slice_sums sums;
    struct samples_choice choice = {
        .waits = waits, .unsampled = sampled, .inexact = true, .slices = &sums};
    struct samples p;
    struct joining j;

    slice_sums_open(&sums, &s->slices);
    samples_read(&p, r, &choice);
    join_open(&j, s, &p);
    for (size_t i = 0; i < sums.count; i++) {
        const struct slice_sum *k = &sums.list[i];

        join(&j, k->what / p.tree.metrics, k->what % p.tree.metrics,
             s->slices.edge[k->slice], k->n);
    }
    free(j.node);
    slice_sums_free(&sums);
    samples_free(&p);
}

/* By time trees, a slice at a time. False: there are none that tell. */
static bool read_trees(struct sliced *s, struct recording *r)
{
    uint64_t from = r->from, to = r->to;
    bool windowed = r->windowed, told = true;

    for (unsigned k = 0; k < s->slices.count && told; k++) {
        bool last = k + 1 == s->slices.count;
        struct samples p = {0};
        struct joining j;

        samples_metrics_open(&p.metric, r);
        stacktree_init(&p.tree, p.metric.count);
        recording_within(r, s->slices.edge[k],
                         last && (!windowed || to >= r->end)
                             ? UINT64_MAX
                             : s->slices.edge[k + 1]);
        told = timetree_samples(&p, r);
        join_open(&j, s, &p);
        for (uint32_t n = 1; told && n < p.tree.count; n++)
            for (unsigned m = 1; m + 1 < p.tree.metrics; m++)
                join(&j, n, m, s->slices.edge[k],
                     stacktree_base(&p.tree, n, m));
        free(j.node);
        samples_free(&p);
    }
    recording_within(r, windowed ? from : 0, windowed ? to : UINT64_MAX);
    return told;
}

/* What is kept of every node: nodes that have no place of their own are a
 * child, SLICED_REST, of the last that has. */
static uint32_t *choose_nodes(struct sliced *s, uint32_t nodes)
{
    const struct stacktree *t = &s->calls;
    struct stacktree_rank *rank = grow_zero(t->count, sizeof *rank);
    uint32_t *place = grow_zero(t->count, sizeof *place);
    uint32_t count = t->count;

    stacktree_total(&s->calls);
    for (uint32_t n = 1; n < count; n++) {
        rank[n] = (struct stacktree_rank){.depth = t->node[n].depth, .node = n};
        for (unsigned m = 1; m < t->metrics && !rank[n].sum; m++)
            rank[n].sum = stacktree_sum(t, n, m);
        place[n] = STACKTREE_NONE;
    }
    qsort(rank + 1, count - 1, sizeof *rank, stacktree_larger);
    for (uint32_t i = 1; i < count && i <= nodes; i++)
        place[rank[i].node] = rank[i].node;
    for (uint32_t n = 1; n < count; n++) {
        uint32_t parent = s->calls.node[n].parent;

        if (place[n] != STACKTREE_NONE)
            continue;
        place[n] = place[parent] == parent
                       ? stacktree_below(&s->calls, parent, SLICED_REST)
                       : place[parent];
    }
    free(rank);
    return place;
}

static void cut_calls(struct sliced *s, uint32_t nodes)
{
    unsigned metrics = s->calls.metrics;
    struct slice_sums old = s->stacks;
    uint32_t *place;

    if (s->calls.count <= nodes + 1)
        return;
    place = choose_nodes(s, nodes);
    slice_sums_open(&s->stacks, &s->slices);
    for (size_t i = 0; i < old.count; i++) {
        const struct slice_sum *k = &old.list[i];

        slice_sums_add(&s->stacks,
                       place[k->what / metrics] * metrics + k->what % metrics,
                       s->slices.edge[k->slice], k->n);
    }
    slice_sums_free(&old);
    free(place);
}

/* ---- all of it ----------------------------------------------------------- */

void sliced_read(struct sliced *s, struct recording *r,
                 const struct slices *slices, unsigned waits, uint32_t nodes)
{
    bool told;

    *s = (struct sliced){.r = r, .slices = *slices};
    read_account(s, r);
    samples_metrics_open(&s->metric, r);
    samples_metrics_waits(&s->metric, waits);
    stacktree_init(&s->calls, s->metric.count);
    slice_sums_open(&s->stacks, &s->slices);
    told = timetree_samples_there(&s->metric, r) && read_trees(s, r);
    if (waits || !told)
        read_records(s, r, waits, told);
    cut_calls(s, nodes);
    slice_sums_sort(&s->account);
    slice_sums_sort(&s->ran);
    slice_sums_sort(&s->stacks);
}

void sliced_free(struct sliced *s)
{
    slices_free(&s->slices);
    free(s->cell);
    hash_free(&s->cell_at);
    slice_sums_free(&s->account);
    free(s->thread);
    hash_free(&s->thread_at);
    slice_sums_free(&s->ran);
    samples_metrics_free(&s->metric);
    stacktree_free(&s->calls);
    slice_sums_free(&s->stacks);
    *s = (struct sliced){0};
}
