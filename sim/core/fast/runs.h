/* runs.h - what the fast model and its engines keep together: the account of
 * the instructions that ran. Private to sim/core/fast.
 *
 * The oracle is fed with runs: a straight stretch of instructions is counted
 * once at its end, and the counts are handed over when the context changes or
 * the account is read.
 */
#ifndef SIM_CORE_FAST_RUNS_H
#define SIM_CORE_FAST_RUNS_H

#include "sim/core/core_private.h"
#include "sim/core/fast/engine.h"
#include "sim/core/fast/stencil.h"
#include "sim/core/scale.h"

#define RUNS 512 /* a power of two */

struct run {
    ea_t start;
    uint32_t length; /* instructions; 0: free */
    uint64_t count;
};

/* Instructions that warm.c takes to be fetched together. */
struct group {
    ea_t pc, next; /* the first, and the one behind the last */
    pa_t line;     /* theirs; 1: it is asked for again */
    unsigned size;
};

struct fast {
    const struct engine *engine;
    bool warm;                       /* warm.c follows each instruction, */
    struct group group;              /* ... of that */
    struct decode_listener listener; /* to what the decode cache forgets */
    uint32_t context;                /* whose runs these are */
    ea_t last;                       /* the latest instruction that completed */
    ea_t start;       /* of the stretch that runs, up to cpu.pc */
    uint64_t counted; /* instructions already added to the PMU's totals */
    ea_t begun;       /* single steps that are not in a run yet: from here, */
    uint32_t steps;   /* ... so many, one behind the other */
    struct run run[RUNS];
    uint16_t used[RUNS]; /* indices of entries that are not free */
    unsigned nused;
    uint64_t hold_at, holds; /* jitter: c->insns then; so many so far */
    /* Fast mode with --what-if: else NULL. What runs does not pass a point, */
    const struct scale *scale;
    const struct host_view *view; /* the core's */
    unsigned class;               /* ... and stays in this class, */
    struct what_if_factor k;      /* ... whose factor this is */
    struct scale_rest rest;       /* of cycles that are scaled */
};

static inline struct fast *fast_of(const struct core *c)
{
    return c->timing_state;
}

/* The model without a pipeline, for timing_warm, which has one beside it. */
bool fast_begin(struct core *c, bool warm);
void fast_free(struct core *c);
void fast_enter(struct core *c, ea_t last);
void fast_run(struct core *c, cycle_t until);
ea_t fast_completed_by(const struct core *c, cycle_t at);
void fast_charge(struct core *c, uint32_t context, ea_t pc, cycle_t cycles);
void fast_flush(struct core *c);
cycle_t fast_quantum(const struct params *p);
bool fast_counts(enum event e);
struct snap;
bool fast_state(struct snap *s, struct core *c);

/* warm.c, of a core with `warm`. i, at pc and physical pa, is about to run; and
 * has completed. */
void warm_before(struct core *c, const struct insn *i, ea_t pc, pa_t pa);
void warm_after(struct core *c, const struct insn *i, ea_t pc);
/* As engine.run and interpreter_stretch. A run begins with warm_begin;
 * `anew`: the line that was fetched last is asked for again. */
enum exc warm_run(struct core *c, struct insn *page, pa_t page_pa, uint64_t n);
enum exc warm_stretch(struct core *c, struct insn *page, pa_t page_pa,
                      uint64_t n);
void warm_begin(struct core *c, bool anew);
/* What blocks call, by way of stencil_kept, where the answer is not the common
 * one: the line of pc is asked for; the branch at pc, fetched in the group that
 * began at `fetch`, completed: `how` is of enum warm_branch. */
enum warm_branch { WARM_CONDITIONAL = 1, WARM_TAKEN = 2 };
void warm_fetched(struct core *c, ea_t pc, pa_t pa);
void warm_branched(struct core *c, ea_t fetch, ea_t pc, unsigned how,
                   ea_t target);
/* ... by the host's convention, where c->near has no answer: i, a load or a
 * store, accesses `size` bytes of memory once, at ea. Not answered: the
 * interpreter has to run it. */
struct asked warm_load(struct core *c, const struct insn *i, ea_t ea,
                       unsigned size);
bool warm_store(struct core *c, const struct insn *i, ea_t ea, unsigned size,
                uint64_t v);
/* Do the common answers hold: are both caches and the BTAC on? */
bool warm_common(const struct core *c);
/* How many instructions of its fetch group stand in front of the one at pc,
 * physical pa; 0: it begins a group. */
unsigned warm_phase(const struct core *c, ea_t pc, pa_t pa);

/* Behind instructions of these kinds what runs ends: where cycles are scaled
 * also behind what may have left a function by a jump (scale_stack_set). */
static inline unsigned runs_end(const struct fast *f)
{
    return INSN_OBSERVES | INSN_CONTEXT | (f->scale ? INSN_STACK : 0u);
}

/* Must what runs end in front of pc, for its cycles are scaled in another way?
 */
static inline bool scaled_apart(const struct fast *f, ea_t pc)
{
    return f->scale && (scale_is_point(f->scale, pc) ||
                        scale_class(f->scale, f->view, pc) != f->class);
}

/* One that is scaled ran, at pc: its cycles, which the account has now. */
static inline cycle_t scaled_put(struct core *c, ea_t pc)
{
    struct fast *f = fast_of(c);
    cycle_t n = scale_cost(&f->rest, f->k, c->with.params->fast_cpi);

    if (n)
        oracle_add(c->oracle, f->context, pc, REASON_complete, ORACLE_UNIT * n);
    return n;
}

/* Give the oracle a run that is counted. */
void run_expand(struct core *c, const struct run *r);

/* Within or in front of an instruction that observes time: add to the runs and
 * the counters what is through of the stretch that runs, the instruction at
 * work not included. */
void fast_catch_up(struct core *c);

/* As the interpreter's engine.run, and no further than the first branch that is
 * taken. */
enum exc interpreter_stretch(struct core *c, struct insn *page, pa_t page_pa,
                             uint64_t n);

/* The stretch start .. start + 4 * length, which c->insns has, once more. */
static inline void run_put(struct core *c, ea_t start, uint64_t length)
{
    uint32_t hash = ((start >> 2) * 0x9E3779B1u >> 20) ^ (uint32_t)length;
    unsigned slot = hash & (RUNS - 1);
    struct run *r = &fast_of(c)->run[slot];

    if (r->start != start || r->length != length) {
        if (r->length)
            run_expand(c, r);
        else
            fast_of(c)->used[fast_of(c)->nused++] = (uint16_t)slot;
        r->start = start;
        r->length = (uint32_t)length;
        r->count = 0;
    }
    r->count++;
}

/* It ran once more. */
static inline void run_add(struct core *c, ea_t start, uint64_t length)
{
    if (!length)
        return;
    c->insns += length;
    fast_of(c)->last = start + 4 * (uint32_t)(length - 1);
    run_put(c, start, length);
}

#endif
