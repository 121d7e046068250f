/* countareas.h - count areas (docs/pif.md 15): the host unit's are handed to
 * every processor, and what is in those of both units at the end of the run
 * goes into the experiment.
 */
#ifndef SIM_COUNTAREAS_H
#define SIM_COUNTAREAS_H

struct machine;
struct perfinst_marks;

void countareas_start(struct machine *m, const struct perfinst_marks *on);
void countareas_write(struct machine *m);

#endif
