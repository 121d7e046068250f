/* ledger.h - what one processor counts of what it replays: how often each edge
 * and each step of a trace was taken, and not handed over to counters and
 * account yet. A ledger for each context, as long as they are few, so that a
 * change of context hands nothing over.
 */
#ifndef SIM_CORE_DETAILED_MEMO_LEDGER_H
#define SIM_CORE_DETAILED_MEMO_LEDGER_H

#include "sim/core/detailed/memo/store.h"

#define MEMO_LEDGERS 32u

struct memo_ledger {
    uint32_t context;          /* whom it charges */
    uint16_t *count;           /* by their numbers: a part of memo.counts */
    struct memo_edge **edge;   /* those with a count; owned */
    struct memo_trace **trace; /* ... */
    unsigned edges, traces;
    unsigned edge_room, trace_room;
    bool worn;       /* a count can count no further */
    uint64_t turned; /* when it was turned to, among the turns */
};

struct memo;

/* Has it no room for one more? */
static inline bool ledger_full(const struct memo_ledger *l)
{
    return l->edges == l->edge_room || l->traces == l->trace_room || l->worn;
}

/* e was taken once more; the ledger is not full. */
static inline void ledger_edge(struct memo_ledger *l, struct memo_edge *e)
{
    uint16_t *count = &l->count[e->number];

    if (!*count)
        l->edge[l->edges++] = e;
    l->worn = ++*count == UINT16_MAX;
}

/* t is followed from step `from` on; the ledger is not full. */
static inline void ledger_enters(struct memo_ledger *l, struct memo_trace *t,
                                 unsigned from)
{
    uint16_t *count = &l->count[t->number];

    if (!*count)
        l->trace[l->traces++] = t;
    l->worn = ++*count == UINT16_MAX;
    count[1 + from]++;
}

/* ... up to step `to`. */
static inline void ledger_leaves(struct memo_ledger *l,
                                 const struct memo_trace *t, unsigned to)
{
    if (to < t->n)
        l->count[t->number + 1 + to]--;
}

/* The ledgers of c's memo, none of which counts anything. False: the host has
 * no memory. */
bool ledgers_init(struct core *c);
void ledgers_free(struct core *c);
/* What is replayed from here on is charged to the present context. */
void ledgers_turn(struct core *c);
/* The one at work has room for all counts of the store. False: the host has no
 * memory. */
bool ledgers_fit(struct core *c);
/* The one at work is not full afterwards. */
void ledgers_widen(struct core *c);
/* Everything is handed over: no ledger counts anything. */
void ledgers_flush(struct core *c);

#endif
