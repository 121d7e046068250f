/* causes_words.h - a chain as a sentence, and places as text. */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_WORDS_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_WORDS_H

#include "lib/base/table.h"
#include "tools/analysis/causes/causes.h"

#define CAUSES_SENTENCE 1500 /* bytes */
#define CAUSES_PLACE 300
#define CAUSES_NAME 81 /* of a function; longer ones have ".." in them */

/* "CPU 2 is idle because A waits for the lock journal_lock in f, which B has,
 * because B sleeps in journal_write (txn.c:57)." Where it is longer than that
 * it ends with "..". */
void causes_sentence(const struct causes *c, const struct causes_shape *s,
                     char out[CAUSES_SENTENCE]);

/* "A waits for the lock a in f, which B has; B waits for the lock b in g, which
 * A has.", of threads that wait like this where the records end. False: there
 * are none. */
bool causes_deadlock(const struct causes *c, char out[CAUSES_SENTENCE]);

/* "A waits for c in f; B waits for the lock a in g.", of all that wait where a
 * run ends that has nothing else to do. False: it is none. */
bool causes_waits_for_ever(const struct causes *c, char out[CAUSES_SENTENCE]);

/* "f < its caller < its caller"; "": the place is not known. And "file:line",
 * or "". Both for a person: what is long has ".." in it; places_functions and
 * places_line do not cut. */
const char *causes_functions(const struct causes *c, uint32_t place,
                             char out[CAUSES_PLACE]);
const char *causes_line(const struct causes *c, uint32_t place,
                        char out[CAUSES_PLACE]);

/* A cell of these: as text for a person, a path by its end alone; as CSV,
 * uncut. `none` is the text where they are not known. */
void causes_put_functions(struct table *t, const struct causes *c,
                          uint32_t place, const char *none);
void causes_put_line(struct table *t, const struct causes *c, uint32_t place);

#endif
