/* cache.c - tags, states, least recently used. See cache.h. */
#include "sim/mem/cache.h"

#include <stdlib.h>
#include <string.h>

static struct line *set_of(struct cache *c, pa_t pa)
{
    return &c->line[((pa >> c->shift) & (c->sets - 1)) * c->ways];
}

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
    pa_t tag = cache_line(c, pa);
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
    l->tag = cache_line(c, pa);
    l->state = (uint8_t)state;
    l->critical = (uint8_t)(pa % c->bytes / BEAT);
    l->beat = (uint16_t)beat;
    l->ready = ready;
    l->written = 0;
    cache_touch(c, l);
}

void cache_invalidate_all(struct cache *c)
{
    memset(c->line, 0, (size_t)c->sets * c->ways * sizeof *c->line);
}
