/* store.h - nodes and edges of the timing memo, and where they lie: an arena
 * that is emptied as a whole when it is full. It is one for all processors of a
 * machine, so that what one of them has met the others need not learn: nothing
 * in it is of one of them. What each counts of it lies with each (ledger.h). */
#ifndef SIM_CORE_DETAILED_MEMO_STORE_H
#define SIM_CORE_DETAILED_MEMO_STORE_H

#include <stddef.h>

#include "sim/core/detailed/pipe.h"
#include "sim/core/fast/stencil.h"

/* Answers of an instruction, packed by kind (replay.c). */
struct answer {
    uint64_t a, b;
};

/* An event and how often; a reason charged to an instruction. */
struct memo_event {
    uint32_t event : 8, n : 24;
};

struct memo_charge {
    ea_t pc;
    uint32_t reason : 5, twelfths : 27;
};

/* What an instruction added to events. Few differ, so edges share them. */
struct memo_sum {
    struct memo_sum *next; /* in its row of the store */
    /* While a ledger is handed over: it was taken so often by now, and the sum
     * that was before it; 0 at all other times. */
    uint32_t times;
    struct memo_sum *before;
    uint32_t n;
    struct memo_event event[];
};

/* Cycles are counted from that of the dispatch before the node's. */
struct memo_edge {
    struct answer answer;
    struct memo_edge *other; /* the next edge of the node; NULL: none */
    struct memo_node *to;
    struct memo_sum *sum;
    uint32_t number; /* of its count */
    uint32_t most;   /* the largest n of its events */
    uint16_t complete, issue, finish;
    uint16_t oldest; /* cycles from the completion before to its own */
    uint16_t passes; /* instructions dispatched: with those of its wrong path */
    uint16_t ncharges, nwalk;
    bool walks; /* it was mispredicted, whether or not that asked anything */

    /* struct memo_charge[ncharges], struct memo_walk[nwalk] */
};

/* What an instruction on a wrong path asked. */
enum {
    WALK_GROUPED = 1, /* for its line, which was there */
    WALK_REGISTERS = 2,
    WALK_EARLY = 4,
    WALK_IO = 8,
    WALK_BRANCH = 16, /* the predictor */
    WALK_TAKEN = 32,
    WALK_BTAC = 64,
    WALK_PAGE = 128 /* none did: fetch turns to another page */
};

struct memo_walk {
    ea_t pc;
    uint16_t fetch; /* less 0x8000 */
    uint16_t flags;
    union {
        struct {
            ea_t target;
            ea_t group; /* where its fetch began */
        };
        struct insn *page; /* WALK_PAGE: the first record of that of pc */
    };
};

/* What an instruction is to the memo. */
enum memo_kind {
    KIND_STAGES, /* nothing: the stages have it always */
    KIND_PLAIN,
    KIND_EARLY, /* the size of a register's value counts */
    KIND_LOAD,
    KIND_STORE,
    KIND_BRANCH,
    KIND_TIME,    /* reads the time base, at its issue */
    KIND_REFETCH, /* what follows is fetched anew, its page looked up again */
    KIND_SYNC,    /* waits for the bus */
    KIND_MSR      /* as KIND_REFETCH; an interrupt may be due behind it */
};

/* The key of a node, as key.c packs it, and how many bytes it has; and which of
 * the store's settings it is of. */
struct memo_key {
    uint16_t n, setting;
    uint8_t v[];
};

struct memo_trace;

struct memo_node {
    struct memo_edge *edge;
    struct memo_trace *trace; /* begins here; NULL: none does */
    struct insn *insn;
    struct insn *page; /* the first record of its page */
    ea_t pc;
    ea_t group; /* where its fetch began */
    pa_t pa;
    uint8_t kind; /* enum memo_kind */
    bool known;   /* its fetch has been recorded: what follows is set */
    bool timed;   /* so has the rest: issue and asked are set */
    bool grouped; /* it begins a group, whose line was there */
    bool sums;    /* it may set XER[SO] */
    uint8_t heat; /* how often a trace might have begun here */
    uint8_t unit;
    uint8_t class; /* the instruction's */
    uint8_t stalls;
    uint8_t position; /* in its dispatch group, when timed */
    uint16_t fetch;   /* less 0x8000 */
    uint16_t dispatch, issue;
    uint16_t asked; /* by a store, for its line, if its page is in the TLB; 0:
                       not known */
    struct {
        uint16_t event;
        uint16_t cycles, at;
    } stall[8];
    struct memo_key *key;
};

/* A node of a trace, and the edge by which its next one is reached. */
enum {
    STEP_GROUPED = 1, /* it begins a group of fetches, */
    STEP_LINE = 2,    /* ... the first in a line since another was asked for */
    STEP_WALKS = 4,
    STEP_HITS = 8,   /* a load or store that hits, of which no other hears */
    STEP_TAKEN = 16, /* a branch: so it was guessed, */
    STEP_BTAC = 32   /* ... by what remembers targets */
};

#define MEMO_LINE 64u /* bytes that the host's caches fetch at once */

/* All that is needed to follow it, node and edge being left alone: a line. */
#define MEMO_PLACE 4u
struct memo_step {
    struct insn *insn;
    struct memo_node *node;
    struct memo_edge *edge;
    uint64_t told; /* its answer's a */
    union {
        struct {
            ea_t target, group; /* of its answer's b; where its fetch began */
        } branch;
    };
    ea_t pc;
    uint32_t base, complete; /* counted from the first one's base */
    uint16_t issue;
    uint16_t fetch;  /* less 0x8000; counted from its own base */
    uint16_t passes; /* of all steps in front of it */
    uint8_t kind, flags;
    uint8_t ahead; /* groups behind it before STEP_LINE is set again */
    uint8_t run;   /* so many from here on are plain */
    /* Where its host code begins, once its line was asked for: so many times
     * MEMO_PLACE bytes behind that of its trace; 0: it has none. */
    uint16_t code;
};

_Static_assert(sizeof(struct memo_step) == MEMO_LINE, "a step is a line");

/* What was believed of the branch of s, as GUESS_TAKEN and GUESS_BTAC. */
static inline uint32_t step_guess(const struct memo_step *s)
{
    return (s->flags & STEP_TAKEN ? GUESS_TAKEN : 0) |
           (s->flags & STEP_BTAC ? GUESS_BTAC : 0);
}

/* Nodes that followed each other, in a row. */
struct memo_trace {
    struct memo_node *to; /* what follows the last one */
    uint32_t most;        /* of any event, in all of it */
    uint32_t cycles;      /* from the first one's base to the last end */
    /* Of n + 1 counts. The first: how often it was entered. The others: how
     * often at that step, less how often it was left in front of it. */
    uint32_t number;
    uint16_t n;
    /* What marks make of its steps, as of this epoch (heard.c): so many may be
     * followed, and of a bit each the mark counts. */
    uint8_t bare;
    uint8_t followed; /* how often, until host code is made (pieces.c) */
    uint32_t epoch;
    uint64_t tallied;
    const uint8_t *code; /* of its steps, for the host; NULL: none has any */
    /* n of them, and one that has only pc and base, of what follows. */
    _Alignas(MEMO_LINE) struct memo_step step[];
};

static inline const struct memo_charge *edge_charges(const struct memo_edge *e)
{
    return (const struct memo_charge *)(e + 1);
}

static inline const struct memo_walk *edge_walk(const struct memo_edge *e)
{
    return (const struct memo_walk *)(edge_charges(e) + e->ncharges);
}

#define MEMO_CHUNK ((size_t)1 << 20)

struct memo_slot {
    uint64_t hash;
    struct memo_node *node; /* NULL: the slot is free */
};

/* Registers that timing depends on, and no key has. */
struct memo_setting {
    uint32_t hid0;
    uint32_t threshold; /* of MMCR0 */
};

#define MEMO_SETTINGS 16u
#define MEMO_SUMS 1024u /* rows of them */

/* Host code of the traces (pieces.c). */
struct memo_pieces {
    struct stencil *stencil; /* by id; owned */
    uint8_t *memory, *free;  /* owned; where the next piece goes */
    uint8_t *routine[HOLE_count - HOLE_routines];
    uint8_t *begin; /* behind the routines */
    bool refused;   /* the host has none */
};

struct memo_store {
    struct memo_slot *slot;      /* by hash: there, or behind it; owned */
    size_t slots, nodes;         /* slots is a power of two */
    uint8_t **chunk;             /* of the arena; owned */
    size_t chunks, filled, room; /* allocated, used up, allowed */
    size_t used;                 /* bytes of the one being filled */
    uint32_t numbers;            /* counts that edges and traces have */
    /* Lists by hash, in the arena. */
    struct memo_sum *sum[MEMO_SUMS];
    struct memo_setting setting[MEMO_SETTINGS];
    unsigned settings;
    uint64_t generation; /* of decoded records, that it is of */
    uint32_t epochs;     /* of marks, that its processors have had (heard.c) */
    struct memo_pieces pieces;
    /* The processors that it is of; not owned. */
    struct core *core[PORT_CPUS];
    unsigned cores;
};

bool store_init(struct memo_store *s, size_t bytes);
void store_free(struct memo_store *s);
/* Every node and edge is gone. */
void store_empty(struct memo_store *s);
/* `bytes`, aligned to 16 bytes, or to lines if there are as many as a line has;
 * zeroed. NULL: it is full, or the host is. */
void *store_take(struct memo_store *s, size_t bytes);
/* The node of that key; NULL: there is none. */
struct memo_node *store_find(const struct memo_store *s, uint64_t hash,
                             const struct memo_key *key);
/* A node of that key, with nothing known. NULL: no room. */
struct memo_node *store_add(struct memo_store *s, uint64_t hash,
                            const struct memo_key *key);
/* The sum of these events, as many as n. NULL: there is none. */
struct memo_sum *store_sum(const struct memo_store *s,
                           const struct memo_event *v, unsigned n);
/* ... which is made. NULL: no room. */
struct memo_sum *store_sum_add(struct memo_store *s, const struct memo_event *v,
                               unsigned n);
/* pieces.c: no trace has code any more; and the memory is given back. */
void pieces_empty(struct memo_pieces *p);
void pieces_free(struct memo_pieces *p);

/* The number of these registers; MEMO_SETTINGS: there are too many. */
unsigned store_setting(struct memo_store *s, struct memo_setting is);

#endif
