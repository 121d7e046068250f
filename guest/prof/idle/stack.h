/* stack.h - call stacks of the kernel's threads, and its functions by number.
 */
#ifndef GUEST_PROF_IDLE_STACK_H
#define GUEST_PROF_IDLE_STACK_H

#include "guest/kernel/defs.h"

#define STACK_DEPTH 64 /* program counters kept of one stack */

/* Program counters of t's stack, `max` at most, leaf first: how many. The leaf
 * is the instruction it goes on with, the others are return addresses. t does
 * not run meanwhile. */
unsigned stack_walk(const struct thread *t, uint32_t *pcs, unsigned max);
/* The same of the running thread, where f interrupted it. */
unsigned stack_walk_trap(const struct trap_frame *f, uint32_t *pcs,
                         unsigned max);
/* The number of the function that pc is in, from 1 by address; 0: assembly in
 * front of the first. Where number `index` begins and ends; how many there are.
 */
uint32_t function_index(uint32_t pc);
uint32_t function_start(uint32_t index);
uint32_t function_end(uint32_t index);
uint32_t function_count(void);
/* In front of each function's first instruction, ascending (guest.ld). */
extern const uint32_t functions[], functions_end[];

#endif
