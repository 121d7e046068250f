/* moments.h - what happened when in a run, from all of its records: idle gaps,
 * wake-ups, locks held, convoys, interrupts, samples, marks, probed functions
 * and sections. Times are cycles of the run.
 */
#ifndef TOOLS_SIMPROF_REPORTS_MOMENTS_MOMENTS_H
#define TOOLS_SIMPROF_REPORTS_MOMENTS_MOMENTS_H

#include "tools/analysis/states/words.h"
#include "tools/simprof/report/select.h"

enum moment_kind {
    MOMENT_IDLE,      /* a CPU: from its last thread to the next one */
    MOMENT_WAKE,      /* from the wake-up to when the thread can run */
    MOMENT_HOLD,      /* a lock, while others wait for it */
    MOMENT_CONVOY,    /* holds of one lock, each begun where one ended */
    MOMENT_INTERRUPT, /* ... and what follows: from and to are the same */
    MOMENT_SAMPLE,
    MOMENT_MARK,
    MOMENT_SECTION, /* one execution of what is probed */
    MOMENT_KINDS
};

#define MOMENT_NOBODY UINT32_MAX
#define MOMENT_NO_CPU UINT32_MAX
#define CONVOY_LEAST 8 /* holds in a row */

struct moment {
    enum moment_kind kind;
    uint64_t from, to;
    unsigned cpu;    /* MOMENT_NO_CPU: of none */
    uint32_t thread; /* idle: which came; wake: which was woken; hold: whose */
    uint32_t by;     /* idle: which left; wake: the waker */
    uint32_t about;  /* idle: 0; wake: WAKE_BY_...; hold: how many wait;
                      * convoy: how many holds; interrupt: the vector; sample:
                      * the counter; mark: the address; section: its name */
    uint32_t kind_of, object; /* hold, convoy: of the lock, OBJECT_... */
    size_t serial;            /* orders those that begin together */
};

struct moments {
    struct recording *r;
    const struct selection *s;
    bool wants[MOMENT_KINDS];
    uint64_t most; /* of a kind that are kept; 0: all */
    struct moment *list;
    size_t count, room;
    uint64_t kept[MOMENT_KINDS]; /* in list */
    bool more[MOMENT_KINDS];     /* others were not kept, or not read */
    char **section;              /* names of what is probed */
    size_t sections, sections_room;
};

/* Read what m->wants says, of the interval and threads of m->s; the first
 * m->most of a kind by the order of the records. Sorted by time. What is wrong
 * joins r->problems. */
void moments_read(struct moments *m);
void moments_free(struct moments *m);

#endif
