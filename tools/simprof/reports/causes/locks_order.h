/* locks_order.h - in which order the report `locks` has the locks that were
 * taken: what they cost, then the program's own before those of libraries.
 */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_LOCKS_ORDER_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_LOCKS_ORDER_H

#include "tools/analysis/causes/locks.h"

struct locks_row {
    uint32_t lock;
    uint64_t cost, held; /* cycles: waited and spun for it; all */
    bool idle;           /* a library's that no thread waited or spun for */
};

/* Of the locks that were taken; *count: how many. The caller frees. */
struct locks_row *locks_rows(const struct locks *l, struct places *p,
                             size_t *count);

#endif
