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
 * one that gives it back, by that context, as often as it was taken: what runs
 * then in the state in which it was taken, and sleeps that are asked for, are
 * scaled as with a function's callees.
 *
 * One struct for all processors, since a thread moves. Only at a few addresses,
 * its points, does anything begin or end; from one to the next the factor is
 * that of the class of the address, so that a model may run whole stretches.
 */
#ifndef SIM_CORE_SCALE_H
#define SIM_CORE_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"
#include "pmu/pif/host_marks.h"
#include "sim/config/what_if.h"

#define SCALE_CALLS 256u
#define SCALE_POINTS (1u << 16) /* a power of two */
#define SCALE_INSNS 64u         /* take a cycle at least */

/* Of a program inside a Linux kernel the addresses are those that it was linked
 * to: where it is in the address space of the moment says the processor's view
 * (struct core). */
struct scale_function {
    uint16_t program;     /* from 1, as the view has it; 0: of the image */
    ea_t from[2], end[2]; /* the second part may be empty */
    bool callees;
    bool called; /* it was */
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
    unsigned asked; /* of what_if.lock: a name may mean two */
    bool taken;     /* it was */
    struct what_if_factor k;
};

#define SCALE_LOCKERS 48u

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
    bool asked;      /* the system sets its context's registers anew */
    unsigned number; /* in function, or in lock */
};

struct scale {
    struct scale_function function[WHAT_IF_SPECS];
    unsigned functions;
    bool inside; /* there are some of programs inside */
    struct scale_lock lock[2 * WHAT_IF_SPECS];
    unsigned locks;
    struct scale_locker locker[SCALE_LOCKERS];
    unsigned lockers;
    /* The guest's functions that sleep, 1: none. Their arguments: so many
     * cycles; up to a tick of the time base (64 bits, all ones: for ever). */
    ea_t sleeps, sleeps_until;
    /* The guest's function that gives a thread (r3) a mask (r4), which is made
     * one of all processors; 1: not asked for. */
    ea_t masks;
    bool masked; /* it was called */
    unsigned active;
    struct scale_call call[SCALE_CALLS]; /* the latest is the last */
    unsigned asked;                      /* calls with `asked`, at most */
    uint64_t lost;                       /* entries that found no room */
    /* A bit an address, folded: where scale_step may have something to do. */
    uint64_t point[SCALE_POINTS / 64];
    unsigned points; /* so many were added */
};

/* Of one processor. */
struct scale_rest {
    uint32_t millionths; /* of a cycle, not spent yet */
    uint32_t still;      /* instructions since one took a cycle */
};

struct core;
struct cpu;
struct insn;

/* All that is asked for is entered: its points are known. */
void scale_begin(struct scale *s);

/* Programs inside are where v has them: their points are known, too. */
void scale_mapped(struct scale *s, const struct host_view *v);

/* Must scale_step see the instruction at pc? Those that it need not see may be
 * among the answers; more of them as functions are entered, which `points`
 * tells. */
static inline bool scale_is_point(const struct scale *s, ea_t pc)
{
    unsigned n = (pc >> 2 ^ pc >> 18) & (SCALE_POINTS - 1);

    return s->point[n / 64] >> n % 64 & 1;
}

/* The program inside that *pc is in, from 1, which becomes the address that it
 * was linked to; 0: in none. */
static inline uint16_t scale_program(const struct scale *s,
                                     const struct host_view *v, ea_t *pc)
{
    for (size_t n = 0; s->inside && n < v->count; n++)
        if (*pc - v->stretch[n].start < v->stretch[n].size) {
            *pc -= v->stretch[n].up;
            return v->stretch[n].program;
        }
    return 0;
}

/* The function that pc is in, from 1; 0: none of those that are scaled. */
static inline unsigned scale_class(const struct scale *s,
                                   const struct host_view *v, ea_t pc)
{
    uint16_t program = scale_program(s, v, &pc);

    for (unsigned n = 0; n < s->functions; n++) {
        const struct scale_function *f = &s->function[n];

        if (f->program != program)
            continue;
        if ((pc >= f->from[0] && pc < f->end[0]) ||
            (pc >= f->from[1] && pc < f->end[1]))
            return n + 1;
    }
    return 0;
}

/* The factor of the instruction at cpu.pc: its own function's, else that of the
 * function entered last that takes its callees along, or of the lock taken
 * last. The same for all of a class up to the next point, in one state and
 * context. */
struct what_if_factor scale_factor(const struct scale *s,
                                   const struct host_view *v, uint32_t context,
                                   const struct cpu *cpu);

/* Does any instruction of the page of pc, or of that context, matter? */
bool scale_looks(const struct scale *s, const struct host_view *v,
                 uint32_t context, ea_t pc);

/* The instruction at cpu.pc is about to run, at that tick of the time base. The
 * factor of its cycles. May change the argument of the guest's sleep. */
struct what_if_factor scale_step(struct scale *s, const struct host_view *v,
                                 uint32_t context, struct cpu *cpu,
                                 uint64_t tick);

/* i, which is INSN_STACK, has completed on c, a program's. What is left of the
 * functions of that context: a thread that set the stack pointer of a frame
 * that called one, as longjmp does and exceptions do, has left it; and of the
 * functions that take locks, which have none then. On another stack it is left
 * alone: a coroutine that is suspended goes on. */
void scale_stack_set(struct scale *s, const struct core *c,
                     const struct insn *i);

/* The same of a stack pointer that the system sets, for setcontext: a program's
 * sc has completed on c, and nothing else has happened; with s->asked, an
 * instruction is next on c. */
void scale_system_call(struct scale *s, const struct core *c);
void scale_arrive(struct scale *s, const struct core *c);

/* What `cycles` come to by k, which is set. */
static inline uint64_t scale_cost(struct scale_rest *r, struct what_if_factor k,
                                  uint64_t cycles)
{
    uint64_t all = r->millionths + cycles * k.millionths;

    if (all < WHAT_IF_UNIT) {
        r->millionths = (uint32_t)all;
        if (++r->still < SCALE_INSNS)
            return 0;
        r->still = 0;
        return 1;
    }
    r->still = 0;
    if (all < 2 * WHAT_IF_UNIT) {
        r->millionths = (uint32_t)all - WHAT_IF_UNIT;
        return 1;
    }
    r->millionths = (uint32_t)(all % WHAT_IF_UNIT);
    return all / WHAT_IF_UNIT;
}

/* So many instructions of `each` cycles come to less than `cycles` by k, which
 * is set: as many as there are, or some of them. */
uint64_t scale_fit(const struct scale_rest *r, struct what_if_factor k,
                   uint64_t each, uint64_t cycles);

/* The factor of what that context asks for now: of the function entered last.
 */
struct what_if_factor scale_asked(const struct scale *s, uint32_t context);

#endif
