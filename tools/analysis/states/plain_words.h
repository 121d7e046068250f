/* plain_words.h - words of memory that are waited for and are no locks, and
 * locks that are recorded as such words.
 *
 * A wait for a word with the value 2 is recorded as one for a lock, as the C
 * library's are, but an atomic or a barrier has that value now and then, too.
 * With simrun --record-locks it is known which words are locks. One that no
 * thread ever took by a function for that, and that threads wait for with other
 * values as well, is none. A mutex that is waited for up to a time is recorded
 * as a queue, since the system is called so for conditions, too: by lock.rec it
 * is a lock.
 */
#ifndef TOOLS_ANALYSIS_STATES_PLAIN_WORDS_H
#define TOOLS_ANALYSIS_STATES_PLAIN_WORDS_H

#include "tools/analysis/states/happenings.h"

/* By lock.rec and state.rec. NULL: there are none, or it is not known. What is
 * wrong joins r->problems. The caller frees it with plain_words_free. */
struct plain_words *plain_words_read(struct recording *r);
void plain_words_free(struct plain_words *w);

/* A wait for such a word as for a lock becomes one in a queue, for which no
 * thread is the owner; one for such a lock as in a queue one for a lock. */
void plain_words_tell(const struct plain_words *w, const struct recording *r,
                      struct happening *h);

#endif
