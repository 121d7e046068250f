/* graph.h - a recording as what each thread did, one thing after the other,
 * with what is needed to play it through again (replay.c).
 */
#ifndef TOOLS_ANALYSIS_RETIME_GRAPH_H
#define TOOLS_ANALYSIS_RETIME_GRAPH_H

#include "lib/base/hash.h"
#include "tools/analysis/causes/owners.h"
#include "tools/analysis/retime/retime.h"

#define GRAPH_NONE UINT32_MAX
#define GRAPH_CPUS 64
#define GRAPH_HELD 4  /* plays, of which the mean is taken */
#define GRAPH_TURN 64 /* cycles by which clocks of two CPUs may differ */

enum graph_is {
    GRAPH_RUN,      /* from `from` to `to` */
    GRAPH_WAKE,     /* the thread of op `target`, a GRAPH_WAIT or _BIRTH */
    GRAPH_WAIT,     /* it leaves its CPU until it is woken, or for a time */
    GRAPH_BIRTH,    /* it is not there until its creator made it */
    GRAPH_YIELD,    /* it makes room, and is runnable */
    GRAPH_ASK,      /* it asks for a lock that it then waited for, or called the
                       system for */
    GRAPH_TAKE,     /* it has taken a lock, free by then; with lock.rec */
    GRAPH_GIVE,     /* it gives one back */
    GRAPH_DISPATCH, /* behind each of those three: the way to a CPU */
    GRAPH_END,
    GRAPH_JOIN /* it does not go on before another thread has ended */
};

/* What a lock is: a program's, which one thread has at a time or several may
 * have; the kernel's; one that a program has made of a word. */
enum graph_lock {
    GRAPH_LOCK_MUTEX,
    GRAPH_LOCK_SHARED,
    GRAPH_LOCK_KERNEL,
    GRAPH_LOCK_WORD,
    GRAPH_LOCKS
};

/* What a system call for a word of a program's does: one that waits, one that
 * wakes none, one that wakes a thread. */
enum graph_words {
    GRAPH_WORD_WAITS,
    GRAPH_WORD_FINDS,
    GRAPH_WORD_WAKES,
    GRAPH_WORDS
};

/* Which locks are played anew, so that who comes to one first has it. */
enum graph_locks {
    GRAPH_NO_LOCKS,
    GRAPH_PROGRAMS_LOCKS, /* mutex.h; waits for the kernel's as recorded, but
                           * for what latches.h says */
    GRAPH_ALL_LOCKS       /* mutex.h */
};

struct graph_op {
    enum graph_is is;
    uint32_t thread;
    uint32_t target; /* of a wake-up; of a wait the same backwards; of a lock
                      * given back the wait that a wake-up then ended */
    uint32_t hold;   /* of the scene, for TAKE and GIVE; of a wait for a lock
                      * that of who ended it */
    uint32_t stay;   /* of the scene, for RUN and WAIT */
    uint64_t from;   /* recorded; of a dispatch since when it was runnable */
    uint64_t to;     /* recorded; of a dispatch when it ran */
    int64_t lag;     /* of a wait: from its wake-up to being runnable; of a
                      * dispatch: what the way took. Clocks of CPUs differ by
                      * a turn, so it may be below 0 */
    uint32_t cpu;    /* of a dispatch */
    uint32_t joins;  /* of a join: that thread, of the scene */
    enum graph_locks played; /* of a wait: it is played anew, from these on */
    uint32_t poll;  /* of a wait: sleeps until its waker writes a word, of the
                     * scene; without a waker until a lock is free; else none */
    uint32_t tries; /* of TAKE: such sleeps until it was free, an operation; of
                     * these that one; else none */
    bool again;     /* of TAKE and ASK: at the end of a wait for a condition */
    bool counts;    /* of a wait: for a semaphore that counts */
    bool sliced;    /* of a yield: its thread's time slice was over */
    bool queued;    /* of a dispatch: its CPU was another's at first; of a
                     * yield: for one that waited */
    bool needed;    /* of a wake-up: who it woke had been waiting by then */
    uint64_t left;  /* of a dispatch: when its CPU was left, and one more; 0: it
                     * had not had a thread */
    bool near;      /* ... and it waited for it, or, under --user, for the
                     * system call by which it was left */
    bool stays;     /* ... and it waited although another CPU was free */
    uint64_t allowed; /* ... CPUs that it may use, a bit each */
    uint64_t call; /* of a wait, and of a wake-up that ended one: the system's
                    * cycles that are not spent where it need not be */
    uint64_t preempted; /* of a yield to a thread that preempts it: cycles since
                         * that was runnable; else 0 */
};

struct graph_thread {
    size_t first, ops; /* in `op` */
    uint64_t base;     /* a cycle before its first sleep up to a deadline, from
                        * which it reckons them; UINT64_MAX: it has none */
};

/* Of a thread and function, in an interval of the account. */
struct graph_cost {
    uint32_t thread, function;
    uint64_t slot;
    uint64_t twelfths;
};

struct retime {
    const struct scene *scene;
    struct owners owners;
    struct graph_op *op;
    size_t ops, room;
    struct graph_thread *thread;  /* by the scene's */
    uint32_t *order;              /* dispatches by CPU, then time */
    size_t first[GRAPH_CPUS + 1]; /* of each CPU, in `order` */
    uint64_t finds; /* how long a system call takes that finds it need not
                     * wait; 0 under --user */
    /* Where it looks, from its begin: until when a thread that is about to call
     * the system to wake it is in time; one that gives back a lock. 0: it is
     * not known. */
    uint64_t looks, reads;
    /* A call for a word of a program's takes the same lock of the kernel's as
     * all for that word: where it has it, and gives it back, from its begin;
     * `to` 0: it is not known. */
    struct graph_word {
        uint64_t from, to;
    } word[GRAPH_WORDS];
    uint64_t needless; /* such a call that wakes none; 0: it is not known */
    uint64_t call;     /* what --user charges for a system call; 0: not known */
    uint64_t slice; /* how long a thread has a CPU that another one waits for;
                     * 0: that is not known */
    uint64_t late;  /* ... and from its end to leaving the CPU */
    uint64_t exits; /* graph_exits */
    uint64_t trap;  /* ... for an interrupt */
    int64_t typical[2]; /* the way to a free CPU; to one just left */
    /* By two threads (graph_pair): how often the first one, when it
     * became runnable, had the CPU of the second one at once; how often it had
     * to wait for it after that; its last operation in which it had to before
     * that, and one more. */
    struct hash preempts, keeps, before;
    uint64_t preempted; /* cycles from being runnable to having that CPU, in the
                         * middle */
    /* By two threads that waited for the same lock of a program: how often
     * the first one was woken although the second one had waited longer; and
     * how often the second one was woken while the first one waited. */
    struct hash favoured, passed;
    struct graph_cost *cost; /* by thread, slot */
    size_t costs, costs_room;
    uint32_t *function; /* by frame: the load map's */
    uint32_t *entered;  /* ... who was called there, if another one (tails.h) */
    /* With lock.rec, else NULL: */
    uint32_t *take; /* by hold: its GRAPH_TAKE, or none */
    /* What it costs to wait for a lock, and to let who waits go on: of the
     * kernel's, of programs'. */
    struct graph_meet {
        uint64_t wait, wake;
    } meet[2];
    /* Of a program's: in the middle, cycles of a processor. */
    struct graph_mutex {
        uint64_t take, give; /* in the functions, with no other thread there */
        uint64_t enter;      /* from there to being asleep */
        uint64_t most;     /* ... of the kernel's, if its thread has spun before
                            * that until it gave up; 0: it is not known */
        uint64_t leave[2]; /* from being on a CPU again to having it; `again` */
        uint64_t wake;     /* from giving it back to the wake-up */
        uint64_t call;     /* what the wake-up takes who gives it back */
        uint64_t idle;     /* ... if no thread sleeps for it */
        uint64_t beside;   /* of that, what is the program's */
        uint64_t found; /* from asking to having it, where the system finds that
                         * it has been given back */
        uint64_t more;  /* ... and behind a wait for a condition */
        uint64_t looks; /* ... and to where the system looks whether it has */
        uint64_t tries; /* ... and before, to where it tries again; 0: it does
                         * not */
        uint64_t begins; /* from giving it back to the system call */
        bool recalls;    /* behind a wait for a condition that is called, though
                          * no thread waits; under --user alone */
        uint64_t spun;   /* from being given back to a spinning thread's */
        uint64_t over;   /* ... to that of one that sleeps, to which it goes */
        uint64_t caught; /* ... to that of one that spins before it sleeps */
    } mutex[GRAPH_LOCKS]; /* by what a lock is: graph_lock_is */
    bool *again;          /* by hold: its thread had given the lock back when it
                           * asked for it: at the end of a wait for a condition */
    bool *shared;         /* by lock: it is of the latter */
    bool *handed;   /* ... who waits longest has it when it is given back */
    bool *spins;    /* ... who waits for it does not leave the CPU, */
    bool *yields;   /* ... but lets others have it */
    uint64_t yield; /* ... every so many cycles */
    uint32_t *word_lock; /* ... the kernel's lock of its word; or none */
    uint64_t *spinning;  /* ... who waits for it spins so many cycles before it
                          * calls the system; 0: no more than for others */
    uint64_t *caught;    /* by hold: when the lock was given back for which its
                          * thread spun so, and had it; or 0 */
    bool *called;        /* by hold: its thread called the system as another one
                          * had the lock, and did not have to wait */
    uint64_t *spun;      /* by hold: when the lock was given back for which its
                          * thread spun, or 0 */
    uint32_t last;       /* the thread that ends the run */
    uint64_t last_at;    /* when it did the last that is recorded */
    uint64_t
        *end; /* of sleeps until a word is written, in order; with `trap` */
    size_t ends;
    uint64_t *calls; /* by poll: for how long a thread looks at the word before
                      * the system call by which it leaves its CPU; 0: it does
                      * not call */
    /* Of locks that threads try to take, and sleep meanwhile (play/tries.h): */
    uint32_t *tries; /* by lock: the poll with most of these sleeps; none where
                      * it is not only tried; NULL: no lock is */
    uint64_t awake;  /* from a sleep's end to taking the lock, in the middle; */
    uint64_t asleep; /* and from finding it another's to the next sleep */
    uint64_t circled; /* cycles of waits for words that would be in a circle, as
                       * clocks of CPUs differ: they take as long as they did */
    uint64_t played;  /* the run with GRAPH_PROGRAMS_LOCKS and nothing changed,
                       * where a system call takes operations; 0: it comes to no
                       * end, or there are none */
    uint64_t held[GRAPH_HELD]; /* ... and where what is run is held a little
                                * (play/means.c); 0: as before */
    uint64_t
        unchanged; /* the run with GRAPH_ALL_LOCKS and nothing changed; 0: it
                    * comes to no end, or there are none of the kernel's */
    size_t woken, vain; /* in `played`: threads that are woken for a lock; and
                         * those of which another one has it first, three times
                         * in a row or more */
    bool convoy;        /* threads hand something on most of the time */
    bool meets_all;     /* there are barriers: rounds.h, barriers.h */
    uint32_t join;  /* its last wait that another thread's end ended, or none */
    uint32_t close; /* its operation in front of which all others have ended,
                     * and behind the last for or with another one; or none */
    struct rounds *rounds;     /* of barriers (rounds.h); NULL: none */
    struct barriers *barriers; /* of a lock and a condition (barriers.h) */
    struct pools *pools; /* work that threads share (pools.h); NULL: none */
};

/* The stays and wake-ups as operations; `until` as in retime_open. */
void graph_build(struct retime *g, uint64_t until);

/* Is it one that a program has made of a word, and no thread sleeps for? One
 * for which threads sleep is like a mutex. */
static inline bool graph_is_word(const struct retime *g, uint32_t lock)
{
    return g->scene->lock[lock].word && !g->scene->lock[lock].sleeps;
}

static inline enum graph_lock graph_lock_is(const struct retime *g,
                                            uint32_t lock)
{
    return g->scene->lock[lock].kind != OBJECT_USER ? GRAPH_LOCK_KERNEL
           : graph_is_word(g, lock)                 ? GRAPH_LOCK_WORD
           : g->shared[lock]                        ? GRAPH_LOCK_SHARED
                                                    : GRAPH_LOCK_MUTEX;
}

/* So many cycles in front of a system call that wakes, a program writes the
 * word that the waiting one's looks at. APPROX: for all programs. Source: the
 * guest, where waits did or did not come about. Cost: of threads that meet, who
 * comes by as much too late or early sleeps, or does not. */
#define GRAPH_WRITES 80

/* How far a system call that is to wait is when it is too late to call the
 * system for it. */
static inline uint64_t graph_looks_at_call(const struct retime *g)
{
    return g->looks && g->looks < g->finds ? g->looks + GRAPH_WRITES : g->finds;
}

/* Does who waits for a lock go on in the recorded order, but for
 * GRAPH_ALL_LOCKS? Of the kernel's, if threads do not spin for these. */
static inline bool graph_keeps_order(const struct retime *g, uint32_t lock)
{
    return graph_lock_is(g, lock) == GRAPH_LOCK_KERNEL && !g->spins[lock];
}

static inline uint64_t graph_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The key of two threads, in this order. */
static inline uint64_t graph_pair(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* Of graph_build, of all dispatches: where the mask of the next one of its
 * thread has the CPU as well, it is that one's. */
void graph_find_masks(struct retime *g);

/* Is a mask about a thread: by its number, or by the name that it had last? */
bool graph_mask_is_of(const struct retime *g, const struct retime_mask *m,
                      uint32_t thread);
/* Behind that: which yields are at the end of a time slice; who preempts whom.
 */
void graph_find_preempts(struct retime *g);

/* Does a thread that becomes runnable in an operation of its own, or is there
 * again, preempt one that runs? */
bool graph_preempts(const struct retime *g, uint32_t thread, uint32_t runs,
                    size_t op);

/* From where a thread that ends wakes the one that waits for that, to its end;
 * in the middle. */
uint64_t graph_exits(const struct scene *s);
/* Which of the scene's `signal` that joins did so without having to wait, and
 * for which thread; none: of others. By number; the caller frees the list. */
uint32_t *graph_joins(const struct scene *s, uint64_t exits);

/* Is a stay a sleep up to a point of a clock? Had that passed when the thread
 * came to it? Its cycle. */
bool graph_is_deadline(const struct scene_stay *t);
bool graph_deadline_passed(const struct scene_stay *t);
uint64_t graph_deadline(const struct retime *g, const struct scene_stay *t);

/* Of graph_build: of each thread `base`. */
void graph_find_bases(struct retime *g);

/* Of graph_build, when the last thread is known: `join`, `close`. */
void graph_find_join(struct retime *g);
void graph_find_close(struct retime *g);

/* Of graph_build: who is woken first. */
void graph_find_favoured(struct retime *g);

/* Of two threads that wait for a lock, is the first one woken first, even if
 * the second one has waited longer? */
bool graph_favours(const struct retime *g, uint32_t a, uint32_t b);

/* The operation with which the thread of a dispatch left that CPU again; none:
 * it had it to the end. */
uint32_t graph_leaves(const struct retime *g, uint32_t dispatch);

/* The median of `count` cycles, which are put in order; 0 if it is less, or of
 * none. */
int64_t graph_median(int64_t *list, size_t count);
/* Of graph_build: locks that were given back and waits for them name each
 * other, and what it costs to meet. */
void graph_link_locks(struct retime *g);
/* How long after a thread has asked for a mutex does the system look whether it
 * has been given back: as it agrees with most of those that slept, and of those
 * that did not. `found`: the cycles from asking to having it that those take.
 */
uint64_t graph_looks_at(const struct retime *g, uint64_t found);
/* From a cycle at which a thread had begun to call the system, up to a wait:
 * cycles to where that looks whether the thread has to. 0: it is not known. */
uint64_t graph_looks_in(const struct retime *g, uint64_t since, size_t wait);
/* The kernel's lock for the word that a wait is for; none: it is not known. */
uint32_t graph_word_lock(const struct retime *g, size_t wait);
/* Is a wake-up the only one of its system call? */
bool graph_wakes_one(const struct retime *g, size_t wake);
/* Of graph_link_locks: `looks`, `reads` and `word`. */
void graph_find_looks(struct retime *g);
/* From an operation on, a GRAPH_DISPATCH, up to a GRAPH_TAKE at the end of a
 * wait for a condition: when does the thread try to take the lock? As it has
 * it, or as it calls the system for it, which it is in at first. */
uint64_t graph_tries_at(const struct retime *g, size_t from, size_t take);
/* The holds of a scene by lock, in the order in which it was taken; the caller
 * frees the list. */
const struct scene_hold **graph_holds_by_lock(const struct scene *s);
/* Behind a wait for a condition a thread may call the system for the lock,
 * which another one has, and need not wait: since when it asks for it. 0: it
 * does not. `h` is a hold that is taken again. */
uint64_t graph_asks_again(const struct retime *g, const struct scene_hold *h);
#define GRAPH_ASKS 163 /* from there to the call */
/* In front of that: which holds are taken again (`again`). */
void graph_find_again(struct retime *g);
/* Behind it: which locks several may have, and for which threads spin. */
void graph_find_kinds(struct retime *g);
/* Of that, with the holds by lock, then time: which ones are handed over. */
void graph_find_handed(struct retime *g, const struct scene_hold *const *list);
/* Behind it: ... and what waits and wake-ups cost that need not be. */
void graph_find_calls(struct retime *g);

/* How many cycles of what a thread ran from one cycle to another are scaled by
 * a function or lock: prepared for one change. */
struct spend;
struct spend *spend_open(const struct retime *g,
                         const struct retime_change *change);
void spend_close(struct spend *s);

/* Cycles of what is scaled, of all threads, of which it is not known where in
 * their running they are: between which wake-ups, waits and locks. */
uint64_t spend_anywhere(const struct spend *s);

/* Is it a lock that the change is about? */
bool spend_is_lock(const struct spend *s, uint32_t lock);

/* Is there a function, or lock, of each name? Else its number in the change. */
long spend_unknown(const struct spend *s);

/* What running from one cycle to another, and a wait, come to. */
uint64_t spend_run(const struct spend *s, const struct graph_op *op);
uint64_t spend_wait(const struct spend *s, const struct graph_op *op);
/* The same of one stay of several that are a wait. */
uint64_t spend_stay(const struct spend *s, const struct scene_stay *t);
/* A wait in a stay, of so many cycles without the change. */
uint64_t spend_sleep(const struct spend *s, uint32_t stay, uint64_t cycles);

/* The end of such a wait's last sleep is early by so much, seen from when the
 * word is written: the thread looks when it has a CPU again, by that CPU's
 * clock, and in the recording it did so behind that sleep and no other.
 * `first`: the first of its sleeps. */
int64_t graph_looks_late(const struct scene *s, const struct scene_poll *poll,
                         const struct scene_stay *first, uint64_t written);
/* The hold of a lock, known to lock.rec, that a thread takes behind such sleeps
 * by trying again and again; none: it is another word. */
uint32_t graph_tried(const struct scene *s, const struct scene_poll *poll);
/* Of graph_build: `tries`. */
void graph_link_tries(struct retime *g);
/* Of graph_build: `end`; `calls`. */
void graph_find_ends(struct retime *g);
void graph_find_spun(struct retime *g);
/* When a thread left its CPU that waited for a word; when it began to, if it
 * did not, or else gave it away. */
uint64_t graph_poll_left(const struct retime *g, uint32_t poll);
/* For how long threads look at words before they call the system, at least; 0:
 * none does. */
uint64_t graph_least_looks(const struct retime *g);
/* Of locks of words `yields`: do threads that try let others run, at most of
 * their tries? Of one that was always free that is not known. And `yield`. */
void graph_find_yields(struct retime *g);
/* Under --user the end of a sleep interrupts CPU 0. How many cycles did that
 * take from what ran there, of sleeps until a word is written? */
uint64_t graph_interrupts(const struct retime *g, const struct graph_op *run);
/* Running that comes to so many `cycles` with these as recorded: with as many
 * fewer of them as it becomes shorter, or more. */
uint64_t graph_interrupted(const struct retime *g, const struct graph_op *run,
                           uint64_t cycles);

/* Did a thread end by itself, up to a recorded cycle? */
bool graph_ends(const struct retime *g, uint32_t thread, uint64_t cycle);

/* Who goes on when a thread is woken. */
enum graph_order {
    GRAPH_RECORDED, /* who did in the recording */
    GRAPH_ANEW      /* who waits for the same then, if the recorded one does
                     * not, or has not waited as long */
};

/* Play it; locks only if free ones are recorded. False: the last thread never
 * ended. */
bool graph_replay(const struct retime *g, const struct retime_change *change,
                  const struct spend *s, enum graph_order order,
                  enum graph_locks locks, struct retime_prediction *p);

/* How long the run takes with locks played anew and nothing changed: `played`,
 * `held`, `unchanged`. */
void graph_play_unchanged(struct retime *g);

/* By how many cycles `played` is off; 0 where it is not known. */
uint64_t graph_plays_off(const struct retime *g);

/* The same with a change, as by how much that makes it longer or shorter.
 * False: it is not known. */
bool graph_play_all_locks(const struct retime *g,
                          const struct retime_change *change,
                          const struct spend *s, uint64_t *elapsed);

/* Does it come to an end with programs' locks played anew, where free ones are
 * recorded? Else they are left out. */
bool graph_plays_locks(const struct retime *g,
                       const struct retime_change *change,
                       const struct spend *s);

/* Is there a change, other than factors of 1? */
bool graph_changes(const struct retime_change *change);

/* Are there locks that keep the recorded order? */
bool graph_keeps_orders(const struct retime *g);

/* Are there convoys (locks.h) in half of the recorded time? */
bool graph_convoys(const struct retime *g);

/* Does a change make sleeps shorter of a thread that tries again and again? */
bool graph_polls(const struct retime *g, const struct spend *s);

/* Does a thread sleep again and again, with nothing for others between, in an
 * eighth of the run or more, and a change makes other things shorter? */
bool graph_looks(const struct retime *g, const struct retime_change *c,
                 const struct spend *s);

/* Does a lock of a program's own, at which threads spin, often go to one that
 * has come later than others? In which order they have it with something
 * changed is not known then. */
bool graph_overtakes(const struct retime *g);

#endif
