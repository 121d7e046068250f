/* timetree.c - builds the tree in one descent, and answers queries from it.
 * A node's types are counted in one pass over its samples: a tree is as deep
 * as the logarithm of the leaves, so that is few passes over all.
 */
#include "tools/lib/timetree.h"

#include <stdlib.h>
#include <string.h>

#include "tools/lib/grow.h"

/* ---- samples ------------------------------------------------------------ */

/* Room for one more. Not cleared, unlike what grow() makes: of a hundred
 * million samples only the pages that are used shall be there. */
static uint32_t *widen(uint32_t *list, size_t *room, uint64_t used)
{
    size_t more = *room ? *room * 2 : STREAM_BLOCK;
    uint32_t *wide;

    if (used < *room)
        return list;
    wide = realloc(list, more * sizeof *list);
    if (!wide) /* says so, and ends */
        return grow(list, room, more, sizeof *list);
    *room = more;
    return wide;
}

void stream_add(struct stream *s, uint64_t time, uint32_t type)
{
    const struct stream_block *last =
        s->blocks ? &s->block[s->blocks - 1] : NULL;

    if (!last || s->count - last->first == STREAM_BLOCK ||
        time - last->base > UINT32_MAX) {
        s->block =
            grow(s->block, &s->block_room, s->blocks + 1, sizeof *s->block);
        s->block[s->blocks++] = (struct stream_block){time, s->count};
        last = &s->block[s->blocks - 1];
    }
    s->offset = widen(s->offset, &s->offset_room, s->count);
    s->type = widen(s->type, &s->type_room, s->count);
    s->offset[s->count] = (uint32_t)(time - last->base);
    s->type[s->count++] = type;
}

void stream_free(struct stream *s)
{
    if (s->offset_room)
        free(s->offset);
    if (s->type_room)
        free(s->type);
    if (s->block_room)
        free(s->block);
    *s = (struct stream){0};
}

/* The block that a sample is in, or the last one that begins before time. */
static uint64_t block_of(const struct stream *s, uint64_t key, bool by_time)
{
    uint64_t low = 0, high = s->blocks;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (by_time ? s->block[middle].base < key
                    : s->block[middle].first <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t stream_time(const struct stream *s, uint64_t sample)
{
    return s->block[block_of(s, sample, false)].base + s->offset[sample];
}

uint64_t stream_find(const struct stream *s, uint64_t time)
{
    uint64_t b, low, high;

    if (!s->count)
        return 0;
    b = block_of(s, time, true);
    low = s->block[b].first;
    high = b + 1 < s->blocks ? s->block[b + 1].first : s->count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (s->block[b].base + s->offset[middle] < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- building ----------------------------------------------------------- */

struct build {
    struct timetree *t;
    struct stream *in, held;     /* held: what leaves of `inherit` hold */
    uint32_t *count;             /* by type, zero between nodes */
    bool *dropped;               /* by type, by a node above */
    struct timetree_entry *type; /* those that occur in a node */
    size_t types, room;
};

/* Count the types of samples a to b, those that nobody dropped. */
static uint64_t count_types(struct build *w, uint64_t a, uint64_t b)
{
    uint64_t n = 0;

    w->types = 0;
    for (uint64_t i = a; i < b; i++) {
        uint32_t type = w->in->type[i];

        if (w->dropped[type])
            continue;
        if (!w->count[type]++) {
            w->type = grow(w->type, &w->room, w->types + 1, sizeof *w->type);
            w->type[w->types++].type = type;
        }
        n++;
    }
    for (size_t i = 0; i < w->types; i++) {
        w->type[i].count = w->count[w->type[i].type];
        w->count[w->type[i].type] = 0;
    }
    return n;
}

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

    while (i < w->types && sum * 100 < n * w->t->with.p)
        sum += w->type[i++].count;
    return i;
}

/* Put the first `keep` types down as the node's. */
static void put_entries(struct build *w, uint32_t node, size_t keep)
{
    struct timetree *t = w->t;

    t->entry =
        grow(t->entry, &t->entry_room, t->entries + keep + 1, sizeof *t->entry);
    memcpy(&t->entry[t->entries], w->type, keep * sizeof *w->type);
    t->node[node].entry = t->entries;
    t->node[node].entries = (uint32_t)keep;
    for (size_t i = 0; i < keep; i++)
        t->node[node].kept += w->type[i].count;
    t->entries += keep;
}

static uint32_t new_node(struct build *w, uint64_t from, uint64_t to,
                         uint32_t depth)
{
    struct timetree *t = w->t;

    t->node = grow(t->node, &t->node_room, t->nodes + 1, sizeof *t->node);
    t->node[t->nodes] = (struct timetree_node){
        .from = from, .to = to, .depth = depth, .first = w->held.count};
    return (uint32_t)t->nodes++;
}

static bool divisible(const struct build *w, uint64_t from, uint64_t to,
                      uint64_t a, uint64_t b)
{
    return to - from >= w->t->with.n &&
           stream_time(w->in, a) != stream_time(w->in, b - 1);
}

/* A leaf of `inherit` holds the samples that nobody dropped. */
static void hold(struct build *w, uint64_t a, uint64_t b)
{
    for (uint64_t i = a; w->t->with.inherit && i < b; i++)
        if (!w->dropped[w->in->type[i]])
            stream_add(&w->held, stream_time(w->in, i), w->in->type[i]);
}

/* Where a sub-interval begins. */
static uint64_t bound(uint64_t from, uint64_t to, unsigned i, unsigned n)
{
    return from + (uint64_t)((unsigned __int128)(to - from) * i / n);
}

/* The node of samples a to b in [from, to), and all below it. */
static void build_node(struct build *w, uint64_t from, uint64_t to, uint64_t a,
                       uint64_t b, uint32_t depth)
{
    struct timetree *t = w->t;
    uint32_t node = new_node(w, from, to, depth), *undo = NULL;
    uint64_t n = count_types(w, a, b);
    size_t keep, dropped = 0;
    unsigned split = t->with.n;

    t->node[node].raw = b - a;
    qsort(w->type, w->types, sizeof *w->type, by_count);
    if (n < t->with.m || !divisible(w, from, to, a, b)) {
        t->node[node].flags =
            TIMETREE_LEAF | (n < t->with.m ? 0 : TIMETREE_FORCED);
        put_entries(w, node, w->types);
        hold(w, a, b);
    } else {
        keep = enough(w, n);
        put_entries(w, node, keep);
        if (t->with.inherit) {
            dropped = w->types - keep;
            undo = grow_zero(dropped + 1, sizeof *undo);
            for (size_t i = 0; i < dropped; i++) {
                undo[i] = w->type[keep + i].type;
                w->dropped[undo[i]] = true;
            }
        }
        for (unsigned i = 0; i < split; i++) {
            uint64_t end = bound(from, to, i + 1, split);
            uint64_t c = i + 1 < split ? stream_find(w->in, end) : b;

            build_node(w, bound(from, to, i, split), end, a, c, depth + 1);
            a = c;
        }
        for (size_t i = 0; i < dropped; i++)
            w->dropped[undo[i]] = false;
        free(undo);
    }
    t->node[node].skip = (uint32_t)t->nodes;
    t->node[node].held = n;
    if (!t->with.inherit)
        t->node[node].first = b - t->node[node].raw;
}

void timetree_build(struct timetree *t, struct stream *s, uint32_t types,
                    uint64_t from, uint64_t to,
                    const struct timetree_options *with)
{
    struct build w = {.t = t, .in = s};

    *t = (struct timetree){
        .with = *with, .from = from, .to = to, .types = types};
    if (!t->with.m)
        t->with.m = s->count / 1000 > 100 ? s->count / 1000 : 100;
    w.count = grow_zero((size_t)types + 1, sizeof *w.count);
    w.dropped = grow_zero((size_t)types + 1, sizeof *w.dropped);
    build_node(&w, from, to, 0, s->count, 1);
    free(w.count);
    free(w.dropped);
    free(w.type);
    t->stream = *s;
    if (t->with.inherit) {
        stream_free(s);
        t->stream = w.held;
    }
    *s = (struct stream){0};
}

void timetree_free(struct timetree *t)
{
    stream_free(&t->stream);
    if (t->node_room)
        free(t->node);
    if (t->entry_room)
        free(t->entry);
    *t = (struct timetree){0};
}

/* ---- is it one? --------------------------------------------------------- */

static bool stream_sound(const struct stream *s, uint32_t types)
{
    for (uint64_t i = 0; i < s->blocks; i++) {
        uint64_t end = i + 1 < s->blocks ? s->block[i + 1].first : s->count;

        if (s->block[i].first >= end || (!i && s->block[i].first) ||
            end > s->count || (i && s->block[i].base < s->block[i - 1].base) ||
            s->block[i].base > UINT64_MAX - UINT32_MAX)
            return false;
    }
    return (s->blocks != 0) == (s->count != 0) && (types || !s->count);
}

static bool entries_sound(const struct timetree *t,
                          const struct timetree_node *n)
{
    uint64_t sum = 0;

    if (n->entry > t->entries || n->entries > t->entries - n->entry)
        return false;
    for (uint64_t i = n->entry; i < n->entry + n->entries; i++) {
        sum += t->entry[i].count;
        if (t->entry[i].type >= t->types)
            return false;
    }
    return sum == n->kept && n->kept <= n->held && n->held <= n->raw;
}

/* Children tile the interval and the samples of their parent. */
static bool children_sound(const struct timetree *t, uint32_t node)
{
    const struct timetree_node *n = &t->node[node];
    uint64_t at = n->from, first = n->first, raw = 0;
    uint32_t child = node + 1;

    if (n->flags & TIMETREE_LEAF)
        return n->skip == node + 1;
    while (child < n->skip) {
        const struct timetree_node *c = &t->node[child];

        if (c->from != at || c->first != first || c->depth != n->depth + 1 ||
            c->skip > n->skip)
            return false;
        for (uint32_t i = child; i < c->skip; i++)
            if (t->node[i].flags & TIMETREE_LEAF)
                first += t->node[i].held;
        at = c->to;
        raw += c->raw;
        child = c->skip;
    }
    return at == n->to && raw == n->raw && child == n->skip;
}

bool timetree_sound(const struct timetree *t)
{
    if (!stream_sound(&t->stream, t->types) || !t->nodes ||
        t->nodes > UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < t->nodes; i++) {
        const struct timetree_node *n = &t->node[i];

        if (n->skip <= i || n->skip > t->nodes || n->from > n->to ||
            n->depth > 200 || n->first > t->stream.count)
            return false;
        if ((n->flags & TIMETREE_LEAF) && n->held > t->stream.count - n->first)
            return false;
        if (!(n->flags & TIMETREE_LEAF) && n->skip == i + 1)
            return false;
        if (!entries_sound(t, n))
            return false;
    }
    for (uint32_t i = 0; i < t->nodes; i++)
        if (!children_sound(t, i))
            return false;
    return t->node[0].from == t->from && t->node[0].to == t->to &&
           t->node[0].skip == t->nodes;
}

/* ---- queries ------------------------------------------------------------ */

struct ask {
    const struct timetree *t;
    const struct timetree_query *q;
    struct timetree_answer *a;
    uint64_t from, to; /* half-open, the root's last instant being inside */
};

static uint64_t end_of(const struct timetree *t, uint64_t to)
{
    return to >= t->to && to < UINT64_MAX ? to + 1 : to;
}

static enum timetree_relation relation(const struct ask *k,
                                       const struct timetree_node *n)
{
    uint64_t to = end_of(k->t, n->to);

    if (k->from >= to || n->from >= k->to)
        return TIMETREE_OUTSIDE;
    return k->from <= n->from && to <= k->to ? TIMETREE_INSIDE
                                             : TIMETREE_PARTLY;
}

/* Count samples one by one, all those from a to b. */
static void count_samples(struct ask *k, uint64_t a, uint64_t b)
{
    for (uint64_t i = a; i < b; i++) {
        uint32_t type = k->t->stream.type[i];

        if (type < k->t->types)
            k->a->count[type]++;
    }
    k->a->counted += b - a;
}

static void merge(struct ask *k, const struct timetree_node *n)
{
    k->a->merged++;
    k->a->other += n->raw - n->kept;
    if ((n->flags & TIMETREE_LEAF) && k->q->count_leaves) {
        count_samples(k, n->first, n->first + n->held);
        k->a->read += n->held;
        return;
    }
    for (uint64_t i = n->entry; i < n->entry + n->entries; i++)
        k->a->count[k->t->entry[i].type] += k->t->entry[i].count;
    k->a->counted += n->kept;
}

/* A leaf that is partly inside: look at each of its samples. */
static void enumerate(struct ask *k, const struct timetree_node *n)
{
    uint64_t end = n->first + n->held;
    uint64_t a = stream_find(&k->t->stream, k->from);
    uint64_t b = stream_find(&k->t->stream, k->to);

    a = a < n->first ? n->first : a > end ? end : a;
    b = b < a ? a : b > end ? end : b;
    count_samples(k, a, b);
    k->a->read += n->held;
    k->a->maybe += n->raw - n->held;
}

void timetree_ask(const struct timetree *t, const struct timetree_query *q,
                  struct timetree_answer *a)
{
    struct ask k = {.t = t, .q = q, .a = a, .from = q->from, .to = q->to};
    uint32_t node = 0;

    *a = (struct timetree_answer){0};
    a->count = grow_zero((size_t)t->types + 1, sizeof *a->count);
    k.from = q->from < t->from ? t->from : q->from;
    k.to = q->to >= t->to ? end_of(t, t->to) : q->to;
    if (k.from >= k.to)
        return;
    while (node < t->nodes) {
        const struct timetree_node *n = &t->node[node];
        enum timetree_relation how = relation(&k, n);

        a->visited++;
        if (q->visit)
            q->visit(q->arg, t, node, how);
        if (how == TIMETREE_INSIDE)
            merge(&k, n);
        else if (how == TIMETREE_PARTLY && n->flags & TIMETREE_LEAF)
            enumerate(&k, n);
        node = how == TIMETREE_PARTLY ? node + 1 : n->skip;
    }
}

void timetree_scan(const struct timetree *t, uint64_t from, uint64_t to,
                   struct timetree_answer *a)
{
    struct timetree_query q = {0};
    struct ask k = {.t = t, .q = &q, .a = a};
    uint64_t first = stream_find(&t->stream, from);
    uint64_t last = to >= t->to ? t->stream.count : stream_find(&t->stream, to);

    *a = (struct timetree_answer){0};
    a->count = grow_zero((size_t)t->types + 1, sizeof *a->count);
    if (first < last) {
        count_samples(&k, first, last);
        a->read = last - first;
    }
}
