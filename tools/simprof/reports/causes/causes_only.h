/* causes_only.h - the options --process and --object of the report `causes`:
 * idle time that is because of threads of one process, or of waits for one
 * object. */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_ONLY_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_CAUSES_ONLY_H

#include "tools/analysis/causes/causes.h"
#include "tools/simprof/report/report.h"

struct causes_only {
    const struct scene *scene;
    const char *object; /* its name as it was given; NULL: any */
    bool *waits;        /* by stay: it is for that object */
    bool *lock;         /* by lock of the scene: it is that object */
    bool *poll;         /* by poll: likewise of its word */
    uint32_t process;
    bool one_process;
};

/* False: no thread waits for that, or none is of that process, which is said.
 * The scene stays as long; the caller calls causes_only_close in both cases. */
bool causes_only_open(struct causes_only *c, const struct scene *s,
                      const struct options *o);
void causes_only_close(struct causes_only *c);

/* Is anything left out? */
bool causes_only_some(const struct causes_only *c);

/* struct causes_choice.counts: `c` is a struct causes_only. */
bool causes_only_counts(void *c, uint32_t thread, const struct chain *chain);

/* What is left out, as a line of the report. */
void causes_only_say(const struct causes_only *c, const struct options *o,
                     FILE *to);

#endif
