/* cache.c - tags, states, least recently used. See cache.h. */
#include "sim/mem/cache.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/snap.h"

bool cache_init(struct cache *c, unsigned kb, unsigned ways, unsigned bytes)
{
    memset(c, 0, sizeof *c);
    c->ways = ways;
    c->bytes = bytes;
    c->shift = (unsigned)__builtin_ctz(bytes);
    c->sets = kb * 1024 / bytes / ways;
    if (!c->sets || (c->sets & (c->sets - 1)))
        return false;
    c->line = calloc((size_t)c->sets * ways, sizeof *c->line);
    c->arrival = calloc((size_t)c->sets * ways, sizeof *c->arrival);
    for (unsigned n = 0; n < CACHE_RECENT; n++)
        c->recent[n] = c->line; /* invalid, or found not to be the one */
    if (!c->line || !c->arrival) {
        cache_free(c);
        return false;
    }
    cache_invalidate_all(c);
    return true;
}

void cache_free(struct cache *c)
{
    free(c->line);
    free(c->arrival);
    c->line = NULL;
    c->arrival = NULL;
}

void cache_invalidate_all(struct cache *c)
{
    for (size_t n = 0; n < (size_t)c->sets * c->ways; n++)
        line_drop(&c->line[n]);
}

bool cache_state(struct snap *s, struct cache *c)
{
    snap_begin(s, "cache", 2);
    SNAP_SAME(s, c->sets);
    SNAP_SAME(s, c->ways);
    SNAP_SAME(s, c->bytes);
    SNAP_SAME(s, c->shift);
    SNAP(s, c->stamp);
    SNAP(s, c->latest);
    SNAP_SKIP(s, c->line, "where the host has the lines");
    SNAP_OWNS(s, struct line, c->line, (size_t)c->sets * c->ways);
    SNAP_SKIP(s, c->recent, "hints, which change no result");
    SNAP_SKIP(s, c->arrival, "where the host has when they came");
    SNAP_OWNS(s, struct arrival, c->arrival, (size_t)c->sets * c->ways);
    for (size_t n = 0; n < (size_t)c->sets * c->ways; n++) {
        struct line *l = &c->line[n];
        struct arrival *a = &c->arrival[n];

        SNAP(s, l->tag);
        SNAP_BELOW(s, l->state, MESI_M + 1);
        SNAP(s, l->used);
        if (l->state == MESI_I)
            line_drop(l);
        SNAP(s, a->ready);
        SNAP(s, a->written);
        SNAP(s, a->beat);
        SNAP(s, a->critical);
    }
    return snap_end(s);
}
