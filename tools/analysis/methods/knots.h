/* knots.h - threads that wait for each other and for no others (wPerf, Zhou and
 * others, 2018).
 */
#ifndef TOOLS_ANALYSIS_METHODS_KNOTS_H
#define TOOLS_ANALYSIS_METHODS_KNOTS_H

#include "tools/analysis/methods/methods.h"

/* A stack has so many cycles more by a method: each of its own functions,
 * once. */
void methods_blame(struct methods *m, enum method which, uint32_t stack,
                   uint64_t cycles);

/* Blame waits within knots: where they were ended, and those for a time or a
 * device, which wait for nothing themselves, where they began. */
void knots_blame(struct methods *m);

#endif
