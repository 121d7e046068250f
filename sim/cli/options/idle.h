/* idle.h - what --sample-idle asks for. */
#ifndef SIM_CLI_OPTIONS_IDLE_H
#define SIM_CLI_OPTIONS_IDLE_H

#include "sim/cli/options.h"

/* "PERIOD[:to|:from][:once][:all]", the text behind --sample-idle. False: `why`
 * has the line. */
bool idle_options_parse(struct options *o, const char *text, char *why,
                        size_t size);

#endif
