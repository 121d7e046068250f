/* lanes.h - rows of the timeline and of the call tree, as they are drawn. */
#ifndef TOOLS_SIMVIEW_LANES_H
#define TOOLS_SIMVIEW_LANES_H

#include "tools/simview/ui.h"

/* Of a scene, which must outlive them. */
void lanes_read(struct lanes *l, struct scene *s);
void lanes_free(struct lanes *l);
void calls_read(struct calls *c, struct scene *s);
void calls_free(struct calls *c);

#endif
