/* preempt.h - threads that preempt others while a graph is played through
 * again: who becomes runnable, and had the CPU of a thread at once in the
 * recording, has it now as well, wherever that thread is. A part of replay.c;
 * only where locks are played anew.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_PREEMPT_H
#define TOOLS_ANALYSIS_RETIME_PLAY_PREEMPT_H

#include "tools/analysis/retime/play/replay.h"

/* Of two that wait for a CPU, does the first one come first for that? */
bool preempt_is_first(const struct replay *p, uint32_t a, uint32_t b);

/* A runnable thread has found no free CPU: one is to be left for it, if a
 * thread runs there that it preempts. */
void preempt_ask(struct replay *p, uint32_t thread);

/* That CPU is left, if its thread is still one that is preempted. */
void preempt_at(struct replay *p, unsigned cpu, uint64_t cycle);

/* A CPU has another thread from a cycle on. */
void preempt_later(struct replay *p, unsigned cpu, uint64_t cycle);

/* The time slice of a CPU's thread is over: it goes behind those that wait in
 * the CPU's queue, or has another one if none does. */
void preempt_slice(struct replay *p, unsigned cpu, uint64_t cycle);

/* A thread is about to run. True: it leaves its CPU instead, as it was to. */
bool preempt_now(struct replay *p, uint32_t thread);

/* A thread that gave a lock back is about to wake one, at a cycle. True: it has
 * been preempted, and does so later. */
bool preempt_delays(struct replay *p, uint32_t thread, uint32_t lock,
                    uint64_t cycle);

/* A thread has a CPU again. True: it runs what was left, and goes on then. */
bool preempt_rest(struct replay *p, uint32_t thread);

#endif
