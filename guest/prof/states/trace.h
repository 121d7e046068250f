/* trace.h - records for the experiment (docs/experiment.md). */
#ifndef GUEST_PROF_STATES_TRACE_H
#define GUEST_PROF_STATES_TRACE_H

#include "guest/kernel/defs.h"

/* Write a record of this kind about a thread (tid) through c's window: `words`
 * of payload stand behind TRACE_HEAD words, which are filled in here. The
 * record may lie on the stack. */
void trace_put(const struct cpu *c, uint32_t *record, uint32_t kind,
               uint32_t thread, uint32_t words);

#endif
