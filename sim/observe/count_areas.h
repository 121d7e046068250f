/* count_areas.h - count areas (docs/pif.md 15): the host unit's are handed to
 * every processor, and what is in those of both units at the end of the run
 * goes into the experiment.
 */
#ifndef SIM_OBSERVE_COUNT_AREAS_H
#define SIM_OBSERVE_COUNT_AREAS_H

struct machine;
struct perfinst_marks;

void count_areas_start(struct machine *m, const struct perfinst_marks *on);
void count_areas_write(struct machine *m);

#endif
