/* reasons.c - see reasons.h. */
#include "tools/simprof/scene/reasons.h"

#include <string.h>

#include "tools/simprof/scene/words.h"

#define STALL_LEAST 25 /* percent of a function's cycles */

bool scene_is_reason(const char *column)
{
    static const char *const others[] = {"cycles", "twelfths", "percent",
                                         "function"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (!strcmp(column, others[i]))
            return false;
    return true;
}

/* What most of a row was lost to, beside completing instructions; NULL:
 * nothing. */
const char *scene_dearest(const json_t *row)
{
    const char *column, *most = NULL;
    json_t *value;

    json_object_foreach((json_t *)row, column, value)
    {
        if (scene_is_reason(column) && strcmp(column, "complete") &&
            scene_number(row, column) > (most ? scene_number(row, most) : 0))
            most = column;
    }
    return most;
}

const char *scene_sense_of(const char *reason)
{
#define REASON(name, text)                                                     \
    if (!strcmp(reason, #name))                                                \
        return text;
#include "pmu/stalls.def"
#undef REASON
    return "as docs/timing.md has it";
}

bool scene_stands_out(const json_t *row, const char *reason)
{
    int64_t cost = reason ? scene_number(row, reason) : 0;

    return cost > scene_number(row, "complete") ||
           100 * (double)cost >=
               STALL_LEAST * (double)scene_number(row, "cycles");
}
