/* locks_spun.h - the words that threads spun for, a table of the report
 * `locks`.
 */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_LOCKS_SPUN_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_LOCKS_SPUN_H

#include "tools/analysis/causes/causes.h"
#include "tools/simprof/report/report.h"

/* Of c are used recording, scene and places. Spins of the interval that the
 * recording is set to, of one thread (scene) or, SCENE_NONE, of all. Nothing
 * where they are less than a thousandth of the interval; in CSV all. */
void locks_print_spun(const struct causes *c, uint32_t thread,
                      const struct options *o, FILE *to);

#endif
