/* timetree_split.c - builds the tree in one descent.
 * Literally taken, an inner node has the counts of its children together, so
 * every sample is looked at once. With `inherit` what a node drops has to be
 * known before its children are made, so each level looks at all samples.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/timetree/timetree.h"

struct list {
    struct timetree_entry *entry;
    size_t count, room;
};

struct build {
    struct timetree *t;
    struct stream *in, held; /* held: what leaves of `inherit` hold */
    struct stream_view *view;
    uint32_t *at;     /* by type: one more than its place in `merged`, or 0 */
    bool *dropped;    /* by type, by a node above */
    struct list open; /* the lists of finished nodes whose parent is not */
    struct list merged;
};

/* ---- counting ------------------------------------------------------------ */

static struct timetree_entry *push(struct list *l)
{
    if (l->count == l->room)
        l->entry = grow(l->entry, &l->room, l->count + 1, sizeof *l->entry);
    return &l->entry[l->count++];
}

static void add(struct build *w, uint32_t type, uint32_t count, uint64_t weight)
{
    struct timetree_entry *e;

    if (!w->at[type]) {
        *push(&w->merged) = (struct timetree_entry){.type = type};
        w->at[type] = (uint32_t)w->merged.count;
    }
    e = &w->merged.entry[w->at[type] - 1];
    e->count += count;
    e->weight += weight;
}

static void merged_done(struct build *w)
{
    for (size_t i = 0; i < w->merged.count; i++)
        w->at[w->merged.entry[i].type] = 0;
}

static const struct stream_sample *sample(struct build *w, uint64_t i)
{
    stream_read(w->in, w->view, i);
    return &w->view->sample[i - w->view->first];
}

/* Count the types of samples a to b, those that were not dropped. */
static uint64_t count_samples(struct build *w, uint64_t a, uint64_t b)
{
    uint64_t n = 0;

    w->merged.count = 0;
    for (uint64_t i = a; i < b; i++) {
        const struct stream_sample *s = sample(w, i);

        if (w->dropped[s->type])
            continue;
        add(w, s->type, 1, s->weight);
        n++;
    }
    merged_done(w);
    return n;
}

/* What is open from `first` on becomes one. */
static void join(struct build *w, size_t first)
{
    w->merged.count = 0;
    for (size_t i = first; i < w->open.count; i++) {
        const struct timetree_entry *e = &w->open.entry[i];

        add(w, e->type, e->count, e->weight);
    }
    merged_done(w);
    w->open.count = first;
}

/* Leave a node's counts to its parent. */
static void leave(struct build *w)
{
    for (size_t i = 0; i < w->merged.count; i++)
        *push(&w->open) = w->merged.entry[i];
}

/* ---- entries ------------------------------------------------------------- */

/* Most frequent first, then the lower number. */
static int by_count(const void *a, const void *b)
{
    const struct timetree_entry *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->type < y->type ? -1 : x->type > y->type;
}

/* How many of the types, from the top, make up P percent. */
static size_t enough(const struct build *w, uint64_t n)
{
    uint64_t sum = 0;
    size_t i = 0;

    while (i < w->merged.count && sum * 100 < n * w->t->with.p)
        sum += w->merged.entry[i++].count;
    return i;
}

static void pack_entries(struct build *w, size_t all, bool even)
{
    struct pack_bytes *p = &w->t->entry;
    const struct timetree_entry *list = w->merged.entry;
    uint32_t unit = w->in->unit;

    pack_room(p, all * 4 * PACK_MOST);
    for (size_t i = 0, end = 0; i < all; i++) {
        if (i == end) { /* a group of equal counts */
            while (end < all && list[end].count == list[i].count)
                end++;
            pack_put(p, i ? list[i - 1].count - list[i].count : list[i].count);
            pack_put(p, end - i - 1);
            pack_put(p, list[i].type);
        } else {
            pack_put(p, list[i].type - list[i - 1].type - 1);
        }
        if (!even)
            pack_put(p, pack_signed((int64_t)(list[i].weight -
                                              (uint64_t)list[i].count * unit)));
    }
}

/* Put a node's types down, of which it keeps the first `keep`. What `inherit`
 * drops is gone. */
static void put_entries(struct build *w, uint32_t node, size_t keep)
{
    struct timetree *t = w->t;
    struct timetree_node *n = &t->node[node];
    size_t all = t->with.inherit ? keep : w->merged.count;
    bool even = true;

    for (size_t i = 0; i < all; i++) {
        const struct timetree_entry *e = &w->merged.entry[i];

        n->kept += i < keep ? e->count : 0;
        even &= e->weight == (uint64_t)e->count * w->in->unit;
    }
    n->at = t->entry.size;
    n->entries = (uint32_t)keep;
    n->all = (uint32_t)all;
    n->flags |= even ? TIMETREE_EVEN : 0;
    pack_entries(w, all, even);
    n->bytes = (uint32_t)(t->entry.size - n->at);
    n->sum = (uint32_t)pack_sum(0, t->entry.byte + n->at, n->bytes);
}

/* ---- nodes --------------------------------------------------------------- */

static uint32_t new_node(struct build *w, uint64_t from, uint64_t to,
                         uint32_t depth)
{
    struct timetree *t = w->t;

    t->node = grow(t->node, &t->node_room, t->nodes + 1, sizeof *t->node);
    t->node[t->nodes] = (struct timetree_node){
        .from = from, .to = to, .depth = depth, .first = w->held.count};
    return (uint32_t)t->nodes++;
}

static bool divisible(struct build *w, uint64_t from, uint64_t to, uint64_t a,
                      uint64_t b)
{
    uint64_t first = sample(w, a)->time;

    return to - from >= w->t->with.n && sample(w, b - 1)->time != first;
}

/* A leaf of `inherit` holds the samples that were not dropped. */
static void hold(struct build *w, uint64_t a, uint64_t b)
{
    for (uint64_t i = a; w->t->with.inherit && i < b; i++) {
        const struct stream_sample *s = sample(w, i);

        if (!w->dropped[s->type])
            stream_add(&w->held, s->time, s->type, s->weight);
    }
}

/* Where a sub-interval begins. */
static uint64_t bound(uint64_t from, uint64_t to, unsigned i, unsigned n)
{
    return from + (uint64_t)((unsigned __int128)(to - from) * i / n);
}

static void build_node(struct build *w, uint64_t from, uint64_t to, uint64_t a,
                       uint64_t b, uint32_t depth);

static void build_children(struct build *w, uint64_t from, uint64_t to,
                           uint64_t a, uint64_t b, uint32_t depth)
{
    unsigned n = w->t->with.n;

    for (unsigned i = 0; i < n; i++) {
        uint64_t end = bound(from, to, i + 1, n);
        uint64_t c = b;

        if (i + 1 < n)
            stream_find(w->in, w->view, end, &c);
        build_node(w, bound(from, to, i, n), end, a, c, depth);
        a = c;
    }
}

/* The types that a node of `inherit` drops are so below it. Returns how many,
 * and which; the caller frees. */
static size_t drop(struct build *w, size_t keep, uint32_t **which)
{
    size_t n = w->merged.count - keep;

    *which = grow_zero(n + 1, sizeof **which);
    for (size_t i = 0; i < n; i++) {
        (*which)[i] = w->merged.entry[keep + i].type;
        w->dropped[(*which)[i]] = true;
    }
    return n;
}

static void sort(struct build *w)
{
    if (w->merged.count)
        qsort(w->merged.entry, w->merged.count, sizeof *w->merged.entry,
              by_count);
}

static void build_leaf(struct build *w, uint32_t node, uint64_t a, uint64_t b,
                       uint64_t n)
{
    struct timetree *t = w->t;

    if (!t->with.inherit)
        count_samples(w, a, b);
    sort(w);
    t->node[node].flags = TIMETREE_LEAF;
    if (n >= t->with.m)
        t->node[node].flags |= TIMETREE_FORCED;
    put_entries(w, node, w->merged.count);
    hold(w, a, b);
}

static void build_inherit(struct build *w, uint32_t node, uint64_t a,
                          uint64_t b, uint64_t n)
{
    uint64_t from = w->t->node[node].from, to = w->t->node[node].to;
    uint32_t depth = w->t->node[node].depth, *which;
    size_t keep, dropped;

    sort(w);
    keep = enough(w, n);
    put_entries(w, node, keep);
    dropped = drop(w, keep, &which);
    build_children(w, from, to, a, b, depth + 1);
    for (size_t i = 0; i < dropped; i++)
        w->dropped[which[i]] = false;
    free(which);
}

static void build_literal(struct build *w, uint32_t node, uint64_t a,
                          uint64_t b)
{
    uint64_t from = w->t->node[node].from, to = w->t->node[node].to;
    size_t first = w->open.count;

    build_children(w, from, to, a, b, w->t->node[node].depth + 1);
    join(w, first);
    sort(w);
    put_entries(w, node, enough(w, b - a));
}

/* The node of samples a to b in [from, to), and all below it. */
static void build_node(struct build *w, uint64_t from, uint64_t to, uint64_t a,
                       uint64_t b, uint32_t depth)
{
    struct timetree *t = w->t;
    uint32_t node = new_node(w, from, to, depth);
    bool inherit = t->with.inherit;
    uint64_t n = inherit ? count_samples(w, a, b) : b - a;

    t->node[node].raw = b - a;
    t->node[node].held = n;
    if (n < t->with.m || !divisible(w, from, to, a, b))
        build_leaf(w, node, a, b, n);
    else if (inherit)
        build_inherit(w, node, a, b, n);
    else
        build_literal(w, node, a, b);
    t->node[node].skip = (uint32_t)t->nodes;
    if (!inherit) {
        t->node[node].first = a;
        leave(w);
    }
}

void timetree_build(struct timetree *t, struct stream *s, uint32_t types,
                    uint64_t from, uint64_t to,
                    const struct timetree_options *with)
{
    struct build w = {.t = t, .in = s};

    *t = (struct timetree){
        .with = *with, .from = from, .to = to, .types = types};
    if (!t->with.m)
        t->with.m = s->count / 500 > 100 ? s->count / 500 : 100;
    if (!s->unit)
        s->unit = 1;
    stream_end(s);
    w.held.unit = s->unit;
    w.view = grow_zero(1, sizeof *w.view);
    w.view->block = STREAM_NONE;
    w.at = grow_zero((size_t)types + 1, sizeof *w.at);
    w.dropped = grow_zero((size_t)types + 1, sizeof *w.dropped);
    build_node(&w, from, to, 0, s->count, 1);
    free(w.view);
    free(w.at);
    free(w.dropped);
    free(w.open.entry);
    free(w.merged.entry);
    t->stream = *s;
    if (t->with.inherit) {
        stream_end(&w.held);
        stream_free(s);
        t->stream = w.held;
    }
    *s = (struct stream){0};
}
