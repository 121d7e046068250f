/* scene.h - what every thread and every CPU did, by time: the records of an
 * experiment put together, before anything is concluded from them.
 *
 * Threads are told by their index in `thread`. A thread's stays follow each
 * other without a gap from its first record to its end; clocks of two CPUs may
 * differ by a turn, so a stay may be empty, but none is shorter than that.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_SCENE_SCENE_H
#define TOOLS_ANALYSIS_CAUSES_SCENE_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/states/frames.h"

#define SCENE_NONE UINT32_MAX /* no thread, stay or wake-up */

/* A thread is in one state. */
struct scene_stay {
    uint64_t from, to;
    uint32_t thread;
    uint32_t state;        /* STATE_... */
    uint32_t kind, object; /* OBJECT_..., as in the record */
    uint32_t owner;        /* who had it at the beginning */
    uint32_t stack;        /* in scene.frames; 0: not known */
    uint32_t wake;         /* that ended it, if it was waiting */
    uint32_t lock;         /* of waits for locks: which, from 0; also of those
                            * in a queue, which a read-write lock has */
    uint32_t poll;         /* which it is a part of, or none */
    uint32_t masked;       /* of runnable ones: the first of those in a row with
                            * this mask, as an index of `stay` */
    bool shared;           /* of waits for a read-write lock: to read */
    unsigned cpu;          /* where it was written: where it runs */
    uint64_t since, until; /* of running: it did not leave the CPU between */
};

struct scene_wake {
    uint64_t cycle;
    size_t serial;              /* in the records: of those of one cycle */
    uint32_t thread, by, waker; /* by: WAKE_BY_... */
    uint32_t stack;
};

struct scene_thread {
    uint32_t id;
    bool sampler;
    bool daemon;         /* of a Linux kernel's own, always */
    size_t first, stays; /* in `stay` */
    size_t spot, spots;  /* in `spot` */
    uint32_t works;      /* in `poll`: it works until a word is written; else
                          * SCENE_NONE */
    uint64_t asks;       /* since this cycle it asks a word in vain, until the
                          * records end; 0: it does not */
    uint32_t asked;      /* the word's address */
};

/* An idle thread ran. */
struct scene_stint {
    unsigned cpu;
    uint64_t from, to;
    uint32_t came; /* the first thread behind it that is neither a sampler nor a
                    * daemon of Linux's; none is: the first daemon */
    uint32_t left; /* the last one in front of it, likewise */
};

/* Where a thread that runs was. A sample is of the cycles up to its own; else
 * it is what a record of it says that it came to. */
struct scene_spot {
    uint64_t cycle;
    uint32_t thread, stack;
    bool sample;
};

/* A lock that a thread waited for, or took. */
struct scene_lock {
    uint32_t kind, object; /* as in the record */
    uint32_t thread;       /* the first that did */
    uint64_t at;           /* when */
    bool readers;          /* a read-write lock: several may have it to read */
    bool spins;            /* who waits for it never sleeps */
    bool counted;          /* a semaphore that threads have, and give back */
    uint32_t slots;        /* ... so many at a time; else 0 */
    bool word;             /* the program has made it of a word; */
    bool waits;            /* ... a thread had to wait for it; */
    bool sleeps;           /* ... and called the system in the end */
};

/* A thread had a lock, with simrun --record-locks: `asked` and `given` are when
 * it entered the functions that take it and give it back, `taken` and `done`
 * when it returned from them. One that it had to the end of the recording was
 * given then. */
struct scene_hold {
    uint64_t asked, taken, given, done;
    uint32_t lock, thread;
    uint32_t
        stay; /* its first wait for the lock then; SCENE_NONE: it was free */
    uint32_t deep; /* taken once more, without having been given back */
    uint32_t
        caller;  /* where it was taken: the function's return address, or 0 */
    bool shared; /* others may have it so, too */
};

/* A thread was, from one cycle to another, in a function that signals a
 * condition, whether another one waited or not, that waits for a thread's end,
 * or counts a semaphore down; with simrun --record-locks. */
struct scene_signal {
    uint64_t from, to;
    uint32_t thread;
    uint32_t event;  /* LOCK_SIGNALLED, LOCK_JOINED or LOCK_DOWN */
    uint32_t object; /* an address of the program's, as in lock.rec */
};

/* A thread ran in a function that takes a lock while another one had it; or
 * looked again and again at a word until that one had written it. */
struct scene_spin {
    uint64_t from, to;
    uint32_t thread, owner;
    uint32_t lock, poll; /* one of them; the other is none */
};

/* A thread slept, or yielded its CPU, again and again until another one had
 * written a word, or worked until then, with simrun --record-locks. */
struct scene_poll {
    uint64_t since, ended; /* when it asked first; when the last was over */
    uint64_t written;
    uint32_t thread, writer;
    uint32_t object;      /* the word's address */
    uint32_t firsts;      /* stores of others to what it looked at, until then,
                           * which had not looked at it: they took it at once */
    uint32_t stay, stays; /* from the first of its sleeps to the last; or all
                           * that it was in from `since` to `ended` */
    uint32_t yields;      /* how often it let others run (sched_yield) */
    uint64_t called;      /* when it called the system to wait (futex), from
                           * when on it may have been woken and looked on; 0: it
                           * did not */
    bool runs;            /* it never slept, but for what `called` says */
    bool tried;           /* it then wrote the word itself: took a lock, */
    bool word;            /* ... of which `hold` tells (scene_lock.word) */
    bool works;           /* it does not wait: it works, and asks the word now
                           * and then whether to go on. If it did nothing else
                           * that others have to do with, it `runs`, too; */
    bool locks;           /* if not, it took locks meanwhile */
};

struct scene {
    struct recording *r;
    struct frames frames; /* of records, and of samples behind them */
    struct scene_thread *thread;
    size_t threads, threads_room;
    struct scene_stay *stay; /* by thread, then time */
    size_t stays, stays_room;
    uint32_t *begins;        /* stays by their beginning */
    struct scene_wake *wake; /* by thread, then time */
    size_t wakes, wakes_room;
    struct scene_stint *stint; /* by CPU, then time */
    size_t stints, stints_room;
    struct scene_spot *spot; /* by thread, then time */
    size_t spots, spots_room;
    struct scene_lock *lock;
    uint32_t locks;
    size_t locks_room;
    struct scene_hold *hold; /* by thread, then when it was taken */
    size_t holds, holds_room;
    struct scene_signal *signal; /* by thread, then when */
    size_t signals, signals_room;
    struct scene_spin *spin; /* by thread, then time */
    size_t spins, spins_room;
    struct scene_poll *poll; /* by thread, then time */
    uint32_t polls;
    size_t polls_room;
    bool stacks, samples; /* there are some: of records; of cycles */
    struct hash by_id;
};

/* Read state.rec, wake.rec, lock.rec, poll.rec, frame.rec, switch.rec and
 * profile.rec. What is wrong joins r->problems; r must stay open. */
void scene_read(struct scene *s, struct recording *r);
void scene_free(struct scene *s);

/* The thread of a number in records; SCENE_NONE: it has no stays. */
uint32_t scene_thread_of(const struct scene *s, uint32_t id);

/* The process whose lock it is; 0: the kernel's, or not known. */
uint32_t scene_process_of(const struct scene *s, uint32_t lock);

/* The first time that a thread spins up to a cycle or beyond; NULL: none. And
 * the last one that is over before. */
const struct scene_spin *scene_spin_from(const struct scene *s, uint32_t thread,
                                         uint64_t cycle);
const struct scene_spin *scene_spin_before(const struct scene *s,
                                           uint32_t thread, uint64_t cycle);

/* Cycles that all threads together wait for a CPU. */
uint64_t scene_runnable(const struct scene *s);

/* The first wait of a thread for a word that began at a cycle or later; NULL:
 * none. */
const struct scene_poll *scene_poll_from(const struct scene *s, uint32_t thread,
                                         uint64_t cycle);

/* Cycles that the thread of such a wait, or work, runs meanwhile. */
uint64_t scene_runs_until(const struct scene *s, const struct scene_poll *p);

/* The lock or word that a thread spins for. */
static inline uint32_t scene_spin_object(const struct scene *s,
                                         const struct scene_spin *spin)
{
    return spin->poll != SCENE_NONE ? s->poll[spin->poll].object
                                    : s->lock[spin->lock].object;
}

static inline uint32_t scene_spin_kind(const struct scene *s,
                                       const struct scene_spin *spin)
{
    return spin->poll != SCENE_NONE ? (uint32_t)OBJECT_USER
                                    : s->lock[spin->lock].kind;
}

/* Had its thread to leave a CPU for it? A wait may be over at once. */
static inline bool scene_hold_waited(const struct scene *s,
                                     const struct scene_hold *h)
{
    return h->stay != SCENE_NONE && s->stay[h->stay].from < s->stay[h->stay].to;
}

/* Does it run, wait for a CPU, wait for something else? */
static inline bool scene_is_running(uint32_t state)
{
    return state == STATE_USER || state == STATE_SYSTEM ||
           state == STATE_SPINNING;
}

static inline bool scene_runs(const struct scene_stay *t)
{
    return scene_is_running(t->state);
}

static inline bool scene_blocked(const struct scene_stay *t)
{
    return t->state >= STATE_LOCK && t->state < STATE_ENDED;
}

/* Does it wait for a lock, a read-write lock too? */
static inline bool scene_wants_lock(const struct scene_stay *t)
{
    return t->lock != SCENE_NONE;
}

/* May it use that CPU? Only a runnable one's record says; others may. */
static inline bool scene_allowed(const struct scene_stay *t, unsigned cpu)
{
    return t->kind != OBJECT_CPUS || (cpu < 32 && t->object >> cpu & 1);
}

#endif
