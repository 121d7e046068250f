/* pipe.h - the state of the detailed pipeline and its stages.
 *
 * Instruction-driven: an instruction enters, each stage says at which cycle
 * it happens, as the maximum of "when was each thing it needs free", and the
 * things it uses are marked busy. No cycle is visited. Stage order follows
 * the manual: fetch, (decode one later,) dispatch, issue, finish, complete,
 * write back (604 UM p.231).
 *
 *   fetch F -> dispatch >= F+2 -> issue >= D+1 -> finish = I+latency
 *           -> complete >= finish, in order -> write back >= C
 */
#ifndef SIM_CORE_DETAILED_PIPE_H
#define SIM_CORE_DETAILED_PIPE_H

#include <assert.h>

#include "sim/core/chip/chip.h"
#include "sim/core/core_private.h"
#include "sim/core/detailed/access.h"
#include "sim/core/detailed/predict.h"
#include "sim/core/detailed/unit.h"
#include "sim/core/snoop.h"

#define RING_MAX 64

/* The cycles at which n equal entries become free, reused in turn. */
struct ring {
    unsigned n, at;
    cycle_t t[RING_MAX];
};

static inline cycle_t ring_oldest(const struct ring *r)
{
    return r->t[r->at];
}

static inline void ring_push(struct ring *r, cycle_t free_at)
{
    r->t[r->at] = free_at;
    if (++r->at == r->n)
        r->at = 0;
}

/* Busy cycles of a unit that may work out of order: bit i is base + i. */
struct busy {
    cycle_t base;
    uint64_t bits;
    cycle_t end; /* busy before here as far as was asked */
};

#define READY_WORDS ((REG_COUNT + 63) / 64)

/* Everything that a wrong path may use up and give back: a misprediction
 * works on a copy. */
struct window {
    /* fetch */
    cycle_t group;      /* cycle of the current fetch group */
    unsigned grouped;   /* instructions in it */
    ea_t group_pc;      /* where it began */
    pa_t group_line;    /* its cache line; 1: a new group must begin */
    cycle_t line_full;  /* every word of that line can be used by then */
    cycle_t fetch_next; /* earliest cycle of the next group */
    struct ring queue;  /* fetch queue: dispatch cycles */
    /* dispatch */
    cycle_t dispatched;                 /* cycle of the latest dispatch */
    unsigned width;                     /* instructions dispatched in it */
    unsigned units;                     /* units used in it, a bit each */
    unsigned reads;                     /* GPRs read in it */
    bool closed;                        /* nothing more in it */
    cycle_t hold;                       /* nothing before this cycle */
    cycle_t lock_lr, lock_ctr, lock_cr; /* interlocks release */
    struct ring rob, gpr, fpr, cr, blocks;
    struct ring station[UNIT_COUNT];
    /* execute */
    cycle_t next[UNIT_COUNT];  /* in-order units: next start */
    cycle_t began[UNIT_COUNT]; /* ... and the latest one */
    struct busy busy[UNIT_COUNT];
    cycle_t ready[REG_COUNT];     /* a dependent may start */
    uint64_t recent[READY_WORDS]; /* ... of which this may be to come: a bit
                                     each, for the memo */
    /* complete */
    cycle_t completed; /* cycle of the latest completion */
};

/* One instruction on its way through. */
struct slot {
    struct insn *i;
    const struct chip *chip; /* what its class costs */
    ea_t pc;
    ea_t group; /* where its fetch began */
    pa_t pa;
    uint8_t unit; /* enum unit, the one chosen */
    cycle_t fetch, dispatch, issue, finish, complete;
    cycle_t operands; /* all there: could have been issued, unit permitting */
    cycle_t heads;    /* the oldest of an in-order unit's station */
    bool imiss;       /* its fetch waited for a line */
    bool itlb, dtlb;  /* it waited for a search of the page table */
    uint8_t level; /* LEVEL_... of include/record.def, of its slowest access */
    uint32_t oldest; /* cycles since the completion before its own */
    unsigned spans;  /* what it waited for, by the cycle that began */
    /* Stalls at dispatch, told to the PMU when it really dispatches. */
    unsigned stalls;
    struct {
        enum event event;
        cycle_t cycles, at;
    } stall[8];
    /* What it asked, beside p->outcome. */
    bool grouped; /* it began a group of fetches: access_fetch was asked, */
    bool fetched; /* ... and answered with a line that was all there */
    bool io;      /* it goes to a device */
    bool early;   /* the second operand of its multiplication is short */
    /* Of a load's or store's first access, and of a store. */
    cycle_t searched; /* waited for a search of the page table, if it did */
    cycle_t collided; /* waited for a store to the same address */
    cycle_t filled;   /* waited for its line */
    cycle_t counted;  /* ... of a load that missed: those that no load before it
                         waited */
    cycle_t queued;   /* waited for an entry of the store queue */
    cycle_t brought;  /* the line has been asked for, and can be used then; 0:
                         it has not */
    unsigned shifted; /* cycles to make a single of a small datum */
    struct prediction guess; /* branches */
    ea_t target;             /* ... where it goes if taken */
    bool mispredicted;       /* ... and its execution corrected fetch */
    uint8_t position;        /* in its dispatch group, from 1; 0: not yet */
    uint32_t data_latency;   /* of its slowest data access; a hit takes 1 */
    unsigned slow;           /* which access it waited for longest, */
    cycle_t slow_cycles;     /* ... search of the page table included */
    struct core_wait span[CORE_WAITS];
};

#define STORES 64
#define HISTORY 128 /* completions remembered for SIA; a power of two */

/* One: of the instruction at pc, in cycle `at`. Or n: those of the steps of a
 * trace (memo/store.h), whose cycles are counted from `at`. */
struct memo_step;
struct past {
    ea_t pc;
    uint32_t n;
    cycle_t at;
    const struct memo_step *step; /* NULL: one */
};

struct pending_store {
    ea_t low; /* low 12 bits of its address */
    unsigned size;
    cycle_t commit;
};

struct memo;

struct pipe {
    struct memo *memo; /* owned; NULL: there is none */
    struct window w;
    struct predictor predict;
    struct tags tags; /* changed by access.c, and what invalidates */
    struct access_outcome outcome[STEP_ACCESSES]; /* of the step at work */
    uint32_t hid0;

    /* The page that fetch is on: records and addresses. */
    ea_t page_ea; /* 1: none */
    pa_t page_pa;
    bool page_inhibited; /* WIMG[I] */
    struct insn *page;

    bool have; /* `next` is fetched and its dispatch cycle known */
    struct slot next;
    struct from from; /* ... whose, and in what state */

    /* load/store unit */
    struct ring loads;  /* load queue: free cycles */
    struct ring stores; /* store queue: free cycles */
    struct pending_store pending[STORES];
    unsigned pending_at;
    cycle_t committed;     /* latest commit of a store */
    cycle_t store_request; /* latest request of a store miss */
    cycle_t miss[2];       /* outstanding fills: end cycles */
    cycle_t castout[3];    /* castout buffers: free cycles */
    cycle_t miss_until;    /* load_miss_cycles counted up to here */

    /* complete and write back */
    unsigned completing;     /* instructions completed in w.completed */
    cycle_t store_completed; /* cycle of the latest store's completion */
    cycle_t wb_cycle[3];     /* GPR, FPR, CR: latest write-back cycle */
    unsigned wb_used[3];
    cycle_t busy_until[UNIT_COUNT];

    /* the oracle: `group` instructions share the cycle w.completed */
    struct {
        ea_t pc;
        uint32_t context;
    } share[4];
    unsigned shares;
    cycle_t accounted; /* first cycle not accounted, the group's apart */
    ea_t flush_pc;     /* who emptied the window */
    uint32_t flush_context;
    enum reason flush_reason;
    cycle_t flush_until; /* its doing up to here, exclusive */

    struct past history[HISTORY];
    unsigned history_at;
    unsigned history_more; /* completions than entries, so far */
};

/* The pipeline of a core that runs under timing_detailed or timing_warm. */
static inline struct pipe *pipe_of(const struct core *c)
{
    return c->pipe;
}

/* What execution left that registers no longer say: the exception, XER[SO] and
 * MSR before. */
struct ran {
    enum exc exc;
    bool so;
    uint32_t msr;
};

/* detailed.c: the instruction in `next` has been executed and all was asked,
 * p->outcome included; only its cycles are to be worked out. */
void pipe_resume(struct core *c, const struct ran *ran);

/* What reads register r may start at cycle `at`. */
static inline void window_ready(struct window *w, unsigned r, cycle_t at)
{
    w->ready[r] = at;
    w->recent[r / 64] |= (uint64_t)1 << r % 64;
}

/* window.c */
void window_init(struct window *w, const struct params *p);
cycle_t busy_reserve(struct busy *b, cycle_t from, cycle_t at, unsigned length);

/* fetch.c: at which cycle is s->pc (record and pa known) fetched in w. Fills
 * the instruction cache. */
void fetch_at(struct core *c, struct window *w, struct slot *s);
/* The record at pc for fetch: false when there is none (*exc as core_fetch,
 * or the core stopped). */
bool fetch_record(struct core *c, struct slot *s, ea_t pc, enum exc *exc);
/* The page of pc becomes the one that fetch is on: what fetch_record does
 * first. False: an exception. */
bool fetch_turn(struct core *c, ea_t pc);
/* What fetch remembers of its page is no longer sure. */
void fetch_forget(struct core *c);
/* Fetch goes on at another address, first at cycle `at`. */
void fetch_redirect(struct window *w, cycle_t at);

/* dispatch.c: earliest dispatch of s in w, with its unit and its stalls. */
void dispatch_at(struct core *c, struct window *w, struct slot *s);
/* ... and held some cycles more, if it is one of those (knob jitter, not 0). */
void dispatch_jitter(struct core *c, struct window *w, struct slot *s);
/* It really dispatches: take the entries, count the events. */
void dispatch_take(struct core *c, struct window *w, struct slot *s);
/* The current dispatch cycle is over: count how wide it was. */
void dispatch_close(struct core *c, struct window *w);
/* Rename buffers s holds, to be given back at cycle `at`. */
void dispatch_hold_renames(struct window *w, const struct slot *s, cycle_t at);

/* issue.c */
/* What issue has to know of registers, which execution may change. */
void issue_ask(const struct core *c, struct slot *s);
void issue_at(struct window *w, struct slot *s);
/* Results become usable at s->finish. */
void issue_results(struct window *w, const struct slot *s);

/* lsu.c: when may a load or store start; when is it finished; and, once it
 * completes, when does it commit. p->outcome says what its accesses met. */
/* Is any of that to be asked of i? */
static inline bool lsu_serves(const struct insn *i)
{
    return i->flags & (INSN_LOAD | INSN_STORE) || i->class == CLASS_TOUCH ||
           i->class == CLASS_CACHEOP || i->class == CLASS_SYNC;
}
void lsu_issue(struct core *c, struct slot *s);
void lsu_finish(struct core *c, struct slot *s);
void lsu_commit(struct core *c, struct slot *s);
/* All accesses before a sync that issues then are done. */
static inline cycle_t lsu_done(const struct pipe *p, cycle_t issue)
{
    cycle_t at = cycle_max(issue, p->committed + 1);

    return cycle_max(at, cycle_max(p->miss[0], p->miss[1]));
}

/* A sync that issues then asks the bus: when does it hear that all others know
 * of all that was before it? */
cycle_t lsu_synced(struct core *c, cycle_t issue);
/* Will this instruction, with the registers as they are, go to a device? */
bool lsu_is_io(const struct core *c, const struct insn *i);
/* From where the line of o came: LEVEL_... of include/record.h. */
uint8_t lsu_level(const struct line_outcome *o);

/* The cycle from which a load of a, which asks at `at`, meets no store that is
 * still to be written to the same low 12 bits of an address. */
static inline cycle_t lsu_clear(const struct pipe *p, const struct access *a,
                                cycle_t at)
{
    ea_t low = a->ea & 0xFFF;
    unsigned k = p->pending_at;

    /* Each is written later than the one before it. */
    for (unsigned n = 0; n < STORES; n++) {
        const struct pending_store *q = &p->pending[k = (k - 1) % STORES];

        if (q->commit < at)
            return at;
        if (low < q->low + q->size && q->low < low + a->size)
            return q->commit + 1;
    }
    return at;
}

/* A load that missed waited from `at` until `usable`: so many of these cycles
 * no load before it has waited, too. */
static inline cycle_t lsu_counts(const struct pipe *p, cycle_t at,
                                 cycle_t usable)
{
    return usable > p->miss_until ? usable - cycle_max(at, p->miss_until) : 0;
}

/* A store that could issue then waits so long for an entry of its queue. */
static inline cycle_t lsu_queued(const struct pipe *p, cycle_t issue)
{
    cycle_t at = ring_oldest(&p->stores);

    return at > issue ? at - issue : 0;
}

/* a is stored and written in cycle `commit`. */
static inline void lsu_pending(struct pipe *p, const struct access *a,
                               cycle_t commit)
{
    struct pending_store *q = &p->pending[p->pending_at];

    q->low = a->ea & 0xFFF;
    q->size = a->size;
    q->commit = commit;
    p->pending_at = (p->pending_at + 1) % STORES;
    p->committed = commit;
}

/* The cycles that a store i, which has run, takes to make its datum a single.
 */
unsigned lsu_shifts(const struct core *c, const struct insn *i);

/* search.c: o has `searched`, from cycle `at` on: when does that end. */
cycle_t search_end(struct core *c, const struct search_outcome *o, cycle_t at);
/* ... and what comes of it: the page table is searched as o says, which has
 * `searched`, from cycle `at` on. Returns when the access may go on. */
cycle_t search_data(struct core *c, struct slot *s,
                    const struct search_outcome *o, cycle_t at);
cycle_t search_fetch(struct core *c, const struct search_outcome *o,
                     cycle_t at);

/* refill.c: the cycle at which the word of o can be read from the data cache,
 * asked at `at`, or in which the line can be written. Fills included, for all
 * but those that answer LINE_MISS. */
cycle_t refill_usable(const struct core *c, const struct line_outcome *o,
                      cycle_t at);
/* A beat past the cache, asked at `at`: when it is there. */
cycle_t refill_single(struct core *c, cycle_t at);
/* The bus is asked at `at`, as o says; the others hear of it. */
struct bus_answer refill_ask(struct core *c, const struct line_outcome *o,
                             cycle_t at);
/* The line of o, a LINE_MISS, comes, asked at `at`; it begins when one of the
 * two miss registers is free. Returns the cycle of its first word. */
cycle_t refill_miss(struct core *c, const struct line_outcome *o, cycle_t at);
/* A store to a line that is there: from the cycle returned on it is ours alone
 * and can be written. */
cycle_t refill_own(struct core *c, const struct line_outcome *o, cycle_t at);
/* A fill needs the frame of o: what is modified there is written back, when a
 * castout buffer is free. Returns the cycle from which the fill may ask. */
cycle_t refill_cast_out(struct core *c, const struct line_outcome *o,
                        cycle_t at);
/* The first cycle from `at` on in which a miss register is free. */
cycle_t refill_register(const struct pipe *p, cycle_t at);

/* complete.c */
void complete_at(struct core *c, struct slot *s);
/* Charge the cycles up to and including s->complete. */
void complete_account(struct core *c, const struct slot *s);
/* s does not complete: it raises an exception at s->complete. */
void complete_except(struct core *c, struct slot *s);
/* An instruction empties the window at cycle `at`: fetch begins again after
 * it. */
void complete_flush(struct core *c, ea_t pc, enum reason reason, cycle_t at);
/* Hand the open group to the oracle; accounts up to w.completed. */
void complete_close(struct core *c);

static inline void history_add(struct pipe *p, ea_t pc, cycle_t at)
{
    struct past *e = &p->history[p->history_at];

    e->pc = pc;
    e->at = at;
    e->step = NULL;
    p->history_at = (p->history_at + 1) % HISTORY;
}

/* n steps, 1 at least, which stay where they are. */
static inline void history_add_steps(struct pipe *p,
                                     const struct memo_step *step, unsigned n,
                                     cycle_t at)
{
    p->history[p->history_at] = (struct past){.n = n, .at = at, .step = step};
    p->history_at = (p->history_at + 1) % HISTORY;
    p->history_more += n - 1;
}

/* history.c: what completed last by cycle `at`; or the oldest that is known. */
ea_t history_by(const struct pipe *p, cycle_t at);
/* When the latest one completed. */
cycle_t history_last(const struct pipe *p);
/* Every entry is one completion: traces may go. */
void history_spell(struct pipe *p);

/* pipe_state.c: save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool pipe_state(struct snap *s, struct core *c);

/* insn_cycles.c, while insn_info_asked: s is through, or raised an exception;
 * s was fetched and is forgotten; s was on a wrong path `until` then, and the
 * additions held from number `held` on are its own. */
void insn_cycles_end(struct core *c, const struct slot *s, const struct from *f,
                     bool completed);
void insn_cycles_abandoned(struct core *c, const struct slot *s,
                           const struct from *f);
void insn_cycles_wrong(struct core *c, const struct slot *s,
                       const struct from *f, cycle_t until, unsigned held);

/* branch.c: what the branch did, against what was guessed: corrects fetch,
 * walks the wrong path, teaches the predictor. */
void branch_resolve(struct core *c, struct slot *s);

/* s waits for `reason` from cycle `from`, no earlier than that of the wait
 * told before, up to `end`. */
static inline void slot_wait(struct slot *s, cycle_t from, cycle_t end,
                             enum reason reason)
{
    struct core_wait *last = &s->span[s->spans ? s->spans - 1 : 0];

    if (end <= from)
        return;
    if (s->spans && last->reason == reason && from <= last->end) {
        last->end = cycle_max(last->end, end);
        return;
    }
    assert(s->spans < CORE_WAITS);
    s->span[s->spans++] = (struct core_wait){from, end, reason};
}

/* What the load/store unit adds now is of access k of s. */
static inline void data_of(struct core *c, unsigned k)
{
    const struct access *a = &c->cpu.step.access[k];

    c->pmu.ev.data = (struct data_access){true, a->ea, a->pa};
}

/* s waited so long for access k. */
static inline void waited_for(struct slot *s, unsigned k, cycle_t cycles)
{
    if (cycles <= s->slow_cycles)
        return;
    s->slow = k;
    s->slow_cycles = cycles;
}

static inline void slot_stall(struct slot *s, enum event e, cycle_t *t,
                              cycle_t to)
{
    if (to <= *t)
        return;
    s->stall[s->stalls].event = e;
    s->stall[s->stalls].cycles = to - *t;
    s->stall[s->stalls++].at = to;
    *t = to;
}

#endif
