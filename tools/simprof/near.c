/* near.c - functions by the names that people type. */
#include "tools/simprof/near.h"

#include <string.h>

#include "pmu/near.h"

void near_refuse(const struct recording *r, const struct options *o,
                 const char *wanted)
{
    char text[NEAR_TEXT];
    struct near n;

    near_begin(&n, wanted);
    for (uint32_t f = 1; f < r->map.functions; f++)
        near_offer(&n, loadmap_name(&r->map, f));
    report_refuse(o, "%.200s: no such function%s", wanted,
                  n.count ? near_text(&n, text)
                          : ", simprof functions lists them");
}

uint32_t near_function(const struct recording *r, const char *name)
{
    uint32_t alias = LOADMAP_UNKNOWN;

    for (uint32_t f = 1; f < r->map.functions; f++) {
        if (!strcmp(loadmap_name(&r->map, f), name))
            return f;
        if (alias == LOADMAP_UNKNOWN && loadmap_called(&r->map, f, name))
            alias = f;
    }
    return alias;
}
