/* core_private.h - what the files of sim/core share and nobody else sees. */
#ifndef SIM_CORE_CORE_PRIVATE_H
#define SIM_CORE_CORE_PRIVATE_H

#include "sim/core/core.h"

/* fast.c: run the tempo of the name until its clock passes `until`. */
void fast_run(struct core *c, cycle_t until);
/* The latest instruction that completed. */
ea_t fast_last(const struct core *c);
bool fast_init(struct core *c);
void fast_free(struct core *c);
/* Hand every counted run of instructions to the oracle, or to the PMU.
 * Nothing to do in detailed mode. */
void fast_flush(struct core *c);
void fast_count(struct core *c);
/* `cycles` pass, and are charged to that. */
void fast_charge(struct core *c, uint32_t context, ea_t pc, enum reason r,
                 cycle_t cycles);
/* Hand the PMU what is through of the stretch that runs, the instruction at
 * work not included. Nothing to do in detailed mode. */
void fast_catch_up(struct core *c);

/* detailed.c */
bool detailed_init(struct core *c);
void detailed_free(struct core *c);
void detailed_run(struct core *c, cycle_t until);
/* The core starts, wakes or naps at cycle `at`: the pipeline is empty then
 * and everything before it is accounted. */
void detailed_restart(struct core *c, cycle_t at);
/* Last completion so far. */
cycle_t detailed_finished(const struct core *c);
/* Address of the last instruction completed at or before `at`. */
ea_t detailed_completed_by(const struct core *c, cycle_t at);
/* Forget the page that fetch is on. */
void detailed_forget(struct core *c);
/* tlbie somewhere: the TLBs forget the set of ea. */
void detailed_tlbie(struct core *c, ea_t ea);
/* `cycles` pass in a system call or the like of the instruction at pc, once
 * everything before it has completed. */
void detailed_system(struct core *c, uint32_t context, ea_t pc, cycle_t cycles);
/* Hand the open completion group to the oracle. */
void detailed_flush(struct core *c);
void detailed_hid0(struct core *c, uint32_t old, uint32_t now);
/* Whatever was fetched is dropped: fetch goes on at cpu.pc. */
void detailed_refetch(struct core *c);

/* Of an instruction before it changes anything: whose, and in what state. */
struct from {
    uint32_t msr, context;
    cycle_t at; /* fast only: its first cycle */
};

/* What an instruction that completed accessed first. */
static inline struct data_access step_first(const struct step *s)
{
    const struct access *a = &s->access[0];

    return s->accesses ? (struct data_access){true, a->ea, a->pa}
                       : (struct data_access){0};
}

static inline struct from core_from(const struct core *c)
{
    return (struct from){c->cpu.msr, c->context, c->clock};
}

/* Does somebody want to know what each instruction was and did? Then
 * insn_info.c is told of its end, behind the last of its events. */
static inline bool doing_asked(const struct core *c)
{
    return c->pmu.derived.active || c->pif.listening;
}

/* i, at pc, completed in the state that msr says, and cpu.nia is next: for the
 * branch record, while it is on. */
void doing_branch(struct core *c, const struct insn *i, ea_t pc, uint32_t msr,
                  bool mispredicted);

/* In fast mode: i, at pc, completed or raised an exception. */
void doing_fast(struct core *c, ea_t pc, const struct insn *i,
                const struct from *f, bool completed);

/* port.c: plug the processor into the world. */
void port_init(struct core *c);
/* MSR is `now` at cycle c->observed_cycle. */
void core_msr_changed(struct core *c, uint32_t old, uint32_t now);

/* core.c: it stops for good; `why` is one line. */
void core_stop(struct core *c, const char *why);

/* core.c: something asynchronous may be due before an instruction that would
 * dispatch at cycle d. True: an interrupt was entered, cpu.pc is its vector. */
bool core_attend(struct core *c, cycle_t d);

/* host_sample.c: hand over what the host's counters saw before cycle d; and
 * from which cycle on there is something to hand over. */
void sample_attend(struct core *c, cycle_t d);
cycle_t sample_due(const struct core *c);
/* All that they see up to cycle d, the core napping until then. */
void sample_nap(struct core *c, cycle_t d);

/* Translate a fetch and name its record. NULL: *exc is to be entered, or the
 * core stopped or returned (state says so). */
struct insn *core_fetch(struct core *c, ea_t pc, enum exc *exc);

/* A synchronous exception of the instruction at cpu.pc. False: the core
 * stopped (checkstop). Otherwise cpu.pc is the vector. */
bool core_except(struct core *c, enum exc e);

/* MSR[POW] was set by the instruction that just finished, at cycle `at`. */
void core_nap(struct core *c, cycle_t at);

/* Ask and tell the probes; only where c->probe is set. True: hold, nothing
 * may be done. */
bool core_before(struct core *c, const struct insn *i, cycle_t at);
void core_after(struct core *c, ea_t pc, cycle_t at, cycle_t done);

/* Earliest cycle at which core_attend has work. */
void core_reattend(struct core *c);

/* Its counters changed what it waits for, by another CPU's doing. */
void core_stirred(struct core *c);

static inline cycle_t cycle_max(cycle_t a, cycle_t b)
{
    return a > b ? a : b;
}

static inline cycle_t cycle_min(cycle_t a, cycle_t b)
{
    return a < b ? a : b;
}

#endif
