/* key.c - the window as a key: every cycle of it counted from that of the
 * latest dispatch, and what lies so far in the past that nothing to come can
 * tell when made the same.
 *
 * The floors follow from the stages. The next dispatch is no earlier than
 * `first`: in the cycle of the latest one, or behind it when that is closed. An
 * issue is no earlier than first + 1, an access than first + 2. What is only
 * ever compared with these, as the later of the two, may be anything up to
 * there. One list of fields packs and restores, so that the two agree.
 *
 * Not in the key and kept as they are while instructions are replayed: tags,
 * arrivals, the predictor, the bus; the store queue, fills and castouts, of
 * which accesses ask; the latest completions.
 */
#include "sim/core/detailed/memo/memo_private.h"

#include <string.h>

struct packing {
    uint8_t *v;          /* PACKS: the next of the key */
    const uint8_t *from; /* RESTORES: the same */
    cycle_t base;
    uint64_t over; /* bits that a field had no room for */
    bool none;     /* RESTORES: fields are not in the key, and 0 */
    enum { PACKS, RESTORES, TIDIES } way;
};

#define PACK static inline __attribute__((always_inline))

#define LONG 0xFFu /* what takes two bytes follows */

PACK void put(struct packing *k, uint64_t is)
{
    k->over |= is >> 16;
    if (is < LONG) {
        *k->v++ = (uint8_t)is;
        return;
    }
    k->v[0] = LONG;
    k->v[1] = (uint8_t)is;
    k->v[2] = (uint8_t)(is >> 8);
    k->v += 3;
}

PACK unsigned get(struct packing *k)
{
    unsigned is;

    if (k->none)
        return 0;
    is = *k->from++;
    if (is < LONG)
        return is;
    k->from += 2;
    return k->from[-2] | k->from[-1] << 8;
}

/* A few fields follow, that are 0 most of the time, or `count`. True: they need
 * not be packed. */
PACK bool few(struct packing *k, bool count)
{
    if (k->way == PACKS)
        put(k, count);
    else if (k->way == RESTORES)
        k->none = !get(k);
    return k->way == PACKS && !count;
}

/* A cycle that counts only behind `floor`. */
PACK void after(struct packing *k, cycle_t *t, cycle_t floor)
{
    unsigned more;

    switch (k->way) {
    case PACKS:
        put(k, *t > floor ? *t - floor : 0);
        break;
    case RESTORES:
        more = get(k);
        *t = more ? floor + more : 0;
        break;
    case TIDIES:
        *t = *t > floor ? *t : 0;
        break;
    }
}

PACK void number(struct packing *k, unsigned *n)
{
    if (k->way == PACKS)
        put(k, *n);
    else if (k->way == RESTORES)
        *n = get(k);
}

/* A cycle that counts as it is, recent or to come: the sign is the last bit. */
PACK void cycle(struct packing *k, cycle_t *t)
{
    uint64_t is = *t - k->base;

    if (k->way == PACKS) {
        put(k, is << 1 ^ -(is >> 63));
    } else if (k->way == RESTORES) {
        is = get(k);
        *t = k->base + (is >> 1 ^ -(is & 1));
    }
}

PACK void word(struct packing *k, uint32_t *w)
{
    if (k->way == PACKS) {
        memcpy(k->v, w, sizeof *w);
        k->v += sizeof *w;
    } else if (k->way == RESTORES) {
        memcpy(w, k->from, sizeof *w);
        k->from += sizeof *w;
    }
}

/* Its first entry is the oldest. */
static void ring_turn(struct ring *r)
{
    struct ring old = *r;

    for (unsigned n = 0; n < r->n; n++)
        r->t[n] = old.t[(old.at + n) % r->n];
    r->at = 0;
}

/* Each entry by itself. */
PACK void ring(struct packing *k, struct ring *r, cycle_t floor)
{
    unsigned n, at = k->way == PACKS ? r->at : 0;

    if (k->way == TIDIES)
        ring_turn(r);
    for (n = at; n < r->n; n++)
        after(k, &r->t[n], floor);
    for (n = 0; n < at; n++)
        after(k, &r->t[n], floor);
    if (k->way == RESTORES)
        r->at = 0;
}

/* None is earlier than the one in front of it: those that count are the latest
 * ones. */
PACK void row(struct packing *k, struct ring *r, cycle_t floor)
{
    unsigned n = 0, at;
    uint8_t *count = k->v;

    if (k->way == TIDIES) {
        ring(k, r, floor);
    } else if (k->way == RESTORES) {
        memset(r->t, 0, r->n * sizeof *r->t);
        r->at = 0;
        for (n = get(k), at = r->n; n; n--)
            r->t[--at] = floor + get(k);
    } else {
        put(k, 0);
        for (at = r->at; n < r->n; n++) {
            at = (at ? at : r->n) - 1;
            if (r->t[at] <= floor)
                break;
            put(k, r->t[at] - floor);
        }
        *count = (uint8_t)n;
    }
}

/* The open group has room for what lies at pa, which is in its line. */
static inline bool joins_group(const struct core *c, pa_t pa)
{
    const struct window *w = &pipe_of(c)->w;

    return w->group_line == cache_line(&pipe_of(c)->tags.icache, pa) &&
           w->grouped < c->with.params->fetch_width;
}

/* Fetch: a group that the next instruction may join, or none. */
PACK void fetch(struct packing *k, struct core *c, pa_t pa)
{
    struct window *w = &pipe_of(c)->w;
    unsigned joins = joins_group(c, pa);

    if (k->way == TIDIES) {
        w->line_full = w->line_full > w->group ? w->line_full : 0;
        row(k, &w->queue, w->group_line != 1 ? w->group : w->fetch_next);
        return;
    }
    cycle(k, &w->fetch_next);
    number(k, &joins);
    if (joins) {
        cycle(k, &w->group);
        number(k, &w->grouped);
        word(k, &w->group_pc);
    }
    if (k->way == RESTORES) {
        w->group_line = joins ? cache_line(&pipe_of(c)->tags.icache, pa) : 1;
        w->line_full = 0;
        w->group = joins ? w->group : 0;
        w->grouped = joins ? w->grouped : 0;
    }
    row(k, &w->queue, joins ? w->group : w->fetch_next);
}

PACK void locks(struct packing *k, struct window *w, cycle_t first)
{
    if (few(k, w->hold > first || w->lock_lr > first || w->lock_ctr > first ||
                   w->lock_cr > first))
        return;
    after(k, &w->hold, first);
    after(k, &w->lock_lr, first);
    after(k, &w->lock_ctr, first);
    after(k, &w->lock_cr, first);
    k->none = false;
}

PACK void dispatch(struct packing *k, struct window *w, cycle_t first)
{
    locks(k, w, first);
    row(k, &w->rob, first);
    row(k, &w->gpr, first);
    row(k, &w->fpr, first);
    row(k, &w->cr, first);
    row(k, &w->blocks, first);
}

/* The calendar of a unit out of order, as the next request will have it. */
PACK void busy(struct packing *k, struct busy *b, cycle_t issue)
{
    uint64_t bits = 0;
    uint32_t low, high;

    if (k->way != RESTORES && issue >= b->base && issue - b->base < 64)
        bits = b->bits >> (issue - b->base);
    k->over |= issue < b->base;
    after(k, &b->end, issue);
    low = (uint32_t)bits;
    high = (uint32_t)(bits >> 32);
    if (k->way != RESTORES || !k->none) {
        word(k, &low);
        word(k, &high);
    }
    if (k->way != PACKS) {
        b->base = issue;
        b->bits = low | (uint64_t)high << 32;
    }
}

/* Does anything that is known of unit u lie ahead? */
PACK bool works(const struct pipe *p, unsigned u, cycle_t first)
{
    const struct window *w = &p->w;
    const struct ring *r = &w->station[u];
    cycle_t end = unit_rows[u].in_order ? w->next[u] : w->busy[u].end;
    cycle_t last = w->began[u];

    for (unsigned n = 0; n < r->n; n++)
        last = cycle_max(last, r->t[n]);
    return last > first || cycle_max(end, p->busy_until[u]) > first + 1;
}

PACK void unit(struct packing *k, struct pipe *p, unsigned u, cycle_t first)
{
    struct window *w = &p->w;

    if (few(k, k->way == PACKS && works(p, u, first)))
        return;
    ring(k, &w->station[u], first);
    if (unit_rows[u].in_order) {
        after(k, &w->next[u], first + 1);
        after(k, &w->began[u], first);
    } else {
        busy(k, &w->busy[u], first + 1);
    }
    after(k, &p->busy_until[u], first + 1);
    k->none = false;
}

/* Those of recent results that count, each behind its number. */
PACK void pack_ready(struct packing *k, struct window *w, cycle_t first)
{
    uint8_t *count = k->v++;
    unsigned many = 0;

    for (unsigned n = 0; n < READY_WORDS; n++) {
        uint64_t left = w->recent[n], keep = 0;

        for (; left; left &= left - 1) {
            unsigned r = n * 64 + (unsigned)__builtin_ctzll(left);

            if (w->ready[r] <= first)
                continue;
            put(k, r);
            put(k, w->ready[r] - first);
            keep |= left & -left;
            many++;
        }
        w->recent[n] = keep;
    }
    *count = (uint8_t)many;
}

PACK void ready(struct packing *k, struct window *w, cycle_t first)
{
    if (k->way == PACKS) {
        pack_ready(k, w, first);
    } else if (k->way == TIDIES) {
        for (unsigned r = 0; r < REG_COUNT; r++) {
            after(k, &w->ready[r], first);
            if (!w->ready[r])
                w->recent[r / 64] &= ~((uint64_t)1 << r % 64);
        }
    } else {
        memset(w->ready, 0, sizeof w->ready);
        memset(w->recent, 0, sizeof w->recent);
        for (unsigned n = get(k); n; n--) {
            unsigned r = get(k);

            window_ready(w, r, first + get(k));
        }
    }
}

PACK void execute(struct packing *k, struct pipe *p, cycle_t first)
{
    for (unsigned u = 0; u < UNIT_COUNT; u++)
        unit(k, p, u, first);
    ready(k, &p->w, first);
}

PACK void complete(struct packing *k, struct pipe *p)
{
    unsigned store = p->store_completed == p->w.completed;

    cycle(k, &p->w.completed);
    number(k, &p->completing);
    number(k, &store);
    if (k->way != PACKS)
        p->store_completed = store ? p->w.completed : 0;
    for (unsigned n = 0; n < 3; n++) {
        unsigned used = p->wb_cycle[n] < p->w.completed ? 0 : p->wb_used[n];

        after(k, &p->wb_cycle[n], p->w.completed - 1);
        number(k, &used);
        if (k->way != PACKS)
            p->wb_used[n] = used;
    }
}

static void tidy_account(struct pipe *p)
{
    for (unsigned n = p->shares; n < sizeof p->share / sizeof *p->share; n++) {
        p->share[n].pc = 0;
        p->share[n].context = 0;
    }
    if (p->flush_until > (p->shares ? p->w.completed + 1 : p->accounted))
        return;
    p->flush_until = 0;
    p->flush_pc = 0;
    p->flush_context = 0;
    p->flush_reason = (enum reason)0;
}

/* Who is to be charged: the open group, and who emptied the window. All of one
 * context: the present one, and that of the memo while it replays. */
PACK void account(struct packing *k, struct core *c)
{
    struct pipe *p = pipe_of(c);
    unsigned reason = p->flush_reason;

    if (k->way == PACKS)
        k->over |= !p->shares || p->accounted != p->w.completed;
    if (k->way == TIDIES) {
        tidy_account(p);
        return;
    }
    number(k, &p->shares);
    for (unsigned n = 0; n < p->shares; n++) {
        if (k->way == PACKS)
            k->over |= p->share[n].context != c->context;
        word(k, &p->share[n].pc);
        if (k->way == RESTORES)
            p->share[n].context = memo_of(c)->context;
    }
    after(k, &p->flush_until, p->w.completed + 1);
    if (k->way == RESTORES)
        p->accounted = p->w.completed;
    if (p->flush_until <= p->w.completed + 1)
        return;
    if (k->way == PACKS)
        k->over |= p->flush_context != c->context;
    word(k, &p->flush_pc);
    number(k, &reason);
    if (k->way == RESTORES) {
        p->flush_reason = (enum reason)reason;
        p->flush_context = memo_of(c)->context;
    }
}

PACK void pack(struct packing *k, struct core *c, pa_t pa)
{
    struct pipe *p = pipe_of(c);
    struct window *w = &p->w;
    unsigned closed = w->closed || w->width >= c->with.params->dispatch_width;
    cycle_t first;

    number(k, &w->width);
    number(k, &closed);
    if (k->way != PACKS) {
        w->closed = closed;
        w->units = closed ? 0 : w->units;
        w->reads = closed ? 0 : w->reads;
    }
    first = k->base + closed;
    if (!closed) {
        number(k, &w->units);
        number(k, &w->reads);
    }
    if (k->way == RESTORES)
        w->dispatched = k->base;
    fetch(k, c, pa);
    dispatch(k, w, first);
    execute(k, p, first);
    ring(k, &p->loads, first + 1);
    complete(k, p);
    account(k, c);
}

/* What lies at pa may join the open group, whose line is still arriving: there
 * is no key then. */
static bool arrives(const struct core *c, pa_t pa)
{
    const struct window *w = &pipe_of(c)->w;

    return w->line_full > w->group && joins_group(c, pa);
}

bool key_of(struct core *c, pa_t pa, struct memo_key *key)
{
    struct packing k = {.v = key->v, .base = pipe_of(c)->w.dispatched};
    uint32_t at = pa, pc = c->cpu.pc;

    if (arrives(c, pa))
        return false;
    word(&k, &at);
    word(&k, &pc);
    pack(&k, c, pa);
    while ((k.v - key->v) % 8 != 4) /* whole double words, n included */
        *k.v++ = 0;
    key->n = (uint16_t)(k.v - key->v);
    return !k.over;
}

#define NAMES 8 /* bytes of pa and pc */

void key_restore(struct core *c, pa_t pa, const struct memo_key *key,
                 cycle_t base)
{
    struct packing k = {.from = key->v + NAMES, .base = base, .way = RESTORES};

    pack(&k, c, pa);
}

void key_tidy(struct core *c)
{
    struct packing k = {.base = pipe_of(c)->w.dispatched, .way = TIDIES};

    pack(&k, c, 0);
}

uint64_t key_hash(const struct memo_key *k)
{
    size_t bytes = sizeof *k + k->n, n;
    uint64_t hash = 0, part;

    for (n = 0; n < bytes; n += sizeof part) {
        memcpy(&part, (const char *)k + n, sizeof part);
        hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}
