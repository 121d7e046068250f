/* retime.h - what a run would have taken with something changed, from its
 * recording alone.
 *
 * The recording becomes a graph: of each thread what it did, in its order -
 * so many cycles of running, wake-ups that it gave, waits and what ended them,
 * ways to a CPU. It is played through again with other weights: who was woken
 * by whom stays as it was, but for locks of programs; which CPU a thread gets,
 * and when, is decided anew where the recorded CPU is not free. With nothing
 * changed every event has its recorded cycle, so what is predicted is what was
 * recorded.
 *
 * What it cannot know: waits that did not happen. A queue that had something is
 * not recorded, nor, without simrun --record-locks, a lock that was free; so
 * nothing waits for them in the prediction either, however fast those become
 * that did wait.
 */
#ifndef TOOLS_ANALYSIS_RETIME_RETIME_H
#define TOOLS_ANALYSIS_RETIME_RETIME_H

#include "tools/analysis/causes/scene/scene.h"
#include "tools/analysis/retime/change.h"

struct retime;

/* The graph of an experiment. Reads oracle.rec and disk.rec; what is wrong
 * joins s->r->problems. The scene stays as long; the caller calls
 * retime_close. What is predicted is when the run ends; or, if a thread ended
 * about `until`, when that one does, and the rest takes as long as it did. */
struct retime *retime_open(const struct scene *s, uint64_t until);
void retime_close(struct retime *g);

/* The cycles that the recorded run took. */
uint64_t retime_recorded(const struct retime *g);

/* How long the run would take, in cycles. Where it hangs on a few cycles who
 * comes to a lock first, several plays of it differ: `elapsed` is their mean
 * then, `least` and `most` are the shortest and the longest one. Else all three
 * are the same. */
struct retime_prediction {
    uint64_t elapsed, least, most;
};

/* Would a machine have so many CPUs, with a change? */
bool retime_has_cpus(const struct retime *g,
                     const struct retime_change *change);

/* The same of a play of the recording with nothing changed, in the order of the
 * recording; 0: it comes to no end. Another number tells of how far predictions
 * may be off. */
uint64_t retime_played(const struct retime *g);

/* What the run would take with a change. The graph is not changed, so that any
 * number of changes can be tried. False: that cannot be said; *why (size bytes)
 * has a line. */
bool retime_predict(const struct retime *g, const struct retime_change *change,
                    struct retime_prediction *p, char *why, size_t size);

/* Why what is predicted may not hold. */
enum retime_doubt {
    RETIME_HOLDS, /* none is known of */
    /* It makes sleeps shorter that mostly follow each other with little run
     * between them: so a thread does that tries until something is so, and
     * would then only try more often. What is predicted is the most. */
    RETIME_POLLS,
    /* A thread sleeps again and again, or spins and keeps a CPU from others, in
     * an eighth of the run or more, and it is other things that become shorter:
     * what it waits for may be so sooner, and it would do so less. */
    RETIME_LOOKS,
    /* Who waits for the same lock or condition would come in another order, and
     * if that is followed the run takes another time: by more than a tenth of
     * what the change brings, and a fiftieth of the run. Or, with records of
     * locks, who is to let others go on would wait for these, and as much of
     * what the change takes away would not shorten the run, or lengthen it. Or
     * the run would be shorter, by a fiftieth, though the change only takes
     * CPUs away or makes times longer. */
    RETIME_ORDER,
    /* More is predicted than the change takes away from all threads together,
     * by more than a tenth of that and a fiftieth of the run: the rest are
     * waits that would not be any more, and others may come in their place. */
    RETIME_BEYOND,
    /* It is another gain if who comes to a lock of the kernel's first is found
     * anew, too, by more than a tenth of it and a fiftieth of the run. */
    RETIME_MEETS,
    /* Threads hand something from one to the next, which takes longer than what
     * each does with it: how often they meet decides. */
    RETIME_CONVOY,
    /* It is about how long a read-write lock is held, for which those who write
     * wait, for a fiftieth of the run or more; and without records of locks it
     * is not known who reads, and how long. */
    RETIME_READERS,
    /* The plays of which it is the mean are apart by more than a tenth of what
     * the change brings, and a fiftieth of the run. */
    RETIME_PLAYS,
    /* It is about how long a lock is held, and there are no records of locks:
     * that is known only of when others waited for it, which is less than three
     * quarters of the run. */
    RETIME_HELD,
    /* Of what is scaled a part in eight of the run or more, of all threads
     * together, may be between other wake-ups, waits and locks of its thread:
     * no samples of cycles say where it is. */
    RETIME_WHERE
};

/* `p` is what was predicted with the change. */
enum retime_doubt retime_doubt(const struct retime *g,
                               const struct retime_change *change,
                               const struct retime_prediction *p);

#endif
