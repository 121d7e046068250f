/* flag_record.h - threads that work until another one sets a flag: `while
 * (!stop) work();`. As poll.rec with `worked`. A part of simrun --record-locks.
 *
 * A thread asks a flag if it loads a word, but not from its stack, to which it
 * does not store itself, and then a conditional branch goes the same way each
 * time. It did so until another thread set the flag, if that branch goes the
 * other way at last, behind a store of another thread to the word, and the
 * thread does not come to that load again before it ends. Of several such loads
 * of a thread the one that went on for most cycles is recorded, as the thread
 * ends. Looks at every instruction and changes no simulated result.
 */
#ifndef SIM_OBSERVE_LOCKS_FLAG_RECORD_H
#define SIM_OBSERVE_LOCKS_FLAG_RECORD_H

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/observe/locks/lock_record.h"

#define FLAG_PENDING 4         /* loads in front of one branch, at most */
#define FLAG_ASKED 4           /* times; less often is no series */
#define FLAG_FILTER (1u << 14) /* a power of two */

/* A load instruction of a thread. */
struct flag_load {
    ea_t pc, stack;
    pa_t pa; /* of the word, a multiple of 4 */
    ea_t ea;
    uint32_t asked;       /* times in a row that the branch went one way */
    bool taken;           /* ... which one */
    bool set;             /* and then the other one, */
    uint32_t writer;      /* ... as this thread */
    cycle_t written;      /* ... had stored to the word then */
    cycle_t since, ended; /* the first of those times, and the last */
    uint64_t store;       /* of the word, the last one that it knows of */
};

struct flag_thread {
    struct flag_load *load; /* owned */
    size_t loads, room;
    struct hash at;                 /* by the instruction's address, from 1 */
    uint32_t pending[FLAG_PENDING]; /* loads since the last branch */
    unsigned pendings;
    bool reserves; /* the instruction that it runs is lwarx, */
    bool tests;    /* or a branch by CR */
};

/* All zero: nothing is recorded. */
struct flag_record {
    struct experiment *experiment;       /* not owned */
    const struct lock_record *functions; /* not owned */
    struct observer observer;
    struct flag_thread *thread; /* owned */
    size_t threads, threads_room;
    struct hash of; /* by context: its thread, from 1 */
    struct flag_on {
        uint32_t context, thread; /* of the instruction that a CPU runs */
    } on[MACHINE_CPUS];
    struct flag_word {
        uint32_t writer;
        cycle_t written;
        uint64_t store; /* its number among all */
    } * word;           /* owned; of words that threads have asked */
    size_t words, words_room;
    struct hash word_at; /* by physical address: `word`, from 1 */
    uint64_t stores;
    uint64_t seen[FLAG_FILTER / 64]; /* a bit a word, folded: it is one */
};

/* Record of m, which has not run yet, into e; what is in the functions of
 * lock_record.h, which stay the caller's, asks no flags. flag_record_close is
 * due afterwards. */
void flag_record_open(struct flag_record *f, struct machine *m,
                      struct experiment *e,
                      const struct lock_record *functions);
void flag_record_close(struct flag_record *f);

#endif
