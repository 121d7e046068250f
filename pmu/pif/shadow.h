/* shadow.h - shadow storage and the cache in front of it, one side
 * (instructions or data) of one processor: docs/pif.md, sections 3 and 5.
 *
 * A frame holds the indicators of one block and what was counted since it was
 * filled. Where blocks come from is a source: tables in the guest's memory,
 * or marks that the host made. The frames correspond to those of the
 * instruction or data cache; the caller says which frame an address is in.
 */
#ifndef PMU_PIF_SHADOW_H
#define PMU_PIF_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "include/mark_bits.h"
#include "pmu/pif/host_marks.h"

#define BLOCK_WORDS 16u /* of the largest block there can be */

/* A main segment, as registered; its shadow in memory. */
struct shadow_segment {
    uint32_t base, size; /* bytes; size 0: none */
    uint32_t table;
    bool insn, data; /* whose lookups use it */
};

struct shadow_source {
    uint8_t *ram; /* physical memory, not owned */
    uint32_t ram_size;
    struct shadow_segment segment[PIF_SEGMENTS];
    struct host_marks *marks; /* instead, unless NULL */
    struct host_view view;    /* ... of the address space of the moment */
    uint32_t block;           /* bytes of a block: a cache line */
    uint32_t counter;         /* bits that a counter has: a mask */
};

/* The first byte of the block of an address, and which of its words that is. */
static inline uint32_t shadow_line(const struct shadow_source *o, uint32_t at)
{
    return at & ~(o->block - 1);
}

static inline unsigned shadow_word(const struct shadow_source *o, uint32_t at)
{
    return (at & (o->block - 1)) / 4;
}

struct shadow_side;

struct shadow_frame {
    uint32_t line;    /* the main block: its address | 1; 0: empty */
    uint32_t context; /* 0: any */
    uint8_t format;   /* SHADOW_...; NONE: nothing is marked in it */
    uint32_t block;   /* address of the shadow block */
    uint32_t mark;    /* host: index of its block in marks */
    uint32_t indicator[BLOCK_WORDS];
    uint32_t limit[BLOCK_WORDS];
    uint32_t base[BLOCK_WORDS];         /* count in storage at the fill */
    uint32_t delta[BLOCK_WORDS];        /* counted since */
    uint32_t hits[BLOCK_WORDS];         /* exceedances since */
    struct shadow_frame *older, *newer; /* in a pool */
};

/* Frames that instructions and data share, when there are fewer of them than
 * frames of the caches. The one that was not looked up for longest gives way.
 */
struct shadow_pool {
    unsigned frames, used; /* frames 0: as many as there are lines */
    struct shadow_frame *oldest, *newest;
    struct shadow_side *side; /* both */
};

/* docs/pif.md 6 */
struct shadow_stats {
    uint64_t lookups, hits;
    uint64_t fills, late, fill_bytes;
    uint64_t writebacks, writeback_bytes;
    uint64_t conflicts;
    uint64_t evictions; /* frames whose line went away */
};

struct shadow_side {
    struct shadow_source *source; /* not owned */
    bool data;                    /* the side */
    unsigned frames;              /* + one for what is not cached */
    struct shadow_frame *frame;   /* owned; NULL until first used */
    struct shadow_pool *pool;
    struct shadow_stats stats;
    uint64_t counted_at; /* cycle of the latest count, for conflicts */
    uint64_t changes;    /* of what frames hold; only ever compared */
};

/* Does f hold the block of pa, at effective address ea? */
static inline bool shadow_holds(const struct shadow_side *s,
                                const struct shadow_frame *f, uint32_t pa,
                                uint32_t ea)
{
    if (f->line != (shadow_line(s->source, pa) | 1))
        return false;
    return !s->source->marks || f->block == shadow_line(s->source, ea);
}

/* Make room for `frames` + 1 frames. False: no memory on the host. */
bool shadow_init(struct shadow_side *s, struct shadow_source *source, bool data,
                 unsigned frames, struct shadow_pool *pool);
void shadow_free(struct shadow_side *s);

/* The frame at `index` takes the block of pa, at effective address ea (which
 * marks of the host go by); what was in it is written back. Nothing happens
 * when it holds that already. */
void shadow_fill(struct shadow_side *s, unsigned index, uint32_t pa,
                 uint32_t ea);

/* The frame of a word that is looked up; NULL: nothing is marked there for
 * this context. index = frames: not cached. */
struct shadow_frame *shadow_look(struct shadow_side *s, unsigned index,
                                 uint32_t pa, uint32_t ea, uint32_t context);

/* One more execution or access, or n exceedances, of a word of f at cycle
 * `at`. Nothing where the format has no counters. */
void shadow_count(struct shadow_side *s, struct shadow_frame *f, unsigned word,
                  uint64_t at);
void shadow_hit(struct shadow_side *s, struct shadow_frame *f, unsigned word,
                uint32_t n);

/* The processor's view of the counter: storage at the fill, and its own. */
static inline uint32_t shadow_view(const struct shadow_frame *f, unsigned word)
{
    return f->base[word] + f->delta[word];
}

/* What all processors counted of a word that the host marked, since a limit
 * last cleared it. No frame need be written back for that. */
uint32_t shadow_since(const struct shadow_side *s, const struct shadow_frame *f,
                      unsigned word);

/* Clear the counter of a word, in storage and here. Returns what it was. */
uint32_t shadow_clear(struct shadow_side *s, struct shadow_frame *f,
                      unsigned word);
/* That of this word of the host's marks is about to be cleared: what all
 * frames counted of it goes to storage, and they count from 0 on. */
void shadow_clear_soon(struct shadow_side *s, uint32_t mark, unsigned word);

/* How many frames it has, or shares; and the bits of storage of them all:
 * docs/pif.md 6. */
unsigned shadow_frames(const struct shadow_side *s);
uint64_t shadow_bits(const struct shadow_side *s);

/* The line is gone: write back, empty the frame. */
void shadow_drop(struct shadow_side *s, unsigned index);
/* All of them. */
void shadow_gather(struct shadow_side *s);
/* Those that hold a block of the `size` bytes from base on. */
void shadow_drop_stretch(struct shadow_side *s, uint32_t base, uint32_t size);
/* ... of what the host marked, at effective addresses. */
void shadow_drop_seen(struct shadow_side *s, uint32_t start, uint32_t size);
/* Those that hold the block of pa. */
void shadow_drop_block(struct shadow_side *s, uint32_t pa);
/* Add what is counted of one word of f to storage now. */
void shadow_settle_word(struct shadow_side *s, struct shadow_frame *f,
                        unsigned word);

/* Nothing is marked in the `size` bytes from pa on, at effective address ea,
 * nor has any frame a count of theirs. */
bool shadow_bare(const struct shadow_side *s, uint32_t pa, uint32_t ea,
                 uint32_t size);

/* What the frames count of the word at pa and storage does not have yet. */
uint32_t shadow_own(const struct shadow_side *s, uint32_t pa);

/* The counter of a word in the guest's storage. False: it has none. */
bool shadow_stored(const struct shadow_source *o, bool data, uint32_t pa,
                   uint32_t *count);
bool shadow_store(struct shadow_source *o, bool data, uint32_t pa,
                  uint32_t count);

/* Save or load one side, or the order of both sides' frames in their pool: lib/
 * base/snap.h. False: s->why says why. Sides come before their pool. */
struct snap;
bool shadow_state(struct snap *s, struct shadow_side *side);
bool shadow_pool_state(struct snap *s, struct shadow_pool *p);
bool shadow_source_state(struct snap *s, struct shadow_source *o);

#endif
