/* calls.h - system calls of the guest that wake threads, and those at whose end
 * a thread falls asleep, while a graph is played through again: whether they
 * need be, and which of two comes first. A part of replay.c. Under --user a
 * system call has no operations of its own.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_CALLS_H
#define TOOLS_ANALYSIS_RETIME_PLAY_CALLS_H

#include "tools/analysis/retime/play/replay.h"

/* Is who will wait, in an operation, known already to those who wake? */
bool calls_known(const struct replay *p, uint32_t target);

/* The thread of a wait is about to sleep, and finds that it need not if another
 * one's system call that would wake it begins in a cycle. False: it is not, or
 * is too far. */
bool calls_tell(struct replay *p, uint32_t target, uint64_t cycle);

/* A thread is about to run. True: it comes to a system call that it need not
 * make, and is behind it. */
bool calls_skip(struct replay *p, struct runner *r);

/* A thread is about to go on in a system call at the end of which it would
 * wait, and has been told that it need not: what it does not do then is spared
 * from here on. */
void calls_find(struct replay *p, struct runner *r);

/* A wake-up in such a call that comes to nothing, as who would be woken has
 * found that it need not sleep: the call is shorter by what is between two of
 * them, or behind the only one. */
void calls_spare_wake(const struct replay *p, struct runner *r);

#endif
