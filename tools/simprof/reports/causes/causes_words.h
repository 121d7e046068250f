/* causes_words.h - a chain as a sentence, and places as text. */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_WORDS_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_WORDS_H

#include "tools/analysis/causes/causes.h"

#define CAUSES_SENTENCE 1000 /* bytes */
#define CAUSES_PLACE 300

/* "CPU 2 is idle because A waits for the lock journal_lock in f, which B has,
 * because B sleeps in journal_write (txn.c:57)." Cut to size. */
void causes_sentence(const struct causes *c, const struct causes_shape *s,
                     char out[CAUSES_SENTENCE]);

/* "f < its caller < its caller"; "": the place is not known. And "file:line",
 * or "". */
const char *causes_functions(const struct causes *c, uint32_t place,
                             const char *between, char out[CAUSES_PLACE]);
const char *causes_line(const struct causes *c, uint32_t place,
                        char out[CAUSES_PLACE]);

#endif
