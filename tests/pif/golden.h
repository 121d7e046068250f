/* golden.h - what the parts of golden.c share: the routines of routines.S, what
 * the last exception was, and the tests of each part. */
#ifndef TESTS_PIF_GOLDEN_H
#define TESTS_PIF_GOLDEN_H

#include "tests/pif/common.h"

typedef uint32_t code[];
extern code loop10, loop10_at, straight, seven, seven_end, outer, outer_end,
    run12, with_call, divide, divide_at, load, load_at, hot, leaf, leaf_at,
    hot_call, two_loads, marked, trapping, trap_at, enter, enter_end;
extern void sweep(volatile uint32_t *a);

extern volatile uint32_t array[64];

extern volatile struct seen {
    uint32_t count, vector, srr0, srr1, cause, ia, da, lr, captured;
    uint32_t misses; /* is there a cache to miss? Not in fast mode */
} seen;

void forget(void);
void set_thresholds(uint32_t a, uint32_t b, uint32_t c);
/* Instructions completed, as PMC1 counts them. */
uint32_t completed(const void *f, uint32_t n);

static inline uint32_t call(const void *f, uint32_t argument)
{
    return ((uint32_t(*)(uint32_t))f)(argument);
}

/* golden_threshold.c */
void thresholds_are_strict(void);
void slow_words_exceed(void);
void each_bit_may_be_a_threshold(void);
void several_are_in_flight(void);
void positions_restrict_thresholds(void);

/* golden_taken.c */
void marks_wait_while_ee_is_off(void);
void what_was_resumed_runs_once(void);
void trap_entry_may_be_marked(void);
void data_exceptions_come_behind(void);
void exceedances_may_interrupt(void);

/* golden_carrier.c */
void enables_choose(void);
void formats_mark_the_same(void);
void widened_words_travel(void);
void marker_instructions_mark_what_follows(void);

#endif
