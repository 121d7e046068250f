/* word_locks.h - locks that a program has made of a word: who takes one stores
 * to it by stwcx., and stores later what it was before. Who had them, as
 * lock.rec. A part of simrun --record-locks.
 *
 * A word is taken to be one from when a thread first stores to it by stwcx. If
 * then a thread stores to it that does not have the lock, but to say by stwcx.
 * that it waits, or its owner another value than it was, it is none, and no
 * more is recorded of it. What remains may still be something else: a lock is
 * one at which a thread has had to wait.
 */
#ifndef SIM_OBSERVE_LOCKS_WORD_LOCKS_H
#define SIM_OBSERVE_LOCKS_WORD_LOCKS_H

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"
#include "sim/core/core.h"

struct word_lock {
    uint32_t ea;    /* as its first owner has it */
    uint32_t owner; /* a context, if it has one */
    uint32_t open;  /* the word's value while no thread has it */
    bool had, none; /* it has an owner; it is no lock */
    /* Those that have stored that they wait: */
    struct word_waiter {
        uint32_t context;
        cycle_t since; /* when it began to try; 0: it does not wait */
    } * waiter;        /* owned */
    size_t waiters, room;
};

/* All zero: none is known. */
struct word_locks {
    struct hash at;         /* by physical address: `lock`, from 1 */
    struct word_lock *lock; /* owned */
    size_t locks, room;
};

/* What a thread stores to a word. */
struct word_store {
    pa_t pa; /* a multiple of 4 */
    ea_t ea;
    ea_t pc;
    cycle_t at;
    cycle_t since;    /* when it began to try in a loop, or `at` */
    bool conditional; /* by stwcx. */
    uint32_t old;     /* ... the word's value before */
};

/* A thread of c has stored to a word. True: it is one of these. */
bool word_locks_store(struct word_locks *l, struct experiment *e,
                      const struct core *c, const struct word_store *s);
void word_locks_free(struct word_locks *l);

#endif
