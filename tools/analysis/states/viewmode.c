/* views.c - see viewmode.h. */
#include "tools/analysis/states/viewmode.h"

#include <string.h>

/* VIEWMODE_LAST - STATE_...; that of STATE_SYSTEM is any function of the
 * system.
 */
static const char *const names[STATES_ALL] = {
    [STATE_SYSTEM] = "<system>",   [STATE_RUNNABLE] = "<runnable>",
    [STATE_LOCK] = "<lock>",       [STATE_QUEUE] = "<queue>",
    [STATE_BARRIER] = "<barrier>", [STATE_IO] = "<io>",
    [STATE_PAGE] = "<page>",       [STATE_TIMER] = "<timer>",
    [STATE_STOPPED] = "<stopped>",
};

bool viewmode_open(struct viewmode *v, const struct recording *r,
                   enum viewmode_is is)
{
    *v = (struct viewmode){.is = is, .kernel = recording_system(r)};
    return is != VIEWMODE_USER || v->kernel < 0 || r->map.images > 1;
}

bool viewmode_hides(const struct viewmode *v, const struct recording *r,
                    uint32_t function)
{
    return v->is == VIEWMODE_USER && v->kernel >= 0 &&
           loadmap_function(&r->map, function) &&
           loadmap_image(&r->map, function) == v->kernel;
}

uint32_t viewmode_leaf(const struct viewmode *v, uint32_t state)
{
    return v->is == VIEWMODE_MACHINE || !state ? LOADMAP_UNKNOWN
                                               : VIEWMODE_LAST - state;
}

const char *viewmode_name(uint32_t function)
{
    uint32_t state = VIEWMODE_LAST - function;

    return state < STATES_ALL ? names[state] : NULL;
}
