/* detail.h - what --detail asks for: stretches in detail of a run in
 * another mode. */
#ifndef SIM_CLI_OPTIONS_DETAIL_H
#define SIM_CLI_OPTIONS_DETAIL_H

#include "sim/machine/machine.h"

/* "FROM:TO", the text behind --detail, which must outlive the machine. False:
 * `why` has the line. */
bool detail_options_add(struct machine_setup *s, const char *text, char *why,
                        size_t size);

/* All options are read: s->timing is NULL where no --mode stood, and is settled
 * here. Does each stretch make sense, as far as can be said without the
 * program's symbols? False: why not. */
bool detail_options_check(struct machine_setup *s, char *why, size_t size);

#endif
