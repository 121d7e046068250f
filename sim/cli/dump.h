/* dump.h - the tables, printed for people. */
#ifndef SIM_CLI_DUMP_H
#define SIM_CLI_DUMP_H

#include <stdio.h>

#include "pmu/predicate/predicate.h"

/* Every instruction: encoding, operands, class, unit and latency of the chip,
 * what it writes and reads, who may execute it. */
void dump_insns(FILE *f);

/* Every event: kind, selector in each counter, unit, sentence. */
void dump_events(FILE *f, const struct predicate *d, unsigned n);

#endif
