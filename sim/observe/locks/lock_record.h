/* lock_record.h - every lock that is taken or given back (simrun
 * --record-locks), contended or not, as lock.rec.
 *
 * A lock is taken when a function that takes one returns, and given back when
 * one that does that was entered (sim/machine/lockers.def); what stands in the
 * record is both, entry and return. A thread that tries in vain, and once more
 * at once, has asked for it since the first try. Looks at every instruction and
 * changes no simulated result.
 *
 * Locks of the guest's kernel are those that it takes in supervisor state; of
 * programs, under --user and in the guest, those that the functions of POSIX
 * take. Other locks, made of atomics by the program itself, are not known.
 *
 * Of programs it also records when a condition is signalled, whether a thread
 * waits or not, and when a thread has waited for the end of another one, which
 * may have ended before.
 */
#ifndef SIM_OBSERVE_LOCKS_LOCK_RECORD_H
#define SIM_OBSERVE_LOCKS_LOCK_RECORD_H

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"

#define LOCK_RECORD_POINTS (1u << 14) /* a power of two */

struct lock_function {
    ea_t from;
    unsigned row; /* of sim/machine/lockers.def */
    uint32_t
        owner; /* whose code it is: 0 that of the image, else a program's */
};

/* A function is entered, and has not returned yet. */
struct lock_call {
    uint32_t context, back, stack, object;
    bool user;
    unsigned row;
    ea_t from;
    cycle_t since;
};

/* A thread has tried to take a lock in vain, and does so again: since when;
 * when the last try was over. */
struct lock_tried {
    uint32_t context, object;
    bool user;
    cycle_t since, last;
};

/* All zero: nothing is recorded. */
struct lock_record {
    struct machine *machine;       /* not owned */
    struct experiment *experiment; /* not owned */
    struct observer observer;
    struct lock_function *function; /* owned */
    size_t functions, functions_room;
    struct lock_call *call; /* owned; by thread, the latest is the last */
    size_t calls, calls_room;
    struct lock_tried *tried; /* owned; in no order */
    size_t tries, tries_room;
    struct hash process, program; /* of a thread; of a process, from 1 */
    /* A bit an address, folded: where a call may begin or end. */
    uint64_t point[LOCK_RECORD_POINTS / 64];
};

/* Record the locks of m, which has not run yet, into e. False: `why` has the
 * line, none are known. lock_record_close is due in any case. */
bool lock_record_open(struct lock_record *l, struct machine *m,
                      struct experiment *e, char *why, size_t size);
void lock_record_close(struct lock_record *l);

/* Is a thread in one of the functions that take locks or give them back? */
bool lock_record_calls(const struct lock_record *l, uint32_t thread);

/* More code: of a shared object under --user (owner 0), or of a guest's program
 * with that number, from 1. */
void lock_record_image(struct lock_record *l, const struct image *i,
                       uint32_t owner);
/* In the guest a thread is of a process; and that has the program. */
void lock_record_thread(struct lock_record *l, uint32_t thread,
                        uint32_t process);
void lock_record_program(struct lock_record *l, uint32_t process,
                         uint32_t program);

#endif
