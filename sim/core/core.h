/* core.h - one processor in time: the only face the machine sees.
 *
 * Execute first, time afterwards: isa/ changes the registers and says what
 * was done; this room says when. Every timing model (timing.h) shares what is
 * here; it decides at which cycle an instruction happens.
 * The core owns its time base, PMU, oracle and cache tags; memory, bus and
 * devices are the machine's.
 */
#ifndef SIM_CORE_CORE_H
#define SIM_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/cpu.h"
#include "isa/mmu.h"
#include "isa/port.h"
#include "pmu/oracle.h"
#include "pmu/pif/pif.h"
#include "pmu/pmu.h"
#include "pmu/counter/host_counters.h"
#include "sim/config/config.h"
#include "sim/core/timebase.h"
#include "sim/mem/iomap.h"
#include "sim/mem/decode_cache.h"
#include "sim/observe/observer.h"

enum core_state {
    CORE_PARKED, /* never released */
    CORE_RUNNING,
    CORE_NAPPING, /* MSR[POW] */
    CORE_STOPPED  /* checkstop: `why` says what happened */
};

struct timing;
struct engine;
struct bus;
struct chip_table;
struct core;
struct scale;

/* One overflow of a counter of the host (pmu/counter/host_counters.h). */
struct core_sample {
    unsigned counter;
    cycle_t at;       /* of the overflow */
    uint64_t events;  /* since the one before it */
    ea_t pc;          /* the event's instruction, or the last completed */
    ea_t interrupted; /* the next to run */
    struct data_access data; /* that caused the event */
    bool user;
    bool napping; /* then; of a core that naps now, resting */
    bool resting;
};

/* A wire of the machine: what another CPU did made core_next of this one
 * earlier. */
struct core_wake {
    void *arg;
    void (*woken)(void *arg, unsigned cpu); /* NULL: it is asked each time */
};

/* The exception that began the latest chain of them: each of the others came
 * of the first instruction at the vector of the one before it, so that no
 * handler has run. For sentences; nothing simulated depends on it. */
struct core_fault {
    enum exc exc;   /* EXC_NONE: there was none */
    ea_t pc;        /* the instruction, or that in front of which it came */
    ea_t last;      /* the last one that had completed */
    ea_t ea;        /* of its data access */
    bool fetching;  /* machine check: of the fetch */
    bool storing;   /* ... of a store */
    uint32_t cause; /* SRR1 or DSISR bits */
    uint32_t msr;   /* in front of it */
    ea_t vector;    /* where the latest of the chain led */
    uint64_t insns; /* completed by then */
    uint64_t again; /* the same chain began here so often before, in a row */
};

/* The operating system of user programs, outside the machine. Every exception
 * and interrupt then comes here instead of to its vector: cpu.pc is the
 * instruction, cpu.nia the next one, cpu.cause and cpu.dar say more. It sets
 * cpu.pc, may exchange every register and the context, and returns how many
 * cycles it took; the instruction is charged with them, reason `system`.
 * With MSR[POW] set on return the core naps. */
struct core_supervisor {
    void *arg;
    cycle_t (*enter)(void *arg, struct core *c, enum exc e);
    /* What the program would read at ea, for a debugger: nothing changes,
     * not even by a page being touched. False: nothing is there. */
    bool (*peek)(void *arg, ea_t ea, void *bytes, size_t size);
    /* Where a store of the program to ea would go, no page being touched for
     * it: *pa, or when its page is still to come *later, bytes that will be
     * added to it. False: it may not store there. */
    bool (*reach)(void *arg, ea_t ea, pa_t *pa, uint8_t **later);
};

/* Of the timing memo (sim/core/detailed/memo): is it used, or only compared
 * with what the stages work out. Changes no result. MEMO_DEFAULT is what zeros
 * in a setup mean. */
enum memo_mode { MEMO_UNSAID, MEMO_OFF, MEMO_ON, MEMO_CHECK };
#ifndef MEMO_DEFAULT
#define MEMO_DEFAULT MEMO_ON
#endif
#define MEMO_MB 256u

/* What a core is plugged into. Nothing here is owned by the core. */
struct core_setup {
    const struct params *params;
    const struct timing *timing; /* the model at work; not NULL */
    const struct timing *other;  /* takes turns with it; NULL: none does */
    const struct engine *engine; /* of the fast model (fast/engine.h); NULL:
                                    its first */
    enum memo_mode memo;
    uint32_t memo_mb; /* its size at most; 0: MEMO_MB */
    struct ram *ram;
    struct decode_cache *decoded; /* its instructions */
    struct iomap *iomap;
    struct bus *bus;
    struct reservations *reservations;
    struct core_wake wake;
    const struct observers *observers; /* NULL: none, ever */
    struct core_supervisor supervisor; /* enter NULL: the guest has its own */
    struct core *cores; /* all of the machine, this one among them */
    unsigned ncores;
    const struct chip_table *chip;                 /* NULL: chip_604e */
    const struct host_counter_spec *host_counters; /* counters of the host */
    unsigned nhost_counters;
    const struct predicate *define; /* events of --event */
    unsigned ndefine;
    struct widened *wide; /* marks beside memory's words; NULL: none */
    struct scale *scale;  /* whose time is scaled (scale.h); NULL: nobody's */
};

/* What the host code of a trace reads while it runs. */
struct core_trace {
    uint32_t stop; /* nothing dispatches so many cycles behind `begin` */
    cycle_t begin; /* the cycle that the trace counts from */
    /* Answers that the TLB remembers, and what is noted of them, for MSR[PR] as
     * it is: TLB_ENTRIES of each kind. With MSR[DR] off: none. */
    const struct tlb_entry *entry;
    const uint8_t *note;
};

/* A line of memory at 32 bytes of effective addresses, as blocks of warm mode
 * reach it: what holds while the epoch of its TLB set is that of `held`, and
 * `line` still has it. In bit 0 of `held`: the way of the set that is not its
 * page's. Of pages that are cached and written back. */
struct core_near {
    ea_t ea; /* of its first byte; 1: free */
    pa_t pa; /* line->tag */
    uint64_t held;
    struct line *line;
    uint8_t *host; /* what lies at address 0, if all did as this */
};
#define CORE_NEAR 512u
#define CORE_NEAR_BYTES 32u /* of memory, that an entry is of */

struct core {
    struct cpu cpu;
    struct port port;
    struct tlb tlb;
    struct pmu pmu;
    struct timebase tb;
    struct host_counters host_counters;
    struct insn_info insn_info; /* the instruction at work, while predicates or
                                   marks need it */
    struct pif pif;
    struct pif *pifs[PORT_CPUS]; /* of all processors */
    struct host_view view; /* where the programs inside a Linux kernel that are
                            * asked for by name are in its address space */
    struct oracle *oracle;
    cycle_t edge; /* where an interval of its account ends next, or never */
    struct core_setup with;
    unsigned number;
    enum core_state state;
    const char *why; /* CORE_STOPPED: one line */
    struct core_fault fault;
    uint32_t context; /* whom the oracle charges; the guest writes it */
    uint64_t insns;   /* completed since power-on */

    cycle_t clock; /* begin or dispatch of the next insn; timing.h, `serial` */
    struct core_trace trace;
    struct core_near near[2][2]
                         [CORE_NEAR]; /* MSR[PR]; loads, stores; address */
    cycle_t
        attention; /* first cycle at which something asynchronous may be due */
    cycle_t due;   /* ... and for the guest */
    cycle_t sampling;      /* ... and for counters of the host alone */
    bool yield;            /* end this batch: others must see what was done */
    bool serialize;        /* nothing dispatches before this is through */
    bool stopped_by_probe; /* an observer ended this batch, there was no
                              other reason */
    bool yield_pending; /* ... but would have after the instruction on hold */
    ea_t stop_pc; /* in front of it `stop` is asked; 1: nowhere (tell.c) */
    const struct observer *stop; /* the machine's */
    bool returned; /* branched to BOARD_RETURN: r3 is the exit status */
    bool irq;      /* level of the external interrupt pin */
    cycle_t irq_since;
    cycle_t observed_cycle; /* the cycle that SPR and device accesses observe */
    cycle_t nap_since;
    ea_t nap_pc;          /* where it will go on, charged with the nap */
    cycle_t accounted;    /* parked and nap: the oracle's account ends here */
    ea_t last_ea;         /* of the latest data access, for SDA */
    uint64_t pif_charged; /* bytes of shadow traffic seen so far */
    uint64_t pif_cycles;  /* ... cycles of the bus that they take */
    uint64_t pif_taken;   /* indicator exceptions; */
    uint64_t pif_handled; /* ... cycles until EE and RI were on again; */
    cycle_t pif_since;    /* ... the latest */
    uint64_t look_times;  /* the guest looked its marks up: so often, */
    uint64_t look_insns;  /* ... instructions meanwhile, but for the latest: */
    uint64_t look_from;   /* ... of insns, where it began */
    uint64_t look_end;    /* ... and where it ended, unless it looks still */
    bool looking;
    bool area_added;                       /* to a count area; */
    uint32_t area_msr;                     /* ... MSR, at the latest */
    uint32_t access_cycles[STEP_ACCESSES]; /* of step.access[], by the model */
    void *timing_state;                    /* of the model, which owns it */
    void *pipe; /* caches, TLBs, predictors and pipeline, of the models that
                   have them */
    void *engine_state; /* of its engine, which owns it */
};

/* What an instruction waits for, from `begin` up to `end`, exclusive. Four
 * waits before it starts, three an access. */
#define CORE_WAITS (4 + 3 * STEP_ACCESSES)
struct core_wait {
    cycle_t begin, end;
    enum reason reason;
};

/* When an instruction was where, and its waits, by their beginnings. An
 * exception instead of a completion has its cycle. */
struct core_stages {
    const char *unit;
    cycle_t fetch, dispatch, issue, finish, complete;
    unsigned waits;
    struct core_wait wait[CORE_WAITS];
};

/* The stages of the instruction that observers are just told to have run.
 * False: this timing model has none. */
bool core_stages(const struct core *c, struct core_stages *s);

/* Its state in a word. */
const char *core_state_name(const struct core *c);

/* Power-on. False when the host has no memory. */
bool core_init(struct core *c, unsigned number, const struct core_setup *s);
void core_free(struct core *c);

/* Leave parking at cycle `at`: real mode at entry, HID0 as an OS leaves it,
 * r1 = stack, r3 = CPU number, LR = BOARD_RETURN. */
void core_start(struct core *c, ea_t entry, uint32_t stack, cycle_t at);

/* The cycle of its next dispatch, or of its next wake-up when it naps;
 * CYCLE_NEVER: nothing but another CPU or a device can wake it. */
cycle_t core_next(const struct core *c);

/* Run while the next dispatch is at or before `until`, the state is running
 * and no yield was asked for. Napping cores jump to their wake-up. Returns
 * core_next. */
cycle_t core_run(struct core *c, cycle_t until);

/* From now on observers hear of every period-th instruction (pmu/pif/sampled.h)
 * that is dispatched in one of these states, SAMPLED_IN_..., 0: in both. */
void core_sample_insns(struct core *c, uint32_t period, unsigned states);
/* Before the first cycle: from now on observers hear when SPRG3 is written. */
void core_watch_sprg3(struct core *c);
/* Before the first cycle: from now on observers hear when this processor is
 * about to run the instruction at pa, a multiple of 4 inside memory. False:
 * too many are watched. */
bool core_watch(struct core *c, pa_t pa);
/* Before the first cycle: from now on observers hear when an interval of
 * `length` cycles of the account has ended. */
void core_intervals(struct core *c, cycle_t length);

/* Between two turns: from now on the other model keeps time. What a model that
 * keeps no tags ran makes them stale: on the way to it they are invalidated,
 * with what marks have beside them. */
void core_change_mode(struct core *c);

/* From outside: the instruction at pc is next. For a core that is not in the
 * middle of core_run; changes what is simulated. */
void core_jump(struct core *c, ea_t pc);
/* From outside: MSR is `value` now. */
void core_set_msr(struct core *c, uint32_t value);

/* Between two instructions of a running core, from an observer's `after`: the
 * program stands still for `cycles`, which the oracle charges as `system` to
 * the next instruction. */
void core_spend(struct core *c, cycle_t cycles);

/* The external interrupt pin changed level at cycle `at`. */
void core_irq(struct core *c, bool level, cycle_t at);

/* Translations changed behind the core: forget what it remembers. */
void core_forget(struct core *c);

/* Hand what is still being gathered to the oracle and the counters, so that
 * they can be read from outside. Changes no simulated result. */
void core_flush(struct core *c);

/* No processor is behind cycle `at`, and this one need not run before: one that
 * naps or is parked is accounted for up to there. Changes no simulated result.
 */
void core_account(struct core *c, cycle_t at);

/* The run ends at cycle `end`: settle oracle and counters up to it, so that
 * the oracle's total is exactly ORACLE_UNIT x end. */
void core_settle(struct core *c, cycle_t end);

/* The first cycle by which everything executed so far has completed. */
cycle_t core_finished(const struct core *c);

/* Save or load it: lib/base/snap.h. False: s->why says why. Not in the middle
 * of core_run, nor when it has stopped. */
struct snap;
bool core_state(struct snap *s, struct core *c);

#endif
