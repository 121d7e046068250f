/* ledger.c - see ledger.h. */
#include "sim/core/detailed/memo/memo_private.h"

#include "sim/mem/pages.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------- */

#define FIRST_ROOM 1024u

static size_t counts_bytes(uint32_t room)
{
    return MEMO_LEDGERS * (size_t)room * sizeof(uint16_t);
}

bool ledgers_init(struct core *c)
{
    struct memo *m = memo_of(c);

    m->to = m->ledger;
    for (struct memo_ledger *l = m->ledger; l < m->ledger + MEMO_LEDGERS; l++) {
        l->edge_room = l->trace_room = FIRST_ROOM;
        l->edge = malloc(l->edge_room * sizeof(struct memo_edge *));
        l->trace = malloc(l->trace_room * sizeof(struct memo_trace *));
        if (!l->edge || !l->trace)
            return false;
    }
    return ledgers_fit(c);
}

void ledgers_free(struct core *c)
{
    struct memo *m = memo_of(c);

    for (struct memo_ledger *l = m->ledger; l < m->ledger + MEMO_LEDGERS; l++) {
        free(l->edge);
        free(l->trace);
    }
    pages_unmap(m->counts, counts_bytes(m->room));
}

/* They double, and start where those of all ledgers are a large page. */
#define FIRST_COUNTS (PAGES_LARGE / MEMO_LEDGERS / sizeof(uint16_t))

bool ledgers_fit(struct core *c)
{
    struct memo *m = memo_of(c);
    uint32_t room = m->room ? m->room : FIRST_COUNTS;
    uint16_t *counts;

    if (m->room && m->room >= m->store->numbers)
        return true;
    while (room < m->store->numbers)
        room *= 2;
    counts = pages_map(counts_bytes(room));
    if (!counts)
        return false;
    for (unsigned k = 0; k < MEMO_LEDGERS; k++) {
        struct memo_ledger *l = &m->ledger[k];
        uint16_t *count = counts + (size_t)k * room;

        if (l->edges | l->traces)
            memcpy(count, l->count, m->room * sizeof *count);
        l->count = count;
    }
    pages_unmap(m->counts, counts_bytes(m->room));
    m->counts = counts;
    m->room = room;
    return true;
}

/* ---- handing over -------------------------------------------------------- */

/* What the edges handed over so far came to, of which `sum` is the last. */
static void sums_hand_over(struct core *c, struct memo_sum *sum)
{
    struct memo *m = memo_of(c);

    for (; sum; sum = sum->before) {
        for (unsigned k = 0; k < sum->n; k++) {
            unsigned event = sum->event[k].event;
            uint64_t n = (uint64_t)sum->event[k].n * sum->times;

            c->pmu.ev.total[event] += n;
            m->before[event] += n; /* no part of what is watched */
        }
        m->replayed += sum->times;
        sum->times = 0;
    }
}

/* e was taken so often: it is charged. Its events wait until all edges have
 * been counted, as the last of *last. */
static inline void hand_over(struct core *c, uint32_t context,
                             const struct memo_edge *e, uint32_t times,
                             struct memo_sum **last)
{
    const struct memo_charge *g = edge_charges(e);

    if (!e->sum->times) {
        e->sum->before = *last;
        *last = e->sum;
    }
    e->sum->times += times;
    for (unsigned k = 0; k < e->ncharges; k++)
        oracle_add(c->oracle, context, g[k].pc, (enum reason)g[k].reason,
                   (uint64_t)g[k].twelfths * times);
}

#define AHEAD 4u /* edges: their lines of the host's cache are asked for */

static void expect(const struct memo_edge *e)
{
    __builtin_prefetch(e);
    __builtin_prefetch((const char *)e + 64);
}

static void trace_hand_over(struct core *c, struct memo_ledger *l,
                            const struct memo_trace *t, struct memo_sum **last)
{
    uint16_t *entered = &l->count[t->number], *count = entered + 1, times = 0;
    const struct memo_step *s = t->step;

    for (unsigned k = 0; k < t->n; k++) {
        if (k + AHEAD < t->n)
            expect(s[k + AHEAD].edge);
        times = (uint16_t)(times + count[k]);
        count[k] = 0;
        if (times)
            hand_over(c, l->context, s[k].edge, times, last);
    }
    *entered = 0;
}

static void ledger_flush(struct core *c, struct memo_ledger *l)
{
    struct memo_sum *last = NULL;

    while (l->edges) {
        struct memo_edge *e = l->edge[--l->edges];
        uint16_t *count = &l->count[e->number];

        if (l->edges >= AHEAD)
            expect(l->edge[l->edges - AHEAD]);
        hand_over(c, l->context, e, *count, &last);
        *count = 0;
    }
    while (l->traces)
        trace_hand_over(c, l, l->trace[--l->traces], &last);
    l->worn = false;
    sums_hand_over(c, last);
}

static void flush_all(struct core *c)
{
    struct memo *m = memo_of(c);

    for (struct memo_ledger *l = m->ledger; l < m->ledger + MEMO_LEDGERS; l++)
        ledger_flush(c, l);
}

static bool count_something(const struct memo *m)
{
    unsigned any = 0;

    for (unsigned k = 0; k < MEMO_LEDGERS; k++)
        any |= m->ledger[k].edges | m->ledger[k].traces;
    return any;
}

void ledgers_flush(struct core *c)
{
    if (count_something(memo_of(c)))
        flush_all(c);
}

void ledgers_widen(struct core *c)
{
    struct memo_ledger *l = memo_of(c)->to;
    struct memo_edge **edge;
    struct memo_trace **trace;

    if (l->worn) {
        memo_flush(c);
        return;
    }
    edge = realloc(l->edge, 2 * l->edge_room * sizeof(struct memo_edge *));
    l->edge = edge ? edge : l->edge;
    l->edge_room *= edge ? 2 : 1;
    trace = realloc(l->trace, 2 * l->trace_room * sizeof(struct memo_trace *));
    l->trace = trace ? trace : l->trace;
    l->trace_room *= trace ? 2 : 1;
    if (ledger_full(l))
        memo_flush(c);
}

/* ---- contexts ------------------------------------------------------------ */

#define COUNTS (16u << 20) /* of all ledgers, about: 32 MiB */
#define LEAST 4u           /* ledgers */

/* So many are turned to: the more counts each has, the fewer. */
static unsigned in_use(const struct memo *m)
{
    uint32_t fit = COUNTS / (m->store->numbers + 1);

    if (fit < LEAST)
        return LEAST;
    return fit < MEMO_LEDGERS ? fit : MEMO_LEDGERS;
}

/* The one of that context, or else the one that was turned to longest ago. */
static struct memo_ledger *choose(struct memo *m, uint32_t context)
{
    struct memo_ledger *oldest = m->ledger;

    for (struct memo_ledger *l = m->ledger; l < m->ledger + in_use(m); l++) {
        if (l->turned && l->context == context)
            return l;
        if (l->turned < oldest->turned)
            oldest = l;
    }
    return oldest;
}

void ledgers_turn(struct core *c)
{
    struct memo *m = memo_of(c);
    struct memo_ledger *l = choose(m, c->context);

    if (l->context != c->context)
        ledger_flush(c, l);
    l->context = c->context;
    l->turned = ++m->turns;
    m->to = l;
}
