/* micro.h - the micro-states of a thread, ten of them, and the times of a
 * profile that they become (ANA-22, ANA-23): views of the states of state.rec.
 */
#ifndef TOOLS_ANALYSIS_STATES_MICRO_H
#define TOOLS_ANALYSIS_STATES_MICRO_H

#include <stdint.h>

enum micro {
    MICRO_USER,
    MICRO_SYSTEM, /* a system call, or a page fault */
    MICRO_TRAP,   /* any other exception: interrupts, emulation, alignment */
    MICRO_TEXT_FAULT,
    MICRO_DATA_FAULT,
    MICRO_KERNEL_FAULT,
    MICRO_USER_LOCK,
    MICRO_SLEEP,
    MICRO_STOPPED,
    MICRO_WAIT_CPU,
    MICRO_STATES
};

enum micro_time {
    MICRO_TIME_USER_CPU,
    MICRO_TIME_SYSTEM_CPU,
    MICRO_TIME_WAIT_CPU,
    MICRO_TIME_USER_LOCK,
    MICRO_TIME_TEXT_FAULT,
    MICRO_TIME_DATA_FAULT,
    MICRO_TIME_OTHER_WAIT,
    MICRO_TIMES
};

/* Of a STATE_... but STATE_ENDED; vector is of the exception by which the
 * thread left its program last, 0 where it is in that, or has none. Each
 * wait between a page fault and the return from it is a wait of that fault,
 * also one for a lock or a device; spinning is a wait for the lock. */
enum micro micro_of(uint32_t state, uint32_t vector);

/* A micro-state as CSV has it, and as a heading. */
const char *micro_key(enum micro m);
const char *micro_heading(enum micro m);

enum micro_time micro_time_of(enum micro m);
const char *micro_time_key(enum micro_time t);
const char *micro_time_heading(enum micro_time t);

#endif
