/* replay.h - how far a graph is that is played through again: what replay.c,
 * which knows what threads do next, shares with latches.c.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_REPLAY_H
#define TOOLS_ANALYSIS_RETIME_PLAY_REPLAY_H

#include "tools/analysis/retime/graph.h"
#include "tools/analysis/retime/play/turns.h"

#define REPLAY_NEVER UINT64_MAX
#define REPLAY_TURN GRAPH_TURN

enum event_is {
    EVENT_STEP,  /* a thread goes on with its next operation */
    EVENT_READY, /* a thread is runnable */
    EVENT_TIRED, /* it has waited as long as in the recording, and more */
    EVENT_SPUN,  /* it has spun for a lock as long as threads do */
    EVENT_FREE,  /* a CPU has nothing to do */
    EVENT_ROOM,  /* its thread is preempted */
    EVENT_SLICE, /* its thread's time slice is over */
    EVENT_CALL,  /* a thread has looked at a word in vain, and calls the system
                  */
    EVENT_WAKE   /* one of those that wait for a lock is woken */
};

struct event {
    uint64_t at, serial;
    enum event_is is;
    uint32_t of; /* a thread, a CPU, a lock */
};

struct runner {
    size_t at;       /* its next operation */
    uint32_t part;   /* the thread whose recorded operations these are: its own,
                      * but for one that shares work (pools.h) */
    size_t claim;    /* where the piece of shared work begins that it has, and
                      * one more; 0: none */
    uint32_t pool;   /* ... from 1, of which it waits for a piece; 0: none */
    size_t piece;    /* ... that one, from 0 */
    unsigned looks;  /* ... and how often it has looked for it */
    unsigned tries;  /* how often it has slept for a lock that it tries */
    bool paused;     /* ... it has had to wait for this one */
    uint64_t woken;  /* ... when it is woken, if it is about to sleep for it */
    bool puts;       /* it has called the system for those that wait for one,
                      * and has yet to give the lock back */
    uint64_t cycle;  /* how far it is */
    uint64_t ready;  /* since when it is runnable */
    uint64_t waits;  /* its number among those that wait for a CPU, from 1; 0:
                      * it does not */
    uint32_t cpu;    /* the one it is on, or was on last */
    bool on, asleep; /* on a CPU; in a wait that is to be ended. Both: it looks
                      * at a word meanwhile (spins.h), */
    uint64_t calls;  /* ... and then calls the system; 0: it does not */
    bool based;    /* it has read the clock from which it reckons deadlines, */
    int64_t later; /* ... so much later than in the recording */
    bool lean;     /* what it runs in front of a call is as if there was none */
    uint64_t spared; /* cycles of a system call that it did not need */
    bool called;     /* it has needed that one since it ran last */
    bool tired;      /* it has waited for its recorded CPU long enough */
    uint32_t joins;  /* a thread, from 1, whose end it waits for; 0: none's */
    uint32_t lock;   /* that it waits for, which was free in the recording, from
                      * 1; 0: for none */
    uint64_t asked;  /* when it came to one for which it spins */
    bool waited;     /* it did, and has yet to take it */
    unsigned late_for; /* ... and so often in a row another one had it first */
    uint8_t enters;    /* it is about to wait, and has yet to fall asleep
                        * (mutex.c) */
    uint64_t meets;    /* ... when its call comes to the kernel's lock for the
                        * lock's word, */
    uint64_t late;     /* ... which another one has then, for so many cycles */
    uint32_t spins;    /* the lock, from 1, for which it spins before that; 0 */
    bool granted;      /* it was let go on with the lock: it is its own */
    bool barred;       /* it did, and is on its way to a CPU: `way` */
    struct graph_op way;
    bool yields;   /* ... which it has let others have */
    uint64_t owes; /* cycles of a system call that it did not make then */
    uint64_t step; /* the serial number of its last EVENT_STEP, and one more; 0:
                    * that does not count */
    uint64_t until; /* ... its cycle */
    uint64_t rest;  /* cycles of a GRAPH_RUN in which it was preempted */
    bool preempted; /* it leaves its CPU as soon as it comes to run */
    uint32_t wakes; /* a lock, from 1, for which it has yet to wake a thread, as
                     * it was preempted; 0: none */
    uint64_t after; /* ... so many cycles after it has a CPU again */
};

/* A lock, as it is played. */
struct latch {
    uint32_t has;    /* the thread that has it, from 1; 0: none */
    uint32_t shares; /* threads that have it so that others may, too */
    uint32_t hold;   /* ... and this hold of the scene */
    uint64_t given;  /* when it was given back last, and one more; 0: never */
    uint32_t giver;  /* ... by this thread, if mutex.c plays it */
    bool waited;     /* who has it had to wait */
    /* When a call for its word has the kernel's lock for that: from, to. */
    struct graph_word met;
    bool again; /* ... or had given it back for a condition */
};

/* How often threads that were woken came to a lock; and how often another one
 * had it by then, the third time in a row or a later one. */
struct replay_tries {
    size_t all, vain;
};

/* How a graph is played. */
struct replay_how {
    enum graph_order order;
    enum graph_locks locks; /* which are played anew */
    uint64_t seed; /* of what is held a little now and then; 0: nothing is */
    /* NULL, or by operation: set for waits that ended only since no thread went
     * on. The graph's for the one that plays it. */
    bool *circle;
    struct replay_tries *woken; /* NULL, or what comes of it */
};

struct replay {
    const struct retime *g;
    const struct retime_change *change;
    const struct spend *spend;
    bool *circle; /* replay_how's */
    struct event *heap;
    size_t events, room;
    uint64_t serial, queued;
    struct runner *runner;
    uint64_t *
        woken; /* by operation that waits: when it was woken, or REPLAY_NEVER */
    uint32_t
        *there;     /* ... and by dispatch: the thread that is, or was, there */
    bool *ended;    /* by thread: all that is recorded of it has been done */
    uint64_t *left; /* by operation: what its thread runs from there on; NULL
                     * until that is asked for */
    uint32_t joiner; /* the thread that waits until others have ended */
    struct rounds_state *rounds;     /* who has come to which round */
    struct barriers_state *barriers; /* ... of a lock and a condition */
    struct pools_state *pools;       /* who has done what of shared work */
    bool *known;  /* by operation that waits: it was on its way to wait when it
                   * was woken, so that both call the system */
    bool *told;   /* ... it has found that it need not sleep, before it did */
    bool *found;  /* ... and what it does not do then is spared already */
    bool *passed; /* by dispatch: it was, or is not needed */
    bool joins;   /* the last thread waits until others have ended */
    struct turns *turns;
    bool anew; /* who goes on is found anew, of all that wait */
    uint32_t running[GRAPH_CPUS]; /* a thread, or none */
    uint64_t free[GRAPH_CPUS];    /* since when */
    uint64_t used;                /* it had a thread, a bit each */
    uint64_t slice[GRAPH_CPUS];   /* when that is; 0: it is not known */
    uint64_t over;                /* it was, and no thread waited: a bit each */
    size_t slices;                /* events of that kind to come */
    size_t next[GRAPH_CPUS];      /* in g->order */
    struct latch *latch;          /* by lock; NULL: they are left out */
    uint64_t ran, runs;           /* of what CPU 0 ran last while threads slept
                                   * again and again: recorded, and now */
    enum graph_locks locks;       /* which are played anew */
    uint64_t held;                /* the state of what is held; 0: nothing is */
    struct replay_tries tries;
    unsigned cpus;
};

/* Plays the graph with a change: the run takes *elapsed cycles then, and false:
 * it comes to no end. */
bool replay_play(const struct retime *g, const struct retime_change *change,
                 const struct spend *s, struct replay_how how,
                 uint64_t *elapsed);
/* Something will happen to a thread, or a CPU. */
void replay_expect(struct replay *p, uint64_t at, enum event_is is,
                   uint32_t of);
/* So many cycles further on, or back; not below 0. */
static inline uint64_t replay_later(uint64_t cycle, int64_t by)
{
    return by < 0 && (uint64_t)-by > cycle ? 0 : cycle + (uint64_t)by;
}
/* Is a wait one that is played anew, so that no recorded wake-up ends it? */
static inline bool replay_plays(const struct replay *p,
                                const struct graph_op *wait)
{
    return wait->played != GRAPH_NO_LOCKS && wait->played <= p->locks;
}
/* Behind the last operation of the thread whose part a thread has. */
static inline size_t replay_end(const struct replay *p, const struct runner *r)
{
    const struct graph_thread *t = &p->g->thread[r->part];

    return t->first + t->ops;
}
/* The wait that is operation `target` is ended, if it has begun. */
void replay_wake(struct replay *p, uint32_t target, uint64_t cycle);
/* A thread does nothing up to an operation further on, but that whom it woke is
 * woken. */
void replay_pass(struct replay *p, struct runner *r, size_t op);

#endif
