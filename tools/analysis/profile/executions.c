/* executions.c - see executions.h. */
#include "tools/analysis/profile/executions.h"

#include <stdlib.h>

#include "lib/base/grow.h"

static uint64_t key(uint32_t function, uint32_t offset)
{
    return (uint64_t)function << 32 | offset;
}

void executions_read(struct executions *e, struct recording *r)
{
    struct mark_counts m;

    *e = (struct executions){.list = NULL};
    mark_counts_read(&m, r);
    for (size_t n = 0; n < m.marks; n++) {
        struct place at;
        bool fresh;
        uint32_t *number;

        if (!mark_count_executions(&m.mark[n]))
            continue;
        at = mark_count_place(r, &m.mark[n]);
        if (at.function == LOADMAP_UNKNOWN)
            continue;
        number = hash_at(&e->at, key(at.function, at.offset), &fresh);
        if (fresh) {
            *number = (uint32_t)e->count;
            e->list = grow(e->list, &e->room, e->count + 1, sizeof *e->list);
            e->list[e->count++] = (struct execution){.at = at};
        }
        e->list[*number].count += m.mark[n].count;
    }
    mark_counts_free(&m);
}

void executions_free(struct executions *e)
{
    free(e->list);
    hash_free(&e->at);
    *e = (struct executions){.list = NULL};
}

const uint64_t *executions_of(const struct executions *e, uint32_t function,
                              uint32_t offset)
{
    const uint32_t *number = hash_find(&e->at, key(function, offset));

    return number ? &e->list[*number].count : NULL;
}

bool executions_any(const struct executions *e, uint32_t function)
{
    for (size_t n = 0; n < e->count; n++)
        if (e->list[n].at.function == function)
            return true;
    return false;
}
