/* leave.h - of code that no function is known for, such as what a program
 * makes while it runs: where the caller is. There is no first instruction to
 * begin at (sim/unwind.h), so the code is followed from the stop on, to where
 * it returns. Reads memory, changes nothing.
 */
#ifndef SIM_LEAVE_H
#define SIM_LEAVE_H

#include "sim/entry.h"
#include "sim/unwind.h"

/* A stop before the instruction at s->pc was executed. False: a function is
 * known there, or no way out was found. */
bool leave_at(const struct core *c, const struct names *names,
              const struct stop *s, struct unwind *u);

#endif
