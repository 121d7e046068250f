/* problem.h - what is wrong with an experiment, one line each, in the order
 * in which it was found. Readers add; a program prints.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_PROBLEM_H
#define TOOLS_ANALYSIS_EXPERIMENT_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum problem_level {
    PROBLEM_NOTE,  /* worth knowing; the numbers are right */
    PROBLEM_DAMAGE /* something could not be read */
};

struct problem {
    enum problem_level level;
    char *text; /* "file: what, what to do" */
};

/* All zero: no problems. */
struct problems {
    struct problem *list;
    size_t count, room;
};

/* Add a line. A line that is there already is not added again. */
void problem_add(struct problems *p, enum problem_level level,
                 const char *format, ...) __attribute__((format(printf, 3, 4)));

bool problems_damage(const struct problems *p);

/* "simprof: damage: ..." and "simprof: note: ...", a line each. */
void problems_print(const struct problems *p, FILE *to);

/* Those from number `from` on. Returns how many there are. */
size_t problems_print_from(const struct problems *p, size_t from, FILE *to);

void problems_free(struct problems *p);

#endif
