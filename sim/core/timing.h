/* timing.h - a timing model: at which cycle each instruction happens.
 *
 * A core executes instructions with isa/ and leaves their cycles to its timing
 * model, which is one table of functions. Core, machine and command line ask
 * this table alone; which model it is makes no difference to them. Each model
 * is a folder of sim/core that exports one table, and a row of timing.c.
 *
 * What a model may call is in core_private.h and mark_feed.h. Its state hangs
 * at c->timing_state. A model that has caches enters them into c->with.bus
 * (icache and dcache) in its init; without them marks go by address.
 *
 * All cycles are processor cycles since power-on.
 */
#ifndef SIM_CORE_TIMING_H
#define SIM_CORE_TIMING_H

#include "sim/core/core.h"

struct snap;

struct timing {
    /* The word of --mode, as logs and reports print it. */
    const char *name;

    /* One instruction at a time: everything in front of the next one has
     * completed by c->clock, where it begins. An event of that cycle then lies
     * in front of it, and nothing asynchronous is due earlier. Otherwise
     * c->clock is the cycle of the next dispatch, and what dispatched before
     * may complete behind it. */
    bool serial;

    /* It keeps tags of caches and TLBs, and predictors, at c->pipe. */
    bool keeps_tags;

    /* How many cycles a processor may run ahead of another one; 0: dispatches
     * are in one exact order. A knob of p. */
    cycle_t (*quantum)(const struct params *p);

    /* Does the model add event e, which is not of KIND_CLOCK? NULL: all. */
    bool (*counts)(enum event e);

    /* Power-on; c->with, c->cpu, c->pmu and c->oracle are ready. False: the
     * host has no memory; `free` is called all the same. `free` without an
     * init changes nothing, nor does an init of what is there.
     * c->access_cycles[k] are the cycles that access k of the step at work
     * took; init sets them where they are always the same. */
    bool (*init)(struct core *c);
    void (*free)(struct core *c);

    /* Run instructions from cpu.pc on while c->clock <= until, c->state is
     * CORE_RUNNING and c->yield is false. In front of each: core_attend once
     * c->clock has reached c->attention, and the observers; behind it: its
     * events, marks, observers, and every cycle to the oracle. */
    void (*run)(struct core *c, cycle_t until);

    /* Nothing happened since the latest `run` or `goes_on` that ended for
     * `until`. If the next one would end for that as well and nothing else,
     * do it: true, and c->clock is core_next. NULL: it is not known. */
    bool (*goes_on)(struct core *c, cycle_t until);

    /* The core leaves parking or a nap at cycle `at`: all before is accounted,
     * nothing is at work. NULL: nothing to do. */
    void (*restart)(struct core *c, cycle_t at);

    /* Two models take turns with a core (core_change_mode). `leave`: another
     * one goes on; all that was executed has completed and is accounted and
     * counted up to c->clock, which may have moved on. NULL: flush does.
     * `enter`: this one goes on, at c->clock; the latest instruction that
     * completed was at `last`. `restart` follows, of a running core. NULL:
     * there is nothing else to do. Both of a core that is parked or naps,
     * too. */
    void (*leave)(struct core *c);
    void (*enter)(struct core *c, ea_t last);

    /* The address of the latest instruction that had completed at cycle `at`;
     * CYCLE_NEVER: of all. A serial model is always at `at` when asked. */
    ea_t (*completed_by)(const struct core *c, cycle_t at);

    /* The first cycle by which everything executed has completed. NULL, of a
     * serial model: c->clock. */
    cycle_t (*finished)(const struct core *c);

    /* `cycles` pass in a system call or the like, of the instruction at pc of
     * that context, behind all that was executed. The oracle is told, reason
     * `system`, and c->clock moves on. c->context may be the next one. */
    void (*charge)(struct core *c, uint32_t context, ea_t pc, cycle_t cycles);

    /* Hand what is still being gathered to the oracle and the counters.
     * Changes no result. NULL: nothing is gathered that may be handed over
     * early. */
    void (*flush)(struct core *c);
    /* The run is over: hand over the rest. NULL: flush does. */
    void (*settle)(struct core *c);
    /* Within an instruction that reads or writes a counter at
     * c->observed_cycle: add to the counters what is through, that instruction
     * not included. NULL: they are up to date. */
    void (*catch_up)(struct core *c);

    /* A counter is about to be read, or to count something else: add to the
     * totals what they lack, be it in the middle of an instruction. NULL: they
     * lack nothing, or catch_up has been called where it matters. */
    void (*tally)(struct core *c);

    /* cpu.pc was changed from outside, the core running: what was fetched is
     * dropped. NULL: nothing is fetched ahead. */
    void (*refetch)(struct core *c);
    /* Every translation may have changed. NULL: none is remembered. */
    void (*forget)(struct core *c);
    /* tlbie of ea, on any processor. NULL: none is remembered. */
    void (*tlbie)(struct core *c, ea_t ea);
    /* HID0 becomes `now`. NULL: it controls nothing here. */
    void (*hid0)(struct core *c, uint32_t now);

    /* core_stages of core.h: stages of the instruction that observers are just
     * told about. NULL: there are none. */
    void (*stages)(const struct core *c, struct core_stages *s);

    /* The state is about to be saved: what does not tell on the results may be
     * put into one form. NULL: it is in one. */
    void (*tidy)(struct core *c);

    /* Save or load what the model keeps of c, between two instructions:
     * lib/base/snap.h. False: s->why says why. NULL: a machine of this model
     * cannot be saved. */
    bool (*state)(struct snap *s, struct core *c);
};

/* The models of simrun. */
extern const struct timing timing_fast, timing_warm, timing_detailed;

/* The models there are, in the order in which a message names them; NULL from
 * their number on. Constant, not owned by the caller. */
const struct timing *timing_at(unsigned k);

/* The model of that name; NULL: there is none. */
const struct timing *timing_named(const char *name);

/* Can event e happen under model t? What follows the clock does under any. */
bool timing_counts(const struct timing *t, enum event e);

#endif
