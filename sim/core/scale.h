/* scale.h - functions whose time is scaled (simrun --what-if func:F=xK), and
 * the time that a lock is held (hold:L=xK).
 *
 * While an instruction of F is next, its processor's time advances K cycles
 * for each one that it otherwise would; with its callees also theirs, in the
 * same state (user or supervisor), from F's entry to its return. Both ways,
 * sleeps that are asked for between the two last K times as long: of the
 * guest's, by the argument of the function that it sleeps with, of --user's by
 * who plays the kernel. Which thread it is the context says.
 *
 * A lock is held from the return of a function that takes it to the entry of
 * one that gives it back, by that context: what runs then in the state in which
 * it was taken, and sleeps that are asked for, are scaled as with a function's
 * callees.
 *
 * One struct for all processors, since a thread moves; a model that looks at
 * instructions one by one asks it of each (fast.c).
 */
#ifndef SIM_CORE_SCALE_H
#define SIM_CORE_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"
#include "sim/config/what_if.h"

#define SCALE_CALLS 256u
#define SCALE_INSNS 64u /* take a cycle at least */

struct scale_function {
    ea_t from[2], end[2]; /* the second part may be empty */
    bool callees;
    struct what_if_factor k;
};

/* A function that takes or gives back a lock. */
struct scale_locker {
    ea_t from;
    unsigned gpr; /* has the lock's address */
    bool gives;   /* at its entry */
    bool takes;   /* at its return */
    bool says;    /* ... if it returns 0 */
};

struct scale_lock {
    ea_t address;
    struct what_if_factor k;
};

#define SCALE_LOCKERS 24u

enum scale_is {
    SCALE_ENTERED, /* a function */
    SCALE_TAKES,   /* a lock: in a function that does */
    SCALE_HOLDS
};

/* An entered function: where, with which stack and in which state it returns;
 * or a lock that is held. */
struct scale_call {
    enum scale_is is;
    uint32_t context, back, stack;
    bool user, says;
    unsigned number; /* in function, or in lock */
};

struct scale {
    struct scale_function function[WHAT_IF_SPECS];
    unsigned functions;
    struct scale_lock lock[2 * WHAT_IF_SPECS]; /* a name may mean two */
    unsigned locks;
    struct scale_locker locker[SCALE_LOCKERS];
    unsigned lockers;
    /* The guest's functions that sleep, 1: none. Their arguments: so many
     * cycles; up to a tick of the time base (64 bits, all ones: for ever). */
    ea_t sleeps, sleeps_until;
    /* The guest's function that gives a thread (r3) a mask (r4), which is made
     * one of all processors; 1: not asked for. */
    ea_t masks;
    unsigned active;
    struct scale_call call[SCALE_CALLS]; /* the latest is the last */
    uint64_t lost;                       /* entries that found no room */
};

/* Of one processor. */
struct scale_rest {
    uint32_t millionths; /* of a cycle, not spent yet */
    uint32_t still;      /* instructions since one took a cycle */
};

struct cpu;

/* Does any instruction of the page of pc, or of that context, matter? */
bool scale_looks(const struct scale *s, uint32_t context, ea_t pc);

/* The instruction at cpu.pc is about to run, at that tick of the time base. The
 * factor of its cycles. May change the argument of the guest's sleep. */
struct what_if_factor scale_step(struct scale *s, uint32_t context,
                                 struct cpu *cpu, uint64_t tick);

/* What `cycles` come to by k. */
uint64_t scale_cost(struct scale_rest *r, struct what_if_factor k,
                    uint64_t cycles);

/* The factor of what that context asks for now: of the function entered last.
 */
struct what_if_factor scale_asked(const struct scale *s, uint32_t context);

#endif
