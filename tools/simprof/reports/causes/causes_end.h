/* causes_end.h - how a run ended: with threads that can not go on. */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_END_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_END_H

#include <stdbool.h>

struct recording;

enum causes_end {
    CAUSES_END_OTHER,    /* there are none, or it is not recorded */
    CAUSES_END_DEADLOCK, /* some wait for locks of each other's */
    CAUSES_END_FOR_EVER, /* all that are left wait, for what none does */
};

/* *sentence: who waits for what, where, as `causes` says it; the caller frees
 * it. NULL where the run ended otherwise. */
enum causes_end causes_end(struct recording *r, char **sentence);

#endif
