/* active.h - the time a processor spent on a portion of code in one thread.
 *
 *   active = elapsed - swapped out - overhead
 *
 * elapsed is from the time the portion's first probe recorded to the time its
 * last one did. While it lasted other threads ran (swapped out, from context
 * switches), and the probes themselves cost time (overhead): that of the one
 * that ends the portion does not count, it comes after the recorded time.
 *
 * The thread's time is cut into pieces that are active, swapped out or
 * overhead, each instant exactly one of them. So the parts of any interval
 * add up to it, nothing is negative, and what is active in a portion is the
 * sum over what is nested in it and the rest. Overhead is processor time: a
 * switch inside a probe stretches it, and is not subtracted twice.
 *
 * Pure: tables in, numbers out. Times are in any unit, all in the same one.
 */
#ifndef TOOLS_ANALYSIS_ACTIVE_ACTIVE_H
#define TOOLS_ANALYSIS_ACTIVE_ACTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum active_event {
    ACTIVE_ENTER, /* "enter F": function entry */
    ACTIVE_EXIT,  /* "exit F": function exit */
    ACTIVE_BEGIN, /* "begin F": section begin */
    ACTIVE_END,   /* "end F": section end */
    ACTIVE_EVENTS
};

/* The overhead of an event is what its type costs. */
#define ACTIVE_BY_TYPE UINT64_MAX

/* A probe was passed. */
struct active_timer {
    uint64_t time, overhead;  /* overhead of this one, or ACTIVE_BY_TYPE */
    uint32_t thread, portion; /* portion: a number of the caller's */
    enum active_event event;
    bool left_out; /* what begins here was not chosen */
    bool judged;   /* `ran` is known: how long the thread had run by then, */
    uint64_t ran;  /* according to another clock */
};

#define ACTIVE_NOBODY UINT32_MAX /* a thread that is not known */

/* A processor went from one thread to another. */
struct active_switch {
    uint64_t time;
    uint32_t old, new;
};

struct active_tables {
    struct active_timer *timer; /* in any order */
    size_t timers, timers_room;
    struct active_switch *change; /* in any order */
    size_t changes, changes_room;
    uint64_t overhead[ACTIVE_EVENTS]; /* by type, ACTIVE_BY_TYPE: not known */
};

/* A stretch of a thread's time that was not active. */
struct active_piece {
    uint64_t from, to; /* to: the first instant after it */
    bool overhead;     /* of a probe; else swapped out */
    /* All of that kind before `from`, so that sums need no walk. */
    uint64_t out_before, overhead_before;
};

struct active_sums {
    uint64_t elapsed, out, overhead, active;
};

#define ACTIVE_NONE SIZE_MAX

/* One execution of a portion, from its begin to its end. */
struct active_call {
    uint64_t from, to;
    uint32_t portion;
    unsigned depth;  /* calls of any portion around it */
    unsigned within; /* calls of the same portion around it: recursion */
    struct active_sums sums;
    uint64_t exclusive; /* active, without the calls directly in it */
    uint64_t own;       /* overhead, without theirs */
    size_t parent;      /* the call around it, or ACTIVE_NONE */
    bool left_out;      /* as its begin was */
    bool judged;        /* as both its probes were: what the thread really */
    uint64_t ran;       /* ran; should be active + overhead */
};

/* What one thread did. */
struct active_thread {
    uint32_t thread;
    struct active_piece *piece; /* by time, apart from each other */
    size_t pieces, pieces_room;
    struct active_call *call; /* complete ones, by begin */
    size_t calls, calls_room;
    /* What does not fit together. */
    uint64_t open;       /* begun, never ended */
    uint64_t unbegun;    /* ended, never begun */
    uint64_t crossed;    /* begun inside another and not ended in it */
    uint64_t misplaced;  /* out without having come in, or in twice */
    uint64_t impossible; /* probes passed while another thread ran */
};

/* Work out one thread. False: a probe's event type has no overhead in the
 * table; *missing is the type. t's order may change. */
bool active_read(struct active_thread *a, struct active_tables *t,
                 uint32_t thread, enum active_event *missing);
void active_free(struct active_thread *a);
void active_tables_free(struct active_tables *t);

/* The parts of an interval. */
struct active_sums active_between(const struct active_thread *a, uint64_t from,
                                  uint64_t to);

/* The pieces of a kind that lie in an interval, cut to it. Returns how many;
 * the first `room` are put into out (only their from and to). */
size_t active_list(const struct active_thread *a, uint64_t from, uint64_t to,
                   bool overhead, struct active_piece *out, size_t room);

/* "function entry" */
const char *active_type(enum active_event e);
/* The event that a word such as "enter" means; false: none. */
bool active_word(const char *word, size_t length, enum active_event *e);
static inline bool active_begins(enum active_event e)
{
    return e == ACTIVE_ENTER || e == ACTIVE_BEGIN;
}

#endif
