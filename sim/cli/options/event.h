/* event.h - what --event asks for: definitions, and counters of the
 * host. */
#ifndef SIM_CLI_OPTIONS_EVENT_H
#define SIM_CLI_OPTIONS_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/markspec/perfinst.h"
#include "sim/machine/machine.h"
#include "sim/tasks/marked.h"

/* "NAME = EVENT [and CONDITION]", or "EVENT[:PERIOD][:u|:k|:uk]", the text
 * behind -e. False: `why` has the line. */
bool event_options_add(struct machine_setup *s, const char *text, char *why,
                       size_t size);

/* All options are read: can each counter of the host count in this mode?
 * False: why not. */
bool event_options_check(const struct machine_setup *s, char *why, size_t size);

/* The marks of the host are known, too, and those of programs inside a Linux
 * kernel: can each definition that is counted ever be true by what is set from
 * outside? False: `why` says what is missing. A guest may still set it itself.
 */
bool event_options_can(const struct machine_setup *s,
                       const struct perfinst_marks *marks,
                       const struct marked_files *inside, char *why,
                       size_t size);

#endif
