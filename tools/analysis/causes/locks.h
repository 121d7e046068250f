/* locks.h - locks that threads waited for: how often and how long, what the
 * holder did meanwhile, where both stood, and what the lock is an example of.
 *
 * It rests on waits (state.rec) and the wake-ups that ended them (wake.rec): in
 * these a holder is seen from when a thread waits up to when it lets the next
 * one go on. With simrun --record-locks (lock.rec) it is also known how often a
 * lock was taken, free or not, and how long it was held in all.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_LOCKS_H
#define TOOLS_ANALYSIS_CAUSES_LOCKS_H

#include "tools/analysis/causes/owners.h"
#include "tools/analysis/causes/path.h"

/* What the holder did in the cycles that were waited. */
enum locks_holder {
    LOCKS_RAN,
    LOCKS_WAITED,    /* it was blocked itself */
    LOCKS_NO_CPU,    /* it was runnable */
    LOCKS_HAND_OVER, /* nobody known: the lock is on its way to the next one */
    LOCKS_DID
};

/* Pieces of time beside those: a thread waited, another had the lock. */
enum locks_piece { LOCKS_WAIT = LOCKS_DID, LOCKS_HOLD };

/* How often, how long. */
struct locks_sum {
    uint64_t times, cycles, longest;
};

/* Who writes, and who reads; a mutex has no readers. */
enum locks_role { LOCKS_WRITERS, LOCKS_READERS, LOCKS_ROLES };

struct locks_share {
    struct locks_sum waits, taken;
    uint64_t contended;
};

struct locks_lock {
    uint32_t threads; /* that waited for it */
    struct locks_sum waits, holds;
    uint64_t did[LOCKS_DID]; /* adds up to waits.cycles */
    uint64_t path;           /* of the critical path: see path.h */
    /* With lock.rec: how often it was taken, from then on how long it was held,
     * and how often threads had waited for it. */
    struct locks_sum taken;
    uint64_t contended;
    struct locks_share share[LOCKS_ROLES]; /* of those */
    /* With lock.rec: in how many of these the thread had spun before, on a CPU,
     * while others had the lock; and the cycles of all that did so. */
    uint64_t spun_for, spun;
    /* Who ran longest where the holder was runnable, and wants the lock never;
     * SCENE_NONE: none did. */
    uint32_t displaced_by;
    uint64_t displaced;
};

/* Where threads waited for a lock, or let the next one have it. */
struct locks_place {
    uint32_t lock, place;
    bool holds;
    struct locks_sum sum;
};

/* Threads that let each other go on in one function, by a lock or a condition.
 * A pass: who was let go on there lets the next one go, which waited there
 * before that. Of the cycles between: `held`, in which it did something, and
 * the rest, until it had a CPU, and in the system. A thread of the kernel is in
 * that by nature; all that it does counts as held. */
struct locks_convoy {
    uint32_t place;
    uint64_t waits;  /* all that ended there */
    uint64_t passes; /* of those, in a row with others */
    uint64_t handing, held;
    uint64_t longest; /* most passes in a row */
    /* Who let the next one go had waited there itself at some time, and cycles
     * since then: passes, and others. */
    uint64_t relays, relayed;
};

struct locks {
    const struct scene *scene;
    struct locks_lock *lock;   /* by number (scene_stay.lock) */
    uint32_t *order;           /* numbers, the most waited for first */
    size_t shown;              /* in order: those waited for in the interval */
    size_t known;              /* ... and behind them those only taken in it:
                                * the most spun for first, then the longest
                                * held */
    struct locks_place *place; /* most cycles first */
    size_t places, places_room;
    struct locks_convoy *convoy; /* most waits first */
    size_t convoys, convoys_room;
    struct locks_sum all;   /* of waits */
    uint64_t below, short_; /* cycles, and waits, shorter than `least` */
    uint64_t path;          /* cycles of the critical path */
};

/* Of the interval that the recording is set to; of what `thread` waits for and
 * takes alone, if it is not SCENE_NONE; waits without those shorter than
 * `least` cycles. */
void locks_find(struct locks *l, const struct scene *s, struct places *p,
                uint32_t thread, uint64_t least);
void locks_free(struct locks *l);

/* The same, and `told` of each piece of time that is added up, inside the
 * interval: `is` is of enum locks_holder or locks_piece. */
struct locks_listener {
    void *arg;
    void (*told)(void *arg, uint32_t lock, unsigned is, uint64_t from,
                 uint64_t to);
};

void locks_listen(struct locks *l, const struct scene *s, struct places *p,
                  uint32_t thread, uint64_t least,
                  const struct locks_listener *listener);

/* The place where a lock was taken, by lock.rec; PLACES_NOWHERE: an early
 * simrun recorded none. */
uint32_t locks_taken_at(const struct scene *s, struct places *p,
                        const struct scene_hold *h);

/* Is it a convoy: most waits end so, eight or more in a row, and handing over
 * takes longer than what is done in between? */
bool locks_is_convoy(const struct locks_convoy *c);

/* Is a lock inverted: for a tenth of the cycles waited its holder had no CPU,
 * and a thread that does not want it had that? */
bool locks_is_inverted(const struct locks_lock *l);

#endif
