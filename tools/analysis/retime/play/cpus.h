/* cpus.h - which thread gets which CPU, and when, while a graph is played
 * through again. A part of replay.c.
 *
 * A thread that is runnable takes the CPU that it was on in the recording, if
 * that is free; else any free one that it may use, unless it stayed in the
 * queue of its CPU while others were free. A CPU that becomes free takes the
 * thread that had it next in the recording, if that is runnable; else the one
 * that has waited longest.
 *
 * Under --user a CPU is not free before the system call is over by which it was
 * left. A thread that waits for it runs at once then; a CPU that has nothing to
 * do must be interrupted first, which takes longer.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_CPUS_H
#define TOOLS_ANALYSIS_RETIME_PLAY_CPUS_H

#include "tools/analysis/retime/play/replay.h"

/* A thread is runnable, since its `ready`. */
void cpus_ready(struct replay *p, uint32_t thread);
/* It has waited for its recorded CPU as long as in the recording, in vain, and
 * takes any from now on. */
void cpus_tired(struct replay *p, uint32_t thread, uint64_t cycle);
/* A CPU has become free. */
void cpus_free(struct replay *p, unsigned cpu);
/* Does a runnable thread wait for it? */
bool cpus_wanted(const struct replay *p, unsigned cpu);
/* How far it is from a CPU to the queue that a thread is in: of the guest's
 * kernel one has its own, of those that ran there last, the first one of those
 * that have not run, and looks into the next ones' when there is none. Under
 * --user there is one queue. */
unsigned cpus_to_queue(const struct replay *p, uint32_t thread, unsigned cpu);

/* May a thread stay on its CPU, though an operation has it go to one? */
bool cpus_may_stay(const struct replay *p, uint32_t thread, size_t dispatch);

/* May a runnable thread have that CPU, if not in its recorded turn? */
bool cpus_may_take(const struct replay *p, uint32_t thread, unsigned cpu);
/* A thread gives up its CPU, if it has one, at its own cycle. */
void cpus_leave(struct replay *p, uint32_t thread);

#endif
