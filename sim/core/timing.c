/* timing.c - the timing models there are, by name. */
#include "sim/core/timing.h"

#include <string.h>

static const struct timing *const models[] = {&timing_fast, &timing_warm,
                                              &timing_detailed};

const struct timing *timing_at(unsigned k)
{
    return k < sizeof models / sizeof models[0] ? models[k] : NULL;
}

const struct timing *timing_named(const char *name)
{
    const struct timing *t;
    unsigned k = 0;

    while ((t = timing_at(k++)))
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}

bool timing_counts(const struct timing *t, enum event e)
{
    return event_kind(e) == KIND_CLOCK || !t->counts || t->counts(e);
}
