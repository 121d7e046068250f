/* statistics.h - how states of threads are put together in the report
 * `statistics`: each is in one group, and its columns are these.
 */
#ifndef TOOLS_SIMPROF_REPORTS_STATISTICS_H
#define TOOLS_SIMPROF_REPORTS_STATISTICS_H

#include <stdint.h>

#define STATISTICS_GROUPS 6

/* A state of state.rec: the number of its column. */
unsigned statistics_group(uint32_t state);

#endif
