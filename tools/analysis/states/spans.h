/* spans.h - what threads did and waited for, one stretch after the other, as
 * state.rec and wake.rec are read: kept is what each thread does now, and how
 * many wait for each lock. What has ended is told; a thread's stretches and a
 * lock's follow each other, those of others lie in between in any order.
 */
#ifndef TOOLS_ANALYSIS_STATES_SPANS_H
#define TOOLS_ANALYSIS_STATES_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/states/happenings.h"

enum spans_kind {
    SPANS_STATE, /* a thread was in a state: state, kind, object, owner, stack
                  */
    SPANS_LOCK,  /* a lock was waited for, until `thread` let one go on */
    SPANS_WAKE   /* `thread` was woken by, waker at `from`; it is at `to` that
                  * its next state begins */
};

struct spans_event {
    enum spans_kind is;
    uint64_t from, to; /* cycles; to >= from */
    uint32_t thread;
    uint32_t state, kind, object, owner, stack;
    uint32_t by, waker;
    unsigned cpu;
    uint32_t vector;  /* of the exception by which the thread left its program
                       * last, if it is not in that; 0: none, or not known */
    uint32_t lock;    /* of SPANS_LOCK, and of waits for one: from 0 */
    uint32_t waiting; /* how many, with the one that was let go on */
};

struct spans_thread {
    struct happening now;   /* state 0: none */
    struct happening woken; /* since then, by 0: it was not */
    uint32_t lock, vector;
};

struct spans_lock {
    uint32_t kind, object, pid;
    uint32_t waiting;
    uint64_t since; /* the present stretch */
};

#define SPANS_READY 4

struct spans {
    struct recording *r;
    struct happenings_file state, wake;
    struct spans_thread *thread;
    size_t threads, threads_room, closed;
    struct spans_lock *lock;
    size_t locks, locks_room;
    struct hash by_id, by_lock;
    struct spans_event ready[SPANS_READY];
    unsigned first, count; /* in `ready` */
};

/* What is wrong with the files joins r->problems; r must stay open. */
void spans_open(struct spans *s, struct recording *r);
/* False: that was all. At the end every thread's state ends with the run. */
bool spans_next(struct spans *s, struct spans_event *e);
void spans_close(struct spans *s);

#endif
