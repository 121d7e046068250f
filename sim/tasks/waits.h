/* waits.h - what a stack of the kernel's functions means: for what its task
 * waits there, or what a wake-up from there comes from (linux-waits.def).
 */
#ifndef SIM_TASKS_WAITS_H
#define SIM_TASKS_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/symbols/names.h"

/* How a row's object is found. */
enum waits_object {
    WAITS_NOTHING,
    WAITS_FUTEX,
    WAITS_FIRST, /* from here on the function's first argument */
    WAITS_MUTEX,
    WAITS_RWSEM,
    WAITS_CHILDREN
};

struct waits_row {
    const char *function;
    unsigned rank; /* the lowest in a stack is the reason */
    uint32_t state;
    enum waits_object object;
};

/* Where a function of the kernel is. */
struct waits_part {
    uint32_t from, end;
    unsigned row; /* of `waits_rows`, or of those of BY */
};

/* All zero: none. */
struct waits_parts {
    struct waits_part *part; /* by address; owned */
    size_t count, room;
};

struct waits {
    struct waits_parts wait, by, skip;
};

#define WAITS_NO_ROW UINT32_MAX

/* The functions of the table that the kernel has. */
void waits_open(struct waits *w, const struct names *names);
void waits_close(struct waits *w);

/* The row of a number. */
const struct waits_row *waits_row(unsigned row);

/* What the stack of n program counters, the innermost first, waits for: a row's
 * number, or WAITS_NO_ROW. */
unsigned waits_find(const struct waits *w, const uint32_t *pc, unsigned n);
/* What a wake-up with that stack comes from: a WAKE_BY_... */
uint32_t waits_by(const struct waits *w, const uint32_t *pc, unsigned n);

/* How many of these the scheduler itself is. */
unsigned waits_skip(const struct waits *w, const uint32_t *pc, unsigned n);

/* The functions of the kernel by that name, also with what a compiler adds
 * behind a dot; each is put into p with the number `row`. */
void waits_seek(struct waits_parts *p, const struct names *names,
                const char *function, unsigned row);

#endif
