/* memo_private.h - the memo of one processor, and what its files share. */
#ifndef SIM_CORE_DETAILED_MEMO_MEMO_PRIVATE_H
#define SIM_CORE_DETAILED_MEMO_MEMO_PRIVATE_H

#include "sim/core/detailed/memo/ledger.h"
#include "sim/core/detailed/memo/memo.h"
#include "sim/core/detailed/memo/store.h"

/* ---- key.c --------------------------------------------------------------- */

/* The window in front of the instruction at c->cpu.pc, which lies at pa,
 * is packed into *k. False: it has none that another could have. */
bool key_of(struct core *c, pa_t pa, struct memo_key *k);
uint64_t key_hash(const struct memo_key *k);
/* The stages' state is that of *k, the latest dispatch having been in `base`.
 */
void key_restore(struct core *c, pa_t pa, const struct memo_key *k,
                 cycle_t base);
/* Everything in the past that nothing to come can tell is made the same, as a
 * key has it: the stages go on as they would have. */
void key_tidy(struct core *c);

#define KEY_MOST 4096 /* more bytes than all rings at their longest have */

/* ---- the memo of one processor ------------------------------------------- */

#define MEMO_CHARGES 16
#define MEMO_WALK 64

#define BIAS                                                                   \
    0x8000u /* what the cycle of a fetch is kept more, of a group too */

/* What an access was told, if the memo can know it; from when on it waited for
 * its line, and when that can be used. */
struct told {
    bool hit, asked, known;
    struct answer answer;
    cycle_t from, brought;
};

/* calls.c: what host code of the trace that is followed calls. Where the answer
 * is no, nothing was done. */
struct memo_calls {
    /* Where pa lies in a cache; NULL: it does not. */
    struct line *(*line)(struct cache *of, pa_t pa);
    /* The load or store of `size` bytes of that step misses as it did, and is
     * made. Else told->asked says whether its line was asked for. */
    struct asked (*load)(struct core *c, unsigned step, ea_t ea, pa_t pa,
                         unsigned size);
    bool (*store)(struct core *c, unsigned step, ea_t ea, pa_t pa,
                  unsigned size, uint64_t v);
    /* The branch at pc, which has run, was guessed as was told (GUESS_...,
     * at_fetch): it is taught that it goes to `target`. */
    bool (*branch)(struct core *c, ea_t group, ea_t pc, uint32_t told,
                   ea_t at_fetch, ea_t target);
    /* The branch of that step, which has run, was guessed as it was, and its
     * wrong path goes as it did. */
    bool (*walks)(struct core *c, unsigned step);
    /* The line of the group at pc, and so of those `ahead`, is there by cycle
     * `filled` of the trace: it is asked for. */
    bool (*lines)(struct core *c, pa_t pa, ea_t pc, int32_t filled,
                  uint32_t ahead);
};
extern const struct memo_calls memo_calls;

struct memo {
    struct memo_store *store; /* that of all processors */
    unsigned setting;         /* the present one, by its number there */
    unsigned frame;           /* of the line that was fetched last */
    /* Replaying: the next instruction's node, and the cycle that it counts
     * from. The window in the pipe is an old one then. NULL: it is not. */
    struct memo_node *node;
    cycle_t base;
    bool fresh; /* nothing has been replayed yet: the window is that of now */
    /* How much of any event may be added before a counter has to act. */
    uint64_t slack;
    bool armed;   /* a counter may have to act: slack is exact */
    bool unsure;  /* limits may have changed */
    bool levels;  /* one of the level of the store queue: stores go to the
                     stages, since the memo counts it behind the event */
    bool heard;   /* marks or samplers hear of what is replayed: heard.c */
    bool shadows; /* ... and a line of data brings shadow storage along */
    /* So many may be dispatched before a sampler's next one; so many might when
     * samplers were told last of those that were (heard_count). */
    uint32_t may, might;
    uint32_t bare;   /* ran, and marks have to hear no more than that of them */
    bool data;       /* marks hear of accesses */
    unsigned marked; /* the frame of code that was looked up last for marks */
    unsigned ranging; /* units that count ranges, a bit each */
    /* What marks make of an instruction is the same while this is. */
    struct {
        uint64_t changes;
        uint32_t context, units;
    } marks;
    uint32_t epoch; /* ... which is new, among all processors, when it is not */
    struct memo_ledger ledger[MEMO_LEDGERS];
    struct memo_ledger *to; /* the one at work */
    uint16_t *counts;       /* of all ledgers, `room` of each; owned */
    uint32_t room;
    uint64_t turns;    /* from one ledger to another */
    struct told *told; /* what a miss in host code asked, and what it was told
                          otherwise than it was */
    struct memo_calls calls;
    struct told code_told; /* of `tried`, with what the code returned */
    unsigned code;
    /* The trace that is being followed, and how far; or has been left. */
    struct memo_trace *trace;
    unsigned at;
    /* The present node is that of step `at`, and what was followed in front of
     * it is counted as far as its beginning: ledger_leaves is still to come. So
     * are the completions from step `completed` on, and the groups ahead of
     * step `at` are fetched that are still to come in its line. */
    bool open;
    bool resumes; /* the turn ended in its host code, which goes on */
    bool tried;   /* ... did, and not to the end of the turn: `code` */
    uint8_t ahead;
    unsigned completed;
    unsigned steps;    /* of that trace */
    uint64_t replayed; /* instructions that were handed over */
    uint64_t coded;    /* steps that ran as host code of a trace */
    uint64_t flushed;  /* c->insns then */
    uint32_t context;  /* whom they charge */
    bool so;           /* XER[SO] before the instruction that is replayed */
    bool absent;       /* its access, which was no hit, lacks only the line */

    /* The stages work out the instruction of node `from`; NULL: of none. */
    struct memo_node *from;
    bool timed;   /* ... and are through */
    bool spoiled; /* ... with more than the memo can hold */
    unsigned charges;
    struct memo_charge charge[MEMO_CHARGES];
    struct memo_walk walk[MEMO_WALK];
    unsigned walked;
    unsigned dispatched;       /* on the wrong path */
    ea_t walk_page;            /* that the wrong path is on */
    uint64_t before[EV_COUNT]; /* totals; where not touched since, of now too */
    struct memo_key *key;      /* room for one; owned */
};

static inline struct memo *memo_of(const struct core *c)
{
    return pipe_of(c)->memo;
}

/* trace.c: the trace that was followed up to the present node is left; and what
 * completed in it is in the history. */
void trace_close(struct core *c);
void trace_complete(struct core *c);

static inline void memo_close(struct core *c)
{
    if (memo_of(c)->open)
        trace_close(c);
}

/* memo.c: the slack as it is once all was handed over. */
uint64_t memo_slack(struct core *c);
/* What is replayed or watched from here on is charged to the present context.
 */
void memo_charge_to(struct core *c);
/* The stages take the instruction of the present node. */
void memo_hand_back(struct core *c);

/* ---- share.c ------------------------------------------------------------- */

/* c has the store of the machine, which is made if it has none: of `bytes` for
 * each processor. False: the host has no memory. c leaves it; the last one that
 * does frees it. */
bool share_join(struct core *c, size_t bytes);
void share_leave(struct core *c);
/* Nodes and edges are gone; all processors have handed over what they counted
 * and are at no node. */
void share_empty(struct core *c);
/* As store_take, with so many counts, which every processor has room for;
 * *number is that of the first. */
void *share_take(struct core *c, size_t bytes, unsigned numbers,
                 uint32_t *number);
/* The present setting is that of c's registers. */
bool share_is_set(const struct core *c);
void share_set(struct core *c);

/* ---- replay.c ------------------------------------------------------------ */

/* What a branch that goes on at nia was told. */
static inline struct answer answer_branch(const struct slot *s, ea_t nia)
{
    const struct prediction *g = &s->guess;

    return (struct answer){nia | (uint64_t)g->at_fetch << 32,
                           s->target | (uint64_t)g->taken << 32 |
                               (uint64_t)g->btac << 33};
}
/* ... and what an access was, that met o and waited for these: a store for an
 * entry of its queue; a search of the page table; a load for stores to its
 * address and its line. What a store waits for when it has completed decides
 * nothing that follows, but through later accesses, which ask: it is told
 * nothing of it, and works it out (replay_ask). */
struct waited {
    cycle_t queued, searched, stores, filled;
    cycle_t counted; /* of a load that missed (lsu_counts) */
};
#define ANSWER_MISS 4u /* of an access, in b: it missed */
#define SEARCHED 0x30u /* ... how the page table was searched; 0: not */
/* ... and a sync, that waited so long until all before it was done, and then
 * for the bus. */
static inline struct answer answer_sync(cycle_t all, cycle_t done)
{
    return (struct answer){all, done};
}

/* Is o the outcome of an access that an edge may have, and be replayed? */
bool answer_knows(const struct access_outcome *o);

#define WAITED_BITS 16 /* of an answer's a, for each */
#define STORE_QUEUED                                                           \
    0x8000u /* of a store in host code: it waited for its queue */

/* The waits as one number; those too long for it are no edge's, whose
 * completion would be too late. */
static inline uint64_t answer_waits(struct waited w)
{
    if ((w.queued | w.searched | w.stores | w.filled) >> WAITED_BITS)
        return ~(uint64_t)0;
    return w.filled | w.stores << WAITED_BITS | w.searched << 2 * WAITED_BITS |
           w.queued << 3 * WAITED_BITS;
}

static inline unsigned answer_searched(const struct search_outcome *h)
{
    return h->searched ? 1u << 4 | h->missed << 5 : 0;
}

static inline struct answer
answer_access(bool store, const struct access_outcome *o, struct waited w)
{
    const struct line_outcome *l = &o->line;
    struct answer a = {answer_waits(w), 0};

    if (!store && l->answer == LINE_MISS)
        a.b = (l->by.pushed != 0) | ANSWER_MISS | w.counted << 32;
    a.b |= answer_searched(&o->search);
    return a;
}

enum went {
    WENT_ON,   /* along an edge */
    RESUMED,   /* the stages have worked it out */
    HANDED,    /* they have to, from the beginning */
    TURN_ENDS, /* nothing more may be done now */
    STOOD,     /* nothing more can be done in a trace */
};

/* Replay from the present node on, up to cycle `stop`: no other processor and
 * nothing asynchronous acts meanwhile. */
enum went replay_run(struct core *c, cycle_t stop);

/* heard.c: may instructions be replayed while marks and samplers listen as they
 * do now? What has to be told of them from here on is found out. */
bool heard_listen(struct core *c);
/* The present node's instruction may run without the stages, as far as they are
 * concerned; it did, and may go on, as far as marks are; they are told that it
 * went along e. */
bool heard_begins(struct core *c, const struct memo_node *n);
bool heard_marks_let(struct core *c, const struct memo_node *n);
void heard_marks(struct core *c, const struct memo_node *n,
                 const struct memo_edge *e);
/* The same of the samplers, when it is behind it and more than memo.may pass:
 * the host's may follow it, alone. */
bool heard_samplers_let(struct core *c, unsigned passes);
void heard_samplers(struct core *c, const struct memo_node *n,
                    const struct memo_edge *e);
/* Samplers and marks have counted what was dispatched, and ran. They are told
 * behind a row of replays, and in front of the stages. */
void heard_count(struct core *c);
/* Nodes in a row, those of t from s on, may be followed up to the one returned.
 * The access that was made counts nowhere; and marks and ranges hear that those
 * from `from` up to s ran, the first one's cycles being counted from `begin`.
 */
const struct memo_step *heard_end(struct core *c, struct memo_trace *t,
                                  const struct memo_step *s);
bool heard_access(struct core *c);
void heard_passed(struct core *c, const struct memo_step *from,
                  const struct memo_step *s, cycle_t begin);
/* The stages have to go on with it. */
void heard_resumes(struct core *c, const struct memo_node *n);
/* What marks and samplers noted of the latest instruction is cleared. */
void heard_tidy(struct core *c);

/* walk.c: would everything on the wrong path of e be told what it was told?
 * Changes nothing; and what asking there leaves behind. */
bool walk_same(struct core *c, const struct memo_edge *e);
void walk_ask(struct core *c, const struct memo_edge *e);

/* ---- pieces.c ------------------------------------------------------------ */

/* What happens in the steps of t as it did becomes host code, if the host and
 * the engine of the fast model have any and there is room. */
void pieces_make(struct core *c, struct memo_trace *t);

/* What that code returns: the step that it stands at, n of the trace at its
 * end; and of that step: its line has not been asked for; or it is a branch
 * that has run and gone elsewhere, without asking the predictor, there; or the
 * turn ends in front of it, and it is fetched. */
#define PIECE_STEP 0xFFu
#define PIECE_LINE 0x100u
#define PIECE_RAN 0x200u
#define PIECE_TAKEN 0x400u
#define PIECE_TURN 0x800u

/* ---- record.c ------------------------------------------------------------ */

/* The page of cpu.pc is the one that fetch is on, or becomes it without
 * anything else happening. */
bool record_page(struct core *c);
/* The node of what is next; the one before, if it was watched, leads there.
 * NULL: it has none. */
struct memo_node *record_node(struct core *c);
/* The stages take the instruction of n. */
void record_watch(struct core *c, struct memo_node *n);

#endif
