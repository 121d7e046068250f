/* detail.c - see detail.h. */
#include "sim/cli/options/detail.h"

#include <stdio.h>

#include "sim/core/timing.h"

bool detail_options_add(struct machine_setup *s, const char *text, char *why,
                        size_t size)
{
    if (s->ndetail == MODES_STRETCHES) {
        snprintf(why, size, "--detail=%s: %d stretches are all there are", text,
                 MODES_STRETCHES);
        return false;
    }
    s->detail[s->ndetail++] = text;
    return true;
}

bool detail_options_check(struct machine_setup *s, char *why, size_t size)
{
    struct stretch any;

    if (!s->ndetail && s->detail_fill != MODES_FILL) {
        snprintf(why, size,
                 "--detail-fill: of which stretch? give "
                 "--detail=FROM:TO");
        return false;
    }
    if (s->ndetail && s->timing && !s->timing->counts) {
        snprintf(why, size,
                 "--detail: the whole run is in --mode=%s; leave that out, or "
                 "give --mode=fast or warm",
                 s->timing->name);
        return false;
    }
    if (!s->timing)
        s->timing = s->ndetail ? &timing_warm : &timing_detailed;
    for (unsigned n = 0; n < s->ndetail; n++)
        if (!modes_parse(s->detail[n], NULL, s->detail_fill, &any, why, size))
            return false;
    return true;
}
