/* look.c - see look.h. */
#include "sim/cli/options/look.h"

#include <stdio.h>

#include "sim/core/timing.h"
#include "sim/view/lines.h"

bool look_options_pipe(struct options *o, const char *text, char *why,
                       size_t size)
{
    o->trace = true;
    return pipe_options_add(&o->pipe, text, why, size);
}

bool look_options_lines(struct options *o, const char *text, char *why,
                        size_t size)
{
    o->trace = true;
    return line_options_add(&o->lines, text, why, size);
}

bool look_options_view(struct options *o, const char *text, char *why,
                       size_t size)
{
    o->view = o->trace = true;
    o->view_at = text;
    return !text || view_lines_check(text, why, size);
}

bool look_options_check(const struct options *o, char *why, size_t size)
{
    if (o->pipe.count && !o->setup.timing->stages && !o->setup.ndetail) {
        snprintf(why, size,
                 "--pipe: --mode=%s has no pipeline; --detail=FROM:TO gives "
                 "it one",
                 o->setup.timing->name);
        return false;
    }
    if (o->view && (o->gdb || o->marks.automatic)) {
        snprintf(why, size, "--view: not together with %s",
                 o->gdb ? "--gdb, which stops the run, too"
                        : "--autoprofile, which may run the program again");
        return false;
    }
    return true;
}
