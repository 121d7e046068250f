/* timetree_samples.h - samples by function, out of the experiment's time trees
 * instead of its records.
 */
#ifndef TOOLS_ANALYSIS_TIMETREE_TIMETREE_SAMPLES_H
#define TOOLS_ANALYSIS_TIMETREE_TIMETREE_SAMPLES_H

#include "tools/analysis/profile/samples.h"

/* Count the samples of the interval that r is about into p, whose metrics are
 * open and whose tree is empty: exactly what reading profile.rec would count,
 * but frames are functions. False, and p as it was: not every counter has a
 * tree that tells, exactly and of the records as they are; if there are some,
 * a note says why they were not taken. */
bool timetree_samples(struct samples *p, struct recording *r);

/* Has the first counter a tree? */
bool timetree_samples_there(const struct samples_metrics *m,
                            const struct recording *r);

#endif
