/* cache.h - a set-associative tag store with MESI states.
 *
 * Knows which lines are present, in what state, and from which cycle their
 * words can be used. Holds no data: memory has it. Callers decide what a miss
 * costs. Geometry: 604 UM p.36-37 (32 KB, 4 ways, 32-byte lines, LRU); all of
 * it but LRU are knobs.
 */
#ifndef SIM_MEM_CACHE_H
#define SIM_MEM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"

#define LINE_MAX 64u /* bytes of the longest line there can be */
#define BEAT 8u      /* bytes that the bus carries at once */

enum mesi { MESI_I, MESI_S, MESI_E, MESI_M };

struct line {
    pa_t tag;         /* address of the line; meaningful unless state is I */
    uint8_t state;    /* enum mesi */
    uint8_t critical; /* beat that arrived first */
    uint16_t beat;    /* cycles between beats of the fill */
    uint64_t ready;   /* cycle its first beat can be used */
    uint64_t written; /* cycle the latest store to it commits; 0: none */
    uint64_t used;    /* stamp of the last use, for LRU */
};

struct cache {
    unsigned sets, ways; /* sets is a power of two */
    unsigned bytes;      /* of a line: a power of two */
    unsigned shift;      /* ... this one */
    uint64_t stamp;
    struct line *line; /* sets x ways; owned */
};

/* kb x 1024 bytes in `ways` ways of lines of `bytes` bytes. False: no memory
 * on the host, or the geometry does not give a power of two of sets. */
bool cache_init(struct cache *c, unsigned kb, unsigned ways, unsigned bytes);
void cache_free(struct cache *c);

/* The address of the line that pa is in. */
static inline pa_t cache_line(const struct cache *c, pa_t pa)
{
    return pa & ~(c->bytes - 1);
}

/* The valid line that holds pa, or NULL. Does not touch replacement. */
struct line *cache_find(struct cache *c, pa_t pa);

/* Note a use. */
static inline void cache_touch(struct cache *c, struct line *l)
{
    l->used = ++c->stamp;
}

/* The way that a fill of pa would take: an invalid one, else the least
 * recently used. The caller disposes of what is in it. */
struct line *cache_victim(struct cache *c, pa_t pa);

/* Put the line of pa into way l (from cache_victim): first beat, the one with
 * pa, usable at cycle `ready`, further ones `beat` cycles apart. */
void cache_fill(struct cache *c, struct line *l, pa_t pa, enum mesi state,
                uint64_t ready, unsigned beat);

/* First cycle at which the double word of pa can be used. */
static inline uint64_t cache_usable(const struct cache *c, const struct line *l,
                                    pa_t pa)
{
    unsigned beat = (pa / BEAT - l->critical) & (c->bytes / BEAT - 1);

    return l->ready + (uint64_t)beat * l->beat;
}

/* First cycle at which every word of it can be used. */
static inline uint64_t cache_full(const struct cache *c, const struct line *l)
{
    return l->ready + (uint64_t)(c->bytes / BEAT - 1) * l->beat;
}

/* Every line invalid. Modified ones are lost: callers push them first. */
void cache_invalidate_all(struct cache *c);

#endif
