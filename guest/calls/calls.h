/* calls.h - more of Linux's system calls, which the programs of others make and
 * the kernel does without: a file a subject, entered by a hook (more.c).
 */
#ifndef GUEST_CALLS_CALLS_H
#define GUEST_CALLS_CALLS_H

#include "guest/process/process.h"

#define MADE_TIMERS 64 /* timers that programs have made, in all */

/* timers.c: send the signals of t's process whose timers rang while all blocked
 * them. process_lock is held. */
void timers_look(struct task *t);

/* signals.c: t blocks these alone until its call is over. */
void signals_suspend(struct task *t, uint64_t set);

/* sched.c: give k a place in the queues by its own policy and by those who wait
 * for a lock of its; likewise whose locks k waits for. sched_lock is held. */
void task_settle(struct task *k);

/* lend.c: the highest level of those who wait for a lock of k's, 0: none; the
 * owner of the lock that k waits for, NULL: it waits for none. sched_lock is
 * held. */
uint8_t lent_level(const struct task *k);
struct task *lent_to(const struct task *k);
/* t, which runs here, gives the lock of the word at `at` to the first of those
 * who wait, with `bits` in the word: 0 or -errno. */
int32_t lock_pass(struct task *t, uint32_t at, uint32_t bits);
/* The operations of locks that lend; of others there are none. */
int32_t futex_lend(struct task *t, const uint32_t *front);

#define CALL(number, name, handler, how) call_function call_##handler;
#include "guest/calls/calls.def"
#undef CALL

#endif
