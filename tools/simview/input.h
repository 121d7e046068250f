/* input.h - keys and mouse. */
#ifndef TOOLS_SIMVIEW_INPUT_H
#define TOOLS_SIMVIEW_INPUT_H

#include "tools/simview/ui.h"

/* What an event of SDL does to what is shown. False: nothing, so that nothing
 * is to be drawn again. */
bool input_event(struct ui *u, const SDL_Event *e);

#endif
