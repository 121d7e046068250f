/* core_private.h - what the core offers its timing models (timing.h), and what
 * the files of sim/core share.
 */
#ifndef SIM_CORE_CORE_PRIVATE_H
#define SIM_CORE_CORE_PRIVATE_H

#include "sim/core/core.h"

/* Of an instruction before it changes anything: whose, and in what state. */
struct from {
    uint32_t msr, context;
    cycle_t at; /* c->clock then */
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

/* ---- what filters and marks are told of an instruction (insn_info.c) -------
 */

/* Is it asked what each instruction was and did? Then the model describes each
 * one, behind the last of its events: insn_info_begin, insn_info_completed if
 * it did, the cycles that it knows, and insn_info_end. */
static inline bool insn_info_asked(const struct core *c)
{
    return c->pmu.derived.active || c->pif.listening;
}

/* *d is of i at pc, that `f` describes; all that happened to it is 0. */
void insn_info_begin(const struct core *c, struct insn_info *d, ea_t pc,
                     const struct insn *i, const struct from *f);
/* It completed: what c->cpu.step says of it, and what is marked. */
void insn_info_completed(const struct core *c, struct insn_info *d);
/* It did not complete, and lies at physical pa: what is marked, for filters. */
void insn_info_passing(struct core *c, struct insn_info *d, pa_t pa);
/* All is said. The additions to events that wait for it, from number `held` on
 * (0: all), are decided by filters. */
void insn_info_end(struct core *c, unsigned held, const struct insn_info *d);

/* i, at pc, completed in the state that msr says, and cpu.nia is next: for the
 * branch record, while it is on. */
void insn_info_branch(struct core *c, const struct insn *i, ea_t pc,
                      uint32_t msr, bool mispredicted);

/* ---- core -----------------------------------------------------------------
 */

/* port.c: plug the processor into the world. */
void port_init(struct core *c);
/* MSR is `now` at cycle c->observed_cycle. */
void core_msr_changed(struct core *c, uint32_t old, uint32_t now);

/* core.c: it stops for good; `why` is one line. */
void core_stop(struct core *c, const char *why);

/* core.c: something asynchronous may be due before an instruction that would
 * dispatch at cycle d. True: an interrupt was entered, cpu.pc is its vector. */
bool core_attend(struct core *c, cycle_t d);
/* The same if nothing is due by cycle d but samples of the host, as where
 * MSR[EE] comes on. Else false, and core_attend is still to come. */
bool core_attend_calm(struct core *c, cycle_t d);

/* core.c: work out anew from which cycle on it has something to do. */
void core_reattend(struct core *c);
/* core.c: of the interrupt that is signalled, what its handler will read. */
void core_latch_sample(struct core *c);

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

/* tell.c: ask and tell the observers of an instruction; only where
 * core_observed. True: stop, nothing may be done. */
bool core_before(struct core *c, const struct insn *i, cycle_t at);
void core_after(struct core *c, ea_t pc, cycle_t at, cycle_t done);
/* ... and c->stop alone, in front of stop_pc. Only models without a pipeline
 * ask it, whose engines end their runs there. */
bool core_awaited(struct core *c, const struct insn *i, cycle_t at);
/* ... of an exception, of the instruction at pc or in front of it. */
void core_entered(struct core *c, enum exc e, ea_t pc, cycle_t at);
/* ... of what marks make known, from power-on to the end. */
void core_report_marks(struct core *c);
extern const struct observers core_unobserved;

/* Does one of them look at every instruction? */
static inline bool core_observed(const struct core *c)
{
    return c->with.observers->steps;
}

/* Its counters are about to be read or to change what they do. */
void core_tally(struct core *c);
/* port.c: is something counted, other than cycles by the host, or due, that MSR
 * or a nap may stop? */
bool core_counts(const struct core *c);
/* ... core_tally then: it stops or goes on. */
void core_tally_counting(struct core *c);

/* Its counters changed what it waits for, by another CPU's doing. */
void core_stirred(struct core *c);

#endif
