/* counted.h - what --event asks for: definitions, and counters of the host. */
#ifndef SIM_COUNTED_H
#define SIM_COUNTED_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/machine.h"

/* "NAME = EVENT [and CONDITION]", or "EVENT[:PERIOD][:u|:k|:uk]", the text
 * behind -e. False: `why` has the line. */
bool counted_add(struct machine_setup *s, const char *text, char *why,
                 size_t size);

#endif
