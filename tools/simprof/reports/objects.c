/* objects.c - the report `objects`: load objects, exclusive and inclusive. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/simprof/view/group.h"

/* The number of an object; behind them what is of none, by itself. */
static uint64_t key(void *arg, const struct samples_frame *frame)
{
    const struct recording *r = arg;
    long image = loadmap_image(&r->map, frame->function);

    return image < 0 ? (uint64_t)UINT32_MAX + frame->function + 1
                     : (uint64_t)image;
}

static void name(void *arg, const struct samples_frame *frame,
                 char out[GROUP_NAME])
{
    const struct recording *r = arg;
    char *object;

    if (loadmap_image(&r->map, frame->function) < 0) {
        snprintf(out, GROUP_NAME, "%s", samples_name(r, frame->function));
        return;
    }
    object = group_object(r, frame->function);
    snprintf(out, GROUP_NAME, "%s", object);
    free(object);
}

void report_objects(struct recording *r, const struct options *o, FILE *to)
{
    struct grouping by = {key, name, r, true};

    group_report(r, o, &by, "metrics by load object", "object", to);
}
