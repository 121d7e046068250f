/* cache.h - a set-associative tag store with MESI states, and beside it when
 * the words of its lines can be used.
 *
 * Two things, kept apart: `line` says which lines are present and in what
 * state, and depends on no cycle; `arrival` says when, for the frame of the
 * same number, and no state depends on it. Holds no data: memory has it.
 * Callers decide what a miss costs. Geometry: 604 UM p.36-37 (32 KB, 4 ways,
 * 32-byte lines, LRU); all of it but LRU are knobs.
 */
#ifndef SIM_MEM_CACHE_H
#define SIM_MEM_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/types.h"

#define LINE_MAX 64u /* bytes of the longest line there can be */
#define BEAT 8u      /* bytes that the bus carries at once */

#define CACHE_RECENT 1024u

enum mesi { MESI_I, MESI_S, MESI_E, MESI_M };

/* A frame's tag. Of an invalid line that of none, so that it is not found, and
 * no use, so that it is the oldest: line_drop. */
struct line {
    pa_t tag;      /* address of the line */
    uint8_t state; /* enum mesi */
    uint64_t used; /* stamp of the last use, for LRU */
};

#define TAG_NONE 0xFFFFFFFFu /* nothing that is cached lies there */

/* When what is in a frame came, or will; meaningful unless its state is I. */
struct arrival {
    uint64_t ready;   /* cycle its first beat can be used */
    uint64_t written; /* cycle the latest store to it commits; 0: none */
    uint16_t beat;    /* cycles between beats of the fill */
    uint8_t critical; /* beat that arrived first */
};

struct cache {
    unsigned sets, ways; /* sets is a power of two */
    unsigned bytes;      /* of a line: a power of two */
    unsigned shift;      /* ... this one */
    uint64_t stamp;
    uint64_t latest;         /* no word that ever came could be used later */
    struct line *line;       /* sets x ways; owned */
    struct arrival *arrival; /* ... of the same frames; owned */
    struct line *recent[CACHE_RECENT]; /* see cache_recent; of `line`'s */
};

/* kb x 1024 bytes in `ways` ways of lines of `bytes` bytes. False: no memory
 * on the host, or the geometry does not give a power of two of sets. */
bool cache_init(struct cache *c, unsigned kb, unsigned ways, unsigned bytes);
void cache_free(struct cache *c);

/* l becomes invalid. */
static inline void line_drop(struct line *l)
{
    *l = (struct line){.tag = TAG_NONE};
}

/* The address of the line that pa is in. */
static inline pa_t cache_line(const struct cache *c, pa_t pa)
{
    return pa & ~(c->bytes - 1);
}

/* The first way of the set that pa belongs to. */
static inline struct line *cache_set(const struct cache *c, pa_t pa)
{
    return &c->line[((pa >> c->shift) & (c->sets - 1)) * c->ways];
}

/* The valid line that holds pa, or NULL. Does not touch replacement. */
static inline struct line *cache_find(const struct cache *c, pa_t pa)
{
    struct line *l = cache_set(c, pa), *end = l + c->ways;
    pa_t tag = cache_line(c, pa);

    if (LIKELY(c->ways == 4)) { /* the usual geometry, without a loop */
        if (l[0].tag == tag)
            return l;
        if (l[1].tag == tag)
            return l + 1;
        if (l[2].tag == tag)
            return l + 2;
        return l[3].tag == tag ? l + 3 : NULL;
    }
    for (; l < end; l++)
        if (l->tag == tag)
            return l;
    return NULL;
}

/* Where the line of pa is kept in mind, and those that share that place: other
 * ones than share a set, since arrays often lie a power of two apart. */
static inline unsigned cache_recent_place(pa_t pa)
{
    return (pa ^ pa >> 8) >> 5 & (CACHE_RECENT - 1);
}

/* As cache_find, where cache_keep or cache_place was last told of that line
 * among those of its place; else NULL. A hint, on which no state depends. */
static inline struct line *cache_recent(const struct cache *c, pa_t pa)
{
    struct line *l = c->recent[cache_recent_place(pa)];

    return (l->tag ^ pa) < c->bytes ? l : NULL;
}

/* l, which is valid, holds pa. */
static inline void cache_keep(struct cache *c, pa_t pa, struct line *l)
{
    c->recent[cache_recent_place(pa)] = l;
}

/* Note a use. */
static inline void cache_touch(struct cache *c, struct line *l)
{
    l->used = ++c->stamp;
}

/* The way that a fill of pa would take: an invalid one, else the least
 * recently used. The caller disposes of what is in it. No host can tell which
 * it will be: no branch. */
static inline struct line *cache_victim(const struct cache *c, pa_t pa)
{
    struct line *l = cache_set(c, pa);
    unsigned oldest = 0;

    if (LIKELY(c->ways == 4)) {
        unsigned a = l[1].used < l[0].used, b = 2 + (l[3].used < l[2].used);

        return &l[l[b].used < l[a].used ? b : a];
    }
    for (unsigned n = 1; n < c->ways; n++)
        oldest = l[n].used < l[oldest].used ? n : oldest;
    return &l[oldest];
}

/* The number of the frame that l is: way k of set n is frame n * ways + k. */
static inline unsigned cache_frame(const struct cache *c, const struct line *l)
{
    return (unsigned)(l - c->line);
}

/* The double word of its line that pa is in, from 0. */
static inline unsigned cache_word(const struct cache *c, pa_t pa)
{
    return (pa & (c->bytes - 1)) / BEAT;
}

/* Put the line of pa into way l (from cache_victim), as its latest use. Its
 * arrival is the caller's to tell. */
static inline void cache_place(struct cache *c, struct line *l, pa_t pa,
                               enum mesi state)
{
    l->tag = cache_line(c, pa);
    l->state = (uint8_t)state;
    cache_touch(c, l);
    cache_keep(c, pa, l);
}

/* First cycle at which double word `word` of the line in `frame` can be used.
 */
static inline uint64_t cache_usable(const struct cache *c, unsigned frame,
                                    unsigned word)
{
    const struct arrival *a = &c->arrival[frame];
    unsigned beat = (word - a->critical) & (c->bytes / BEAT - 1);

    return a->ready + (uint64_t)beat * a->beat;
}

/* First cycle at which every word of it can be used. */
static inline uint64_t cache_full(const struct cache *c, unsigned frame)
{
    const struct arrival *a = &c->arrival[frame];

    return a->ready + (uint64_t)(c->bytes / BEAT - 1) * a->beat;
}

/* The line in `frame` comes: double word `word` of it, the first, can be used
 * at cycle `ready`, further ones `beat` cycles apart. */
static inline void cache_arrive(struct cache *c, unsigned frame, unsigned word,
                                uint64_t ready, unsigned beat)
{
    uint64_t full;

    c->arrival[frame] = (struct arrival){
        .ready = ready,
        .beat = (uint16_t)beat,
        .critical = (uint8_t)word,
    };
    full = cache_full(c, frame);
    c->latest = c->latest > full ? c->latest : full;
}

/* Every line invalid. Modified ones are lost: callers push them first. */
void cache_invalidate_all(struct cache *c);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool cache_state(struct snap *s, struct cache *c);

#endif
