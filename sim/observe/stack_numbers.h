/* stack_numbers.h - call stacks as numbers: each place in one is a record of
 * its own (frame.rec), written when it is met first, so that a record with a
 * stack has one word for it.
 */
#ifndef SIM_OBSERVE_STACK_NUMBERS_H
#define SIM_OBSERVE_STACK_NUMBERS_H

#include <stdint.h>

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"

/* All zero: none has been met. */
struct stack_numbers {
    struct hash seen; /* numbers by caller and pc */
    uint32_t count;
};

/* Whose addresses below `end` are: a process by its number in records, and
 * which of its programs, by any number that differs, below 2^31. */
struct stack_owner {
    uint32_t process, program, end;
};

/* The number of the stack of n program counters, the innermost first, each one
 * instruction behind where its function stands; 0: n is 0. Frames that are new
 * go to e, at cycle `at`. */
uint32_t stack_number(struct stack_numbers *f, struct experiment *e, cycle_t at,
                      const uint32_t *pc, unsigned n);
/* The same where processes have addresses of their own. */
uint32_t stack_number_of(struct stack_numbers *f, struct experiment *e,
                         cycle_t at, const struct stack_owner *owner,
                         const uint32_t *pc, unsigned n);
void stack_numbers_free(struct stack_numbers *f);

#endif
