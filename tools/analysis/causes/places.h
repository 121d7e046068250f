/* places.h - where in a program something was: a function, two of its callers,
 * and a source line.
 *
 * Of a thread that waits the place is its program's own: the innermost
 * function that is no library's (own.h) and is not the guest's system, whose
 * locks and queues stand in front of every wait; without such a one the
 * innermost that is not the system. Linux itself is a system, too. Of one that
 * runs it is where it runs, but in the system; of what it runs in libraries
 * that call each other the innermost function, and then the program's own one
 * that called them. A function that ended with a
 * jump to another one stands behind that, as its caller (tails.h).
 */
#ifndef TOOLS_ANALYSIS_CAUSES_PLACES_H
#define TOOLS_ANALYSIS_CAUSES_PLACES_H

#include "lib/base/hash.h"
#include "tools/analysis/causes/scene/scene.h"
#include "tools/analysis/symbols/own.h"

#define PLACES_FUNCTIONS 3
#define PLACES_NOWHERE 0 /* the number of no place */

struct place_of {
    uint32_t function[PLACES_FUNCTIONS]; /* LOADMAP_UNKNOWN behind the last */
    struct source_line line;             /* of the innermost with lines */
    uint32_t functions;                  /* the same for the same functions */
};

struct places {
    struct recording *r;
    const struct scene *scene;
    struct sources *sources;
    struct own *own;
    long kernel; /* of a Linux kernel's run: its load object; -1: none */
    struct place_of *list; /* list[0]: nowhere */
    size_t count, room;
    struct hash link, of_stack, of_pc;
    uint32_t *function, *tail; /* by frame: tails.h */
    char *text[2];             /* that places_functions and _line gave */
    size_t text_room[2];
};

/* The scene stays as long. */
void places_open(struct places *p, struct recording *r, const struct scene *s);
void places_close(struct places *p);

/* The number of the place of a stack (scene.frames) of a thread that waits, or
 * runs; and of an instruction. *system: it runs the system, for who is told. */
uint32_t places_waits(struct places *p, uint32_t stack, uint64_t cycle);
uint32_t places_runs(struct places *p, uint32_t stack, uint64_t cycle,
                     bool *system);
uint32_t places_pc(struct places *p, uint32_t pc, uint64_t cycle);

/* The place without the outermost of its functions. */
uint32_t places_short(struct places *p, uint32_t number);

/* The function of a frame (scene.frames), if it is the program's own: no
 * library's and not the system's; else LOADMAP_UNKNOWN. */
uint32_t places_own(struct places *p, uint32_t frame);

/* The order of two places' functions by name, then of their lines: negative, if
 * a is first. Unlike their numbers it does not depend on which was met first.
 */
int places_order(const struct places *p, uint32_t a, uint32_t b);

/* Is its innermost function one of the guest's system, or of a Linux kernel? */
bool places_of_system(const struct places *p, uint32_t place);

/* "f < its caller < its caller", by names as they are, and "file:line"; "": it
 * is not known. Each is good until it is asked for the next time. */
const char *places_functions(struct places *p, uint32_t place);
const char *places_line(struct places *p, uint32_t place);

/* Do two places have the same functions? */
bool places_same(const struct places *p, uint32_t a, uint32_t b);

#endif
