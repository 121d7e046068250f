/* memo.h - the timing memo: what an instruction costs, met again, is replayed
 * instead of worked out, in the manner of FastSim (Schnarr and Larus 1998).
 *
 * Given what an instruction asked (access.h, predict.h, the registers), its
 * cycles are a function of the window it meets, and that of differences of
 * cycles alone. So a *node* is an instruction and the window in front of it,
 * counted from the cycle of the latest dispatch, with everything in the past
 * made equal. An *edge* of a node has the answers that the instruction got,
 * what they came to - events, the oracle's charges, cycles of completion and of
 * the write - and the next node.
 *
 * Nodes that follow each other often are a *trace*, in a row: an instruction
 * there is told what it was told before, or the row ends with it (trace.c).
 *
 * A replayed instruction is executed, and asks everything it would ask, in the
 * same order, at its own turn among the processors; then its edge is taken. An
 * answer that no edge has is worked out by the stages, from the window that the
 * node stands for, and makes a new edge. So nothing that is simulated depends
 * on the memo, nor on how much of it fits into the host's memory.
 *
 * Nodes and edges are the same for all processors of a machine, which share
 * them (share.c); each has its own place among them, and counts what it
 * replays by itself (ledger.h).
 */
#ifndef SIM_CORE_DETAILED_MEMO_MEMO_H
#define SIM_CORE_DETAILED_MEMO_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/oracle.h"

struct core;
struct memo;

/* False: the host has no memory. Without a memo, by c->with.memo, true and
 * nothing is made. c's pipe and its window are ready. */
bool memo_init(struct core *c);
void memo_free(struct core *c);

/* In front of an instruction: replay as many as can be, while timing.h's `run`
 * may go on. False: `run` ends. True: the next one is for the stages, whose
 * state is as if they had worked all along; they are watched, to record it. */
bool memo_replay(struct core *c, uint64_t until);
/* At the beginning of a turn, the same where the host code of a trace goes on
 * up to the end of the turn: short, since most turns of several processors
 * begin and end so. False: memo_replay goes on. */
bool memo_resumes(struct core *c, uint64_t until);

/* The stages told the oracle; and are through with an instruction, which ended
 * as instructions do. */
void memo_charged(struct memo *m, uint32_t context, uint32_t pc,
                  enum reason reason, uint64_t twelfths);
void memo_timed(struct memo *m, bool completed);
/* s was on its wrong path, and dispatched there, or was the last to be fetched.
 * The path ended for want of cycles, or otherwise. */
struct slot;
void memo_walked(struct core *c, const struct slot *s, bool dispatched);
void memo_walk_ends(struct core *c, bool late);

/* What is being watched is no longer an instruction by itself. */
void memo_cancel(struct core *c);

/* Somebody looks at the stages' state, or changes it: it is there. */
void memo_leave(struct core *c);
/* What completed is in the history of the pipe. */
void memo_complete(struct core *c);
/* Events and charges of what was replayed are handed over. */
void memo_flush(struct core *c);
/* ... if a counter may act: in front of anything but a replay. */
void memo_settle(struct core *c);
/* Both, and the state is put into a form that does not tell what was replayed
 * and what was not. */
void memo_tidy(struct core *c);

#endif
