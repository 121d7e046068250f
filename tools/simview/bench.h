/* bench.h - how long simview takes to draw. */
#ifndef TOOLS_SIMVIEW_BENCH_H
#define TOOLS_SIMVIEW_BENCH_H

#include "tools/simview/ui.h"

/* Print, for each panel, milliseconds of a processor until it was drawn first,
 * reading what it shows, and of the slowest of `frames` drawings after that
 * with the mouse in different places; for overview and time of an interval,
 * too. */
void bench(struct ui *u, int frames);

#endif
