/* output.h - where a report goes that is a file: what --output names, else
 * where all reports go.
 */
#ifndef TOOLS_SIMPROF_REPORT_OUTPUT_H
#define TOOLS_SIMPROF_REPORT_OUTPUT_H

#include "lib/base/replace_file.h"
#include "tools/simprof/report/report.h"

struct output {
    FILE *to; /* write here */
    struct replace file;
    const struct options *o;
};

/* `to` is used without --output. A file of the experiment is refused. False:
 * nothing may be written, and why is said (report_refuse, report_fail); `out`
 * needs no end. */
bool output_open(struct output *out, const struct recording *r,
                 const struct options *o, FILE *to);

/* No more comes; if `good`, all of it was written. A file whose content is not
 * whole is not put in place, which is said. */
void output_close(struct output *out, bool good);

/* Say that what --output names cannot be written, by errno, and what helps. */
void output_fail(const struct options *o, const char *help);

#endif
