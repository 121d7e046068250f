/* prompt.h - a session typed by a person. */
#ifndef TOOLS_SIMPROF_SESSION_PROMPT_H
#define TOOLS_SIMPROF_SESSION_PROMPT_H

#include "tools/simprof/session/session.h"

/* Read commands from the terminal, with editing, history (arrow keys, Ctrl-R)
 * and completion of names (Tab), until `quit` or the end of the input. */
void prompt_run(struct session *s);

#endif
