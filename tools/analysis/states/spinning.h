/* spinning.h - the state STATE_SPINNING, which no record of state.rec has: a
 * thread in its program looks at a word again and again until another thread
 * has written it, by poll.rec (simrun --record-locks).
 */
#ifndef TOOLS_ANALYSIS_STATES_SPINNING_H
#define TOOLS_ANALYSIS_STATES_SPINNING_H

#include <stdbool.h>

#include "tools/analysis/states/happenings.h"

/* The spins of a recording, to be gone through once in the order of state.rec.
 * NULL: there are none. What is wrong joins r->problems. The caller frees it
 * with spinning_free. */
struct spinning *spinning_read(struct recording *r);
void spinning_free(struct spinning *s);

/* The next change of state that a spin's beginning or end is, up to the cycle
 * of the next record of state.rec (NULL: there is none). False: there is no
 * such change. The serial is left 0. */
bool spinning_before(struct spinning *s, const struct happening *record,
                     struct happening *change);

/* That record is passed: one that goes back to the program within a spin
 * becomes STATE_SPINNING. */
void spinning_pass(struct spinning *s, struct happening *record);

#endif
