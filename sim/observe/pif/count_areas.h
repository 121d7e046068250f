/* count_areas.h - count areas (docs/pif.md 15): the host unit's are handed to
 * every processor, and what is in those of both units at the end of the run
 * goes into the experiment.
 */
#ifndef SIM_OBSERVE_PIF_COUNT_AREAS_H
#define SIM_OBSERVE_PIF_COUNT_AREAS_H

#include "pmu/experiment/experiment.h"

struct machine;
struct perfinst_marks;

/* The processors are made and have not run: give each the areas of `on`. */
void count_areas_start(struct machine *m, const struct perfinst_marks *on);
/* Write every area that was on, and its units that are not 0, to e, as of
 * cycle `at`. `on`: what count_areas_start was given, for the texts; NULL:
 * nothing. */
void count_areas_write(struct machine *m, struct experiment *e, cycle_t at,
                       const struct perfinst_marks *on);

#endif
