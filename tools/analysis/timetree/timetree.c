/* timetree.c - entries as bytes, and queries: a walk from the root that looks
 * below a node only where the interval cuts it.
 */
#include "tools/analysis/timetree/timetree.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

void timetree_free(struct timetree *t)
{
    stream_free(&t->stream);
    if (t->node_room)
        free(t->node);
    if (t->entry.room)
        free(t->entry.byte);
    *t = (struct timetree){0};
}

/* ---- entries ------------------------------------------------------------- */

/* In groups of equal counts, counts falling: by how much less, how many more
 * than one, then the types rising, each less the one before it and, where
 * weights are not the usual ones, how much more the weight is. */
bool timetree_entries(const struct timetree *t, uint32_t node, bool all,
                      struct timetree_entry *list)
{
    const struct timetree_node *n = &t->node[node];
    const unsigned char *at = t->entry.byte + n->at;
    struct pack_reader r = {at, at + n->bytes, false};
    uint32_t want = all ? n->all : n->entries, group = 0, type = 0;
    uint64_t count = 0, sum = 0;

    if ((uint32_t)pack_sum(0, at, n->bytes) != n->sum)
        return false;
    for (uint32_t i = 0; i < want; i++) {
        if (!group) {
            uint64_t less = pack_get(&r);

            count = i ? count - less : less;
            group = (uint32_t)pack_get(&r) + 1;
            type = (uint32_t)pack_get(&r);
        } else {
            type += (uint32_t)pack_get(&r) + 1;
        }
        group--;
        list[i] = (struct timetree_entry){type, (uint32_t)count,
                                          count * t->stream.unit};
        if (!(n->flags & TIMETREE_EVEN))
            list[i].weight += (uint64_t)pack_unsigned(pack_get(&r));
        sum += i < n->entries ? list[i].count : 0;
        if (r.bad || type >= t->types || count > n->held)
            return false;
    }
    return sum == n->kept;
}

/* ---- is it one? ---------------------------------------------------------- */

static bool node_sound(const struct timetree *t, uint32_t i)
{
    const struct timetree_node *n = &t->node[i];
    bool leaf = n->flags & TIMETREE_LEAF;

    return n->skip > i && n->skip <= t->nodes && n->from <= n->to &&
           n->depth <= 200 && n->first <= t->stream.count &&
           leaf == (n->skip == i + 1) &&
           !(leaf && n->held > t->stream.count - n->first) &&
           n->kept <= n->held && n->held <= n->raw && n->entries <= n->all &&
           n->all <= t->types && n->at <= t->entry.size &&
           n->bytes <= t->entry.size - n->at &&
           /* the least that an entry takes */
           n->all <= n->bytes;
}

/* Children tile the interval and the samples of their parent. */
static bool children_sound(const struct timetree *t, uint32_t node)
{
    const struct timetree_node *n = &t->node[node];
    uint64_t at = n->from, first = n->first, raw = 0;
    uint32_t child = node + 1;

    if (n->flags & TIMETREE_LEAF)
        return true;
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
    if (!stream_sound(&t->stream) || !t->nodes || t->nodes > UINT32_MAX ||
        (!t->types && t->stream.count))
        return false;
    for (uint32_t i = 0; i < t->nodes; i++)
        if (!node_sound(t, i))
            return false;
    for (uint32_t i = 0; i < t->nodes; i++)
        if (!children_sound(t, i))
            return false;
    return t->node[0].from == t->from && t->node[0].to == t->to &&
           t->node[0].skip == t->nodes && t->node[0].depth == 1;
}

/* Times rise and lie in the root's interval, types are below `types`. */
static bool samples_whole(const struct timetree *t)
{
    struct stream_view *v = grow_zero(1, sizeof *v);
    uint64_t last = t->from;
    bool good = true;

    v->block = STREAM_NONE;
    for (uint64_t i = 0; good && i < t->stream.count; i++) {
        const struct stream_sample *s;

        good = stream_read(&t->stream, v, i);
        s = &v->sample[i - v->first];
        good &= s->time >= last && s->time <= t->to && s->type < t->types;
        last = s->time;
    }
    free(v);
    return good;
}

bool timetree_whole(const struct timetree *t)
{
    struct timetree_entry *list = grow_zero((size_t)t->types + 1, sizeof *list);
    bool good = timetree_sound(t) && samples_whole(t);

    for (uint32_t i = 0; good && i < t->nodes; i++) {
        uint64_t sum = 0;

        good = timetree_entries(t, i, true, list);
        for (uint32_t k = 0; k < t->node[i].all; k++)
            sum += list[k].count;
        if (good && !t->with.inherit)
            good = sum == t->node[i].held;
    }
    free(list);
    return good;
}

/* ---- queries ------------------------------------------------------------- */

struct ask {
    const struct timetree *t;
    const struct timetree_query *q;
    struct timetree_answer *a;
    uint64_t from, to; /* half-open, the root's last instant being inside */
    struct timetree_entry *entry; /* room for all of a node's */
    struct stream_view *view;
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
        const struct stream_sample *s;

        if (!stream_read(&k->t->stream, k->view, i)) {
            k->a->damaged = true;
            return;
        }
        s = &k->view->sample[i - k->view->first];
        if (s->type >= k->t->types) {
            k->a->damaged = true;
            return;
        }
        k->a->count[s->type]++;
        k->a->weight[s->type] += s->weight;
    }
    k->a->counted += b - a;
}

static void merge(struct ask *k, uint32_t node)
{
    const struct timetree_node *n = &k->t->node[node];
    bool all = k->q->exact && !k->t->with.inherit;
    uint32_t entries = all ? n->all : n->entries;

    k->a->merged++;
    if ((n->flags & TIMETREE_LEAF) && k->q->count_leaves) {
        k->a->other += n->raw - n->held;
        count_samples(k, n->first, n->first + n->held);
        k->a->read += n->held;
        return;
    }
    if (!timetree_entries(k->t, node, all, k->entry)) {
        k->a->damaged = true;
        return;
    }
    k->a->other += n->raw;
    for (uint32_t i = 0; i < entries; i++) {
        const struct timetree_entry *e = &k->entry[i];

        k->a->count[e->type] += e->count;
        k->a->weight[e->type] += e->weight;
        k->a->counted += e->count;
        k->a->other -= e->count;
    }
}

/* A leaf that is partly inside: look at each of its samples. */
static void enumerate(struct ask *k, const struct timetree_node *n)
{
    uint64_t end = n->first + n->held;
    uint64_t a, b;

    if (!stream_find(&k->t->stream, k->view, k->from, &a) ||
        !stream_find(&k->t->stream, k->view, k->to, &b)) {
        k->a->damaged = true;
        return;
    }
    a = a < n->first ? n->first : a > end ? end : a;
    b = b < a ? a : b > end ? end : b;
    count_samples(k, a, b);
    k->a->read += n->held;
    k->a->maybe += n->raw - n->held;
}

static void walk(struct ask *k)
{
    uint32_t node = 0;

    while (node < k->t->nodes && !k->a->damaged) {
        const struct timetree_node *n = &k->t->node[node];
        enum timetree_relation how = relation(k, n);

        k->a->visited++;
        if (k->q->visit)
            k->q->visit(k->q->arg, k->t, node, how);
        if (how == TIMETREE_INSIDE)
            merge(k, node);
        else if (how == TIMETREE_PARTLY && n->flags & TIMETREE_LEAF)
            enumerate(k, n);
        node = how == TIMETREE_PARTLY ? node + 1 : n->skip;
    }
}

static struct ask begin(const struct timetree *t,
                        const struct timetree_query *q,
                        struct timetree_answer *a)
{
    struct ask k = {.t = t, .q = q, .a = a};

    *a = (struct timetree_answer){0};
    a->count = grow_zero((size_t)t->types + 1, sizeof *a->count);
    a->weight = grow_zero((size_t)t->types + 1, sizeof *a->weight);
    k.entry = grow_zero((size_t)t->types + 1, sizeof *k.entry);
    k.view = grow_zero(1, sizeof *k.view);
    k.view->block = STREAM_NONE;
    k.from = q->from < t->from ? t->from : q->from;
    k.to = q->to >= t->to ? end_of(t, t->to) : q->to;
    return k;
}

static void end(struct ask *k)
{
    free(k->entry);
    free(k->view);
}

void timetree_ask(const struct timetree *t, const struct timetree_query *q,
                  struct timetree_answer *a)
{
    struct ask k = begin(t, q, a);

    if (k.from < k.to)
        walk(&k);
    end(&k);
}

void timetree_forget(struct timetree_answer *a)
{
    free(a->count);
    free(a->weight);
    *a = (struct timetree_answer){0};
}

void timetree_scan(const struct timetree *t, uint64_t from, uint64_t to,
                   struct timetree_answer *a)
{
    struct timetree_query q = {.from = from, .to = to};
    struct ask k = begin(t, &q, a);
    uint64_t first, last = t->stream.count;

    a->damaged = !stream_find(&t->stream, k.view, from, &first) ||
                 (to < t->to && !stream_find(&t->stream, k.view, to, &last));
    if (!a->damaged && first < last) {
        count_samples(&k, first, last);
        a->read = last - first;
    }
    end(&k);
}

/* ---- one sample ---------------------------------------------------------- */

/* Has a node a sample that is wanted? */
static bool has_wanted(const struct ask *k, uint32_t node, const bool *wanted)
{
    const struct timetree_node *n = &k->t->node[node];

    if (!timetree_entries(k->t, node, true, k->entry)) {
        k->a->damaged = true;
        return false;
    }
    for (uint32_t i = 0; i < n->all; i++)
        if (wanted[k->entry[i].type])
            return true;
    return false;
}

/* Look through a leaf from an instant on. */
static bool find_in(struct ask *k, const struct timetree_node *n,
                    const bool *wanted, struct timetree_found *found)
{
    uint64_t i;

    if (!stream_find(&k->t->stream, k->view, k->from, &i)) {
        k->a->damaged = true;
        return false;
    }
    for (i = i < n->first ? n->first : i; i < n->first + n->held; i++) {
        const struct stream_sample *s;

        if (!stream_read(&k->t->stream, k->view, i)) {
            k->a->damaged = true;
            return false;
        }
        s = &k->view->sample[i - k->view->first];
        found->read++;
        if (s->type < k->t->types && wanted[s->type]) {
            found->sample = *s;
            return true;
        }
    }
    return false;
}

void timetree_next(const struct timetree *t, uint64_t from, const bool *wanted,
                   struct timetree_found *found)
{
    struct timetree_query q = {.from = from, .to = UINT64_MAX};
    struct timetree_answer a;
    struct ask k = begin(t, &q, &a);
    uint32_t node = 0;

    *found = (struct timetree_found){0};
    while (node < t->nodes && !found->any && !a.damaged) {
        const struct timetree_node *n = &t->node[node];
        bool leaf = n->flags & TIMETREE_LEAF;

        if (end_of(t, n->to) <= k.from || !has_wanted(&k, node, wanted)) {
            node = n->skip;
            continue;
        }
        found->any = leaf && find_in(&k, n, wanted, found);
        node = leaf ? n->skip : node + 1;
    }
    found->damaged = a.damaged;
    end(&k);
    timetree_forget(&a);
}
