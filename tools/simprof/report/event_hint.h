/* event_hint.h - what an experiment has that could be meant by an event's name
 * that it has not.
 */
#ifndef TOOLS_SIMPROF_REPORT_EVENT_HINT_H
#define TOOLS_SIMPROF_REPORT_EVENT_HINT_H

#include "lib/base/did_you_mean.h"
#include "tools/analysis/experiment/recording.h"

/* "; did you mean blocked?": near are counters that took samples, and, where
 * `others` are taken as well, the waits of threads and idle-transition samples
 * that were recorded. "": nothing is near. Returns out. */
const char *event_hint(struct recording *r, const char *wanted, bool others,
                       char out[DID_YOU_MEAN_TEXT]);

#endif
