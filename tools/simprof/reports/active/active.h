/* active.h - the report `active` on tables that no experiment holds. */
#ifndef TOOLS_SIMPROF_REPORTS_ACTIVE_ACTIVE_H
#define TOOLS_SIMPROF_REPORTS_ACTIVE_ACTIVE_H

#include "tools/simprof/report/report.h"

/* Is this a list of table files, "TIMERS,SWITCHES,OVERHEAD", rather than the
 * path of an experiment? */
bool active_is_tables(const char *experiment);

/* The report on them. What is wrong with them, or with what is asked of them,
 * is o->refusal. */
void active_tables(const struct options *o, FILE *to);

#endif
