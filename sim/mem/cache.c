/* cache.c - tags, states, least recently used. See cache.h. */
#include "sim/mem/cache.h"

#include <stdlib.h>
#include <string.h>

static struct line *set_of(struct cache *c, pa_t pa)
{
    return &c->line[((pa >> LINE_SHIFT) & (c->sets - 1)) * c->ways];
}

bool cache_init(struct cache *c, unsigned kb, unsigned ways)
{
    memset(c, 0, sizeof *c);
    c->ways = ways;
    c->sets = kb * 1024 / LINE_SIZE / ways;
    if (!c->sets || (c->sets & (c->sets - 1)))
        return false;
    c->line = calloc((size_t)c->sets * ways, sizeof *c->line);
    return c->line != NULL;
}

void cache_free(struct cache *c)
{
    free(c->line);
    c->line = NULL;
}

struct line *cache_find(struct cache *c, pa_t pa)
{
    struct line *l = set_of(c, pa);
    pa_t tag = pa & ~(LINE_SIZE - 1);
    unsigned i;

    for (i = 0; i < c->ways; i++)
        if (l[i].tag == tag && l[i].state != MESI_I)
            return &l[i];
    return NULL;
}

struct line *cache_victim(struct cache *c, pa_t pa)
{
    struct line *l = set_of(c, pa), *oldest = l;
    unsigned i;

    for (i = 0; i < c->ways; i++) {
        if (l[i].state == MESI_I)
            return &l[i];
        if (l[i].used < oldest->used)
            oldest = &l[i];
    }
    return oldest;
}

void cache_fill(struct cache *c, struct line *l, pa_t pa, enum mesi state,
                uint64_t ready, unsigned beat)
{
    l->tag = pa & ~(LINE_SIZE - 1);
    l->state = (uint8_t)state;
    l->critical = (uint8_t)(pa / 8 % LINE_BEATS);
    l->beat = (uint16_t)beat;
    l->ready = ready;
    l->written = 0;
    cache_touch(c, l);
}

void cache_invalidate_all(struct cache *c)
{
    memset(c->line, 0, (size_t)c->sets * c->ways * sizeof *c->line);
}
