/* report.c - what all reports share. */
#include "tools/simprof/report.h"

#include <inttypes.h>

#include "tools/lib/text.h"

void report_head(const struct recording *r, const char *title, FILE *to)
{
    char cycles[TEXT_NUMBER], time[TEXT_NUMBER];

    fprintf(to, "%s: %s\n", r->name, title);
    fprintf(to, "%u CPU%s, %s cycles", r->cpus, r->cpus == 1 ? "" : "s",
            text_count(cycles, r->end));
    if (r->clock_hz)
        fprintf(to, " (%s)", text_time(time, r->end, r->clock_hz));
    fputs(r->ended ? "\n\n" : " so far: the run has no end\n\n", to);
}

void report_table(struct table *t, const struct options *o, FILE *to)
{
    if (o->csv)
        table_print_csv(t, to);
    else
        table_print(t, to, o->width);
    table_free(t);
}
