/* process_prof.h - profiling of processes: what the profilers in
 * guest/prof/idle need to know of them, by file (docs/guest.md).
 */
#ifndef GUEST_PROF_PROCESS_PROCESS_PROF_H
#define GUEST_PROF_PROCESS_PROCESS_PROF_H

#include "guest/kernel/hook.h"
#include "guest/process/process.h"

/* user_stack.c: behind the kernel's part of t's stack, `depth` program counters
 * at pcs, goes the program's, up to `max` in all: how many there are then. As
 * of t it is walked where t stands still, and may wait; interrupts are on.
 * *broken is set if not even the program's first frame can be read. */
unsigned user_stack_join(const struct thread *t, uint32_t *pcs, unsigned depth,
                         unsigned max, bool *broken);

/* Where t's program goes on, and return addresses as far as its stack is in
 * memory, up to `max`: how many. It takes no lock and never waits. */
unsigned user_stack_now(const struct task *t, uint32_t *pcs, unsigned max);

/* lent.c: p, which is all zeros, becomes a process of a profiler's, with the
 * text of guest/prof/sampler. Whatever has no memory for it is a panic. */
void lent_begin(struct process *p, uint32_t number);
/* A page of zeros at that address, and where it is in memory. */
void *lent_page(struct process *p, uint32_t at);
/* A thread that begins at `from` with the page as its argument, its stack at
 * the page's end; it waits for task_start. */
#define LENT_TOP 64
struct task *lent_thread(struct process *p, uint32_t page, uint32_t from,
                         uint8_t kind, uint8_t prio, uint32_t mask);

/* guest.ld: behind the text of guest/process, and the pages of
 * guest/prof/sampler. */
extern const char process_functions[];
extern const char lent_text[], lent_text_end[];

#endif
