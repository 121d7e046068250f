/* ends.h - how programs and threads begin and end: what the system and
 * libraries do for a thread before it comes to a function of the program's own
 * and behind the last one, what it takes to make a thread, and what a program's
 * last thread asks for, by itself, when no other is left. Beside these stands
 * what a function that threads begin with itself asks for so that they meet: to
 * wake others, and to be woken. No function below it is behind all that.
 *
 * A program's own function has source lines, and is neither the system's nor
 * of the guest's image. A thread that is never seen in one has no beginning and
 * no end here, but the guest has: before and behind all programs.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_ENDS_H
#define TOOLS_ANALYSIS_CAUSES_ENDS_H

#include "tools/analysis/causes/places.h"

enum ends_part { ENDS_NEITHER, ENDS_START, ENDS_END, ENDS_HANDOVER };

struct ends_thread {
    uint64_t first, last; /* cycles at which it is seen in an own function */
};

struct ends {
    const struct scene *scene;
    struct places *places;
    long machine; /* the guest's image; -1: none */
    struct ends_thread *thread;
    uint64_t alone;       /* from here on one thread of programs is left */
    uint64_t first, last; /* cycles of any thread, likewise */
    struct hash of_stack,
        inner;          /* by stack: bits, its innermost own function */
    struct hash begins; /* functions that threads begin with */
};

/* Both stay as long. */
void ends_read(struct ends *e, const struct scene *s, struct places *p);
void ends_free(struct ends *e);

/* Of which part a thread is that runs at a stack (scene.frames) at a cycle.
 * *place: where it makes a thread, or hands over; else nowhere. */
enum ends_part ends_running(struct ends *e, uint32_t thread, uint32_t stack,
                            uint64_t cycle, uint32_t *place);

/* Of one that was woken, or made, and is on its way to a CPU: from a stack. */
enum ends_part ends_woken(struct ends *e, uint32_t thread, uint32_t stack,
                          uint64_t cycle, uint32_t *place);

#endif
