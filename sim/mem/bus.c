/* bus.c - tenures and snoops. See bus.h. */
#include "sim/mem/bus.h"

#include <assert.h>
#include <string.h>

#include "lib/base/snap.h"

#define ADDRESS_TENURE 2 /* bus cycles: address, then response */

void bus_init(struct bus *b, const struct params *p, unsigned cpus)
{
    memset(b, 0, sizeof *b);
    b->cpus = cpus;
    b->ratio = p->bus_ratio;
    b->mem_first = p->mem_first;
    b->mem_beat = p->mem_beat;
    b->line_beats = p->line_bytes / BEAT;
    b->snoop_first = p->snoop_first;
    b->io_latency = p->io_latency;
}

/* The i-th one, from 0: the oldest. */
static inline struct interval *calendar_nth(struct calendar *c, unsigned i)
{
    return &c->busy[(c->first + i) % CALENDAR];
}

/* Insert [at, at+length) before entry i, joining it to a neighbour. */
static void calendar_insert(struct calendar *c, unsigned i, uint64_t at,
                            uint64_t length)
{
    if (i > 0 && calendar_nth(c, i - 1)->to == at) {
        calendar_nth(c, i - 1)->to = at + length;
        return;
    }
    if (i < c->count && calendar_nth(c, i)->from == at + length) {
        calendar_nth(c, i)->from = at;
        return;
    }
    if (c->count == CALENDAR) { /* forget the oldest */
        if (i == 0)
            return;
        c->first = (c->first + 1) % CALENDAR;
        c->count--;
        i--;
    }
    for (unsigned k = c->count++; k > i; k--)
        *calendar_nth(c, k) = *calendar_nth(c, k - 1);
    *calendar_nth(c, i) = (struct interval){at, at + length};
}

/* Nothing is booked at `at` or later. */
static inline void calendar_append(struct calendar *c, uint64_t at,
                                   uint64_t length)
{
    struct interval *last = calendar_nth(c, c->count - 1);

    if (last->to == at) {
        last->to = at + length;
        return;
    }
    if (c->count == CALENDAR) /* forget the oldest */
        c->first = (c->first + 1) % CALENDAR;
    else
        c->count++;
    *calendar_nth(c, c->count - 1) = (struct interval){at, at + length};
}

/* Something is booked behind `at`. */
static __attribute__((noinline)) uint64_t
calendar_squeeze(struct calendar *c, uint64_t at, uint64_t length)
{
    unsigned i = c->count;

    /* Walk down to the first interval that ends after `at`. */
    while (i > 0 && calendar_nth(c, i - 1)->to > at)
        i--;
    for (; i < c->count && calendar_nth(c, i)->from < at + length; i++)
        at = calendar_nth(c, i)->to;
    calendar_insert(c, i, at, length);
    return at;
}

static inline uint64_t book(struct calendar *c, uint64_t at, uint64_t length)
{
    if (!c->count || calendar_nth(c, c->count - 1)->to > at)
        return calendar_squeeze(c, at, length);
    calendar_append(c, at, length);
    return at;
}

uint64_t calendar_book(struct calendar *c, uint64_t at, uint64_t length)
{
    return book(c, at, length);
}

static uint64_t edge(const struct bus *b, uint64_t at)
{
    at += b->ratio - 1;
    /* Hosts divide short numbers in less time. */
    return at <= UINT32_MAX ? (uint32_t)at / b->ratio * (uint64_t)b->ratio
                            : at / b->ratio * b->ratio;
}

struct snooped bus_snoop(struct bus *b, enum bus_op op, unsigned cpu, pa_t pa)
{
    struct snooped s = {0};
    unsigned n;

    if (op == BUS_SINGLE || op == BUS_SYNC)
        return s;
    for (n = 0; n < b->cpus; n++) {
        struct line *l;

        if (n == cpu || !b->dcache[n])
            continue;
        s.seen |= (uint8_t)(1u << n);
        l = cache_find(b->dcache[n], pa);
        if (!l)
            continue;
        s.hit |= (uint8_t)(1u << n);
        if (l->state == MESI_M) {
            s.pushed |= (uint8_t)(1u << n);
            s.frame = (uint16_t)cache_frame(b->dcache[n], l);
        }
        if (op == BUS_RWITM || op == BUS_KILL || op == BUS_FLUSH) {
            line_drop(l);
        } else {
            l->state = MESI_S;
            s.shared = true;
        }
    }
    assert(!s.pushed || s.pushed == s.hit); /* M: no other has it */
    return s;
}

/* The cycle from which the line that was pushed can be had. */
static uint64_t pushed_ready(const struct bus *b, const struct snooped *s)
{
    const struct cache *owner = b->dcache[(unsigned)__builtin_ctz(s->pushed)];
    const struct arrival *a = &owner->arrival[s->frame];

    return a->ready > a->written ? a->ready : a->written;
}

struct bus_answer bus_tenure(struct bus *b, enum bus_op op,
                             const struct snooped *s, uint64_t at)
{
    struct bus_answer a = {.beat = b->mem_beat * b->ratio};
    uint64_t start, first;
    bool burst = op == BUS_READ || op == BUS_RWITM || op == BUS_FETCH;

    b->transactions++;
    start = book(&b->address, edge(b, at), ADDRESS_TENURE * b->ratio);
    if (op == BUS_SINGLE) {
        first = start + (uint64_t)b->io_latency * b->ratio;
        a.first = book(&b->data, first, b->ratio);
        return a;
    }
    if (!burst && !s->pushed) {
        a.first = start + ADDRESS_TENURE * b->ratio;
        return a;
    }
    /* APPROX: the requester takes a pushed line as it passes; the chip
     * retries and reads memory again. Source: 604 UM p.36, bus chapter not
     * at hand. Cost: mem_first bus cycles a transfer between caches. */
    if (s->pushed) {
        uint64_t ready = pushed_ready(b, s);

        first = start + (uint64_t)b->snoop_first * b->ratio;
        if (first < ready + b->ratio)
            first = edge(b, ready + b->ratio);
    } else {
        /* APPROX: memory answers after mem_first bus cycles whatever row, bank
         * or refresh, and so does a second-level cache, which there is none.
         * Source: a choice; knob mem_first. Cost: no row hits, no conflicts;
         * latency under load comes from the bus alone. */
        first = start + (uint64_t)b->mem_first * b->ratio;
    }
    a.first =
        book(&b->data, first, (uint64_t)b->line_beats * b->mem_beat * b->ratio);
    return a;
}

uint64_t bus_write_back(struct bus *b, uint64_t at)
{
    uint64_t start = book(&b->address, edge(b, at), ADDRESS_TENURE * b->ratio);
    uint64_t beats = (uint64_t)b->line_beats * b->mem_beat * b->ratio;

    b->transactions++;
    return book(&b->data, start + ADDRESS_TENURE * b->ratio, beats) + beats;
}

uint64_t bus_transfer(struct bus *b, uint64_t at, uint64_t bytes, bool book)
{
    uint64_t beats = (bytes + BEAT - 1) / BEAT * b->mem_beat * b->ratio;

    if (book && beats) {
        b->transactions++;
        calendar_book(&b->address, edge(b, at), ADDRESS_TENURE * b->ratio);
        calendar_book(&b->data, edge(b, at) + ADDRESS_TENURE * b->ratio, beats);
    }
    return beats;
}

/* ---- save and load -------------------------------------------------------
 */

static bool calendar_state(struct snap *s, struct calendar *c)
{
    snap_begin(s, "calendar", 2);
    SNAP_BELOW(s, c->count, CALENDAR + 1);
    SNAP_BELOW(s, c->first, CALENDAR);
    for (unsigned n = 0; n < CALENDAR; n++) {
        SNAP(s, c->busy[n].from);
        SNAP(s, c->busy[n].to);
    }
    return snap_end(s);
}

bool bus_state(struct snap *s, struct bus *b)
{
    snap_begin(s, "bus", 1);
    SNAP_SAME(s, b->cpus);
    SNAP_SAME(s, b->ratio);
    SNAP_SAME(s, b->mem_first);
    SNAP_SAME(s, b->mem_beat);
    SNAP_SAME(s, b->snoop_first);
    SNAP_SAME(s, b->io_latency);
    SNAP_SAME(s, b->line_beats);
    calendar_state(s, &b->address);
    calendar_state(s, &b->data);
    SNAP_SKIP(s, b->dcache, "registered by the processors");
    SNAP_SKIP(s, b->icache, "registered by the processors");
    SNAP(s, b->transactions);
    return snap_end(s);
}
