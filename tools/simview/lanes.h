/* lanes.h - rows of the timeline, and what may be drawn of call trees. */
#ifndef TOOLS_SIMVIEW_LANES_H
#define TOOLS_SIMVIEW_LANES_H

#include "tools/simview/ui.h"

/* Of a scene, which must outlive them. */
void lanes_read(struct lanes *l, struct scene *s);
void lanes_free(struct lanes *l);

/* Rows of `moments`; names are theirs, so that they must outlive them. */
void events_read(struct events *e, const json_t *rows);
void events_free(struct events *e);

/* The columns of the scene's call trees that may be widths; how many. */
size_t metrics_read(struct metric out[METRICS], struct scene *s);

#endif
