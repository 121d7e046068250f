/* observer.h - how everything that listens to a machine hears of it: one table
 * of functions, one list.
 *
 * A log, a debugger, a recorder of experiments fill in a struct observer and
 * subscribe it with machine_observe (sim/machine/machine.h). A function that is
 * NULL is not called. Where something happens the machine or a core goes
 * through the list with OBSERVERS_TELL.
 *
 * An observer reads the machine and writes its own notes. It does not change
 * what is simulated: with it and without it every cycle and every byte of the
 * guest are the same. What may change the guest's time or its marks is said at
 * the function, and belongs to a knob or an option.
 *
 * Order: the observer that was subscribed last is called first. Two functions
 * of the table are called in the order in which what they tell happened.
 * A function may drop its own observer, and no other.
 */
#ifndef SIM_OBSERVE_OBSERVER_H
#define SIM_OBSERVE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/step.h"
#include "pmu/event/signal.h"

struct core;
struct core_sample;
struct disk_done;
struct image;
struct insn;
struct insn_info;
struct pif_report;
struct thread_note;
struct trace_record;

struct observer {
    void *arg;             /* handed to every function */
    struct observer *next; /* the list's; not the observer's business */

    /* ---- one instruction; `at`, `done`: cycles of dispatch, completion --- */

    /* The instruction i at cpu.pc of c is next, and nothing of it is done yet.
     * True: the processor stops in front of it; observers behind this one are
     * not asked, and all are asked again when the machine goes on. */
    bool (*before)(void *arg, struct core *c, const struct insn *i, cycle_t at);
    /* The instruction that was at pc ran, or raised an exception that was
     * entered. True: the processor stops behind it. May call core_spend. */
    bool (*after)(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done);

    /* ---- interrupts and exceptions --------------------------------------- */

    /* An interrupt that was signalled at one cycle is taken at another: cpu.pc
     * is its vector, SRR0 where it came. Not where a supervisor plays the
     * operating system. */
    void (*interrupt)(void *arg, struct core *c, enum exc e, cycle_t signalled,
                      cycle_t taken);
    /* Any exception, of the instruction at pc or in front of it, was entered
     * at cycle `at`: cpu.pc is its vector. Or a supervisor is about to take
     * it: cpu.pc is pc. */
    void (*entered)(void *arg, struct core *c, enum exc e, ea_t pc, cycle_t at);

    /* The instruction at cpu.pc has written SPRG3, at c->observed_cycle. What
     * it and those behind it cost is charged to the context that the function
     * leaves; those in front of it are accounted. Only where core_watch_sprg3
     * asked for it. */
    void (*sprg3)(void *arg, struct core *c);
    /* The instruction at cpu.pc is about to run, at c->observed_cycle. Only
     * those that core_watch asked for. */
    void (*watched)(void *arg, struct core *c);
    /* The instruction at cpu.pc has set MSR[PR], at c->observed_cycle: behind
     * it a program goes on. */
    void (*to_user)(void *arg, struct core *c);

    /* ---- what counters, samplers and marks found ------------------------- */

    /* A counter of the host (simrun -e) overflowed. The core stands where an
     * interrupt would have been taken. */
    void (*sample)(void *arg, struct core *c, const struct core_sample *s);
    /* An instruction that core_sample_insns chose is through; `passed` were
     * dispatched since the one before it, itself included. */
    void (*sampled)(void *arg, struct core *c, const struct insn_info *d,
                    uint32_t passed);
    /* A mark of either unit made an interrupt or ended a traced run. */
    void (*marked)(void *arg, struct core *c, const struct pif_report *r);
    /* An interval of core_intervals ended at cycle `end`: the oracle of c has
     * it to the last twelfth of a cycle, and may be drained. */
    void (*interval)(void *arg, struct core *c, cycle_t end);

    /* ---- the guest and its devices --------------------------------------- */

    /* The guest wrote a record to the trace port. The record is gone after the
     * call. Only where the port is plugged in (machine_setup.trace_port). */
    void (*record)(void *arg, const struct trace_record *r);
    /* The guest is about to receive a byte of console input at cycle `at`. */
    void (*input)(void *arg, cycle_t at, uint8_t byte);
    /* A request to the disk is done; what came of it is gone after the call. */
    void (*disk)(void *arg, const struct disk_done *d);
    /* The guest is told at cycle `at` that no byte will come any more. */
    void (*input_over)(void *arg, cycle_t at);
    /* The supervisor takes the thread from c and has no other: registers and
     * context are still the thread's. */
    void (*rest)(void *arg, struct core *c);

    /* A thread of the supervisor's goes into another state, or is woken
     * (sim/machine/machine.h). */
    void (*thread)(void *arg, struct core *c, const struct thread_note *n);

    /* ---- a Linux program ------------------------------------------------- */

    /* At cycle `at` the program was told about its stdin, stdout or stderr: a
     * letter for the question (JOURNAL_... of sim/user/process.h), the answer,
     * and `size` bytes that came with it, which are gone after the call. In a
     * replay, too. */
    void (*stdio)(void *arg, cycle_t at, char kind, int64_t value,
                  const void *bytes, size_t size);
    /* From cycle `at` on this shared object is in memory; i is gone after the
     * call. `fresh`: nothing of its file was there before. The dynamic loader
     * is told when user_tell_mapped is called. */
    void (*mapped)(void *arg, cycle_t at, const struct image *i, bool fresh);

    /* ---- the machine ----------------------------------------------------- */

    /* Every processor has reached cycle `at`, a beat; input is not delivered
     * yet. Between two instructions of all processors: here alone the host's
     * marks may change. */
    void (*beat)(void *arg, cycle_t at);
    /* The same beat, behind its input: what is recorded up to `at` is whole. */
    void (*settled)(void *arg, cycle_t at);
    /* A stretch in detail (sim/machine/modes.h) is over, and `insns`
     * instructions of all processors were measured, from one cycle to before
     * another. */
    void (*measured)(void *arg, cycle_t from, cycle_t to, uint64_t insns);
    /* The machine stands still for a debugger, cycle `at` being the last that
     * it came to. */
    void (*halted)(void *arg, cycle_t at);
    /* A debugger changed a register or memory: a whole line of the log. */
    void (*debugged)(void *arg, const char *line);
    /* The run ended at cycle `at`, and every oracle is settled there. */
    void (*end)(void *arg, cycle_t at);
};

/* Those who listen. All zero: none. */
struct observers {
    struct observer *first;
    bool steps; /* one of them has `before` or `after`: no instruction of a
                 * stretch may be run without asking */
};

/* Put o, which stays the caller's, in front; one that is there already comes to
 * the front. */
void observers_add(struct observers *s, struct observer *o);
/* Take o away. Harmless where it is not. */
void observers_drop(struct observers *s, struct observer *o);

/* Call a function of all observers in s that have it. The place where
 * something happens has one of these, and costs one load where none
 * listens. */
#define OBSERVERS_TELL(s, function, ...)                                       \
    do {                                                                       \
        for (const struct observer *told_ = (s)->first; told_;                 \
             told_ = told_->next)                                              \
            if (told_->function)                                               \
                told_->function(told_->arg, __VA_ARGS__);                      \
    } while (0)

#endif
