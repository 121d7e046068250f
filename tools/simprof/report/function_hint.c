/* function_hint.c - functions by the names that people type. */
#include "tools/simprof/report/function_hint.h"

#include <string.h>

#include "lib/base/did_you_mean.h"

void function_refuse(const struct recording *r, const struct options *o,
                     const char *wanted)
{
    char text[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    did_you_mean_begin(&n, wanted);
    for (uint32_t f = 1; f < r->map.functions; f++)
        did_you_mean_offer(&n, loadmap_name(&r->map, f));
    report_refuse(o, "%.200s: no such function%s", wanted,
                  n.count ? did_you_mean_text(&n, text)
                          : ", simprof functions lists them");
}

uint32_t function_hint(const struct recording *r, const char *name)
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
