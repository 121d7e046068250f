/* decode_cache.h - the instructions of memory, decoded: a record per word, made
 * when the word is first fetched, forgotten when it is stored to or when icbi
 * names its line. One for all processors, by physical address.
 *
 * Memory (sim/mem/ram.h) knows nothing of it. Each who stores to memory asks
 * code_page[] whether there may be records on the page, and tells the cache if
 * so: isa/ through struct port, debugger, system calls, count areas. No clock.
 */
#ifndef SIM_MEM_DECODE_CACHE_H
#define SIM_MEM_DECODE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"
#include "sim/mem/ram.h"

#define DECODE_PAGE 4096u /* bytes that an entry of code_page[] is of */

/* Something that keeps more of decoded code than its records. */
struct decode_listener {
    void *arg;
    /* Records of bytes pa to pa + size - 1 are forgotten by now. */
    void (*forgotten)(void *arg, pa_t pa, unsigned size);
    struct decode_listener *next; /* the cache's */
};

#define DECODE_WATCHES 256u

struct decode_cache {
    const struct ram *ram; /* not owned */
    struct insn *insns;    /* one a word of memory; zeros: not decoded */
    uint8_t *code_page;    /* one a page of memory: there have been records */
    uint64_t forgotten;    /* records so far: code changed, or may have */
    struct decode_listener *listeners; /* not owned */
    pa_t watch[DECODE_WATCHES];        /* words whose records are watched */
    unsigned watches;
};

/* An empty cache of r, which outlives it. Sparse on the host: a page of records
 * costs nothing until it is touched. False: the host has no room; *why says so
 * in words, not owned by the caller. */
bool decode_cache_init(struct decode_cache *d, const struct ram *r,
                       const char **why);
/* Of a cache that is all zeros, too. */
void decode_cache_free(struct decode_cache *d);

/* The record of the word at pa (a multiple of 4, inside memory), decoded if
 * need be. Owned by the cache; valid until the word is forgotten, and then its
 * exec is NULL until the word is decoded again, in the same place. Records of a
 * page lie behind each other. */
struct insn *decode_cache_at(struct decode_cache *d, pa_t pa);

/* Is there a record of the word that pa is in? */
static inline bool decode_cache_has(const struct decode_cache *d, pa_t pa)
{
    return d->insns[pa / 4].exec;
}

/* The physical address whose record i is; i comes from decode_cache_at. */
static inline pa_t decode_cache_pa(const struct decode_cache *d,
                                   const struct insn *i)
{
    return (pa_t)(i - d->insns) * 4;
}

/* May there be records on the page of pa? */
static inline bool decode_cache_code(const struct decode_cache *d, pa_t pa)
{
    return d->code_page[pa / DECODE_PAGE];
}

/* Bytes pa to pa + size - 1 changed, or icbi named them: the records of the
 * words that they are in are forgotten, and listeners hear of it if there was
 * one. What is behind memory is ignored. */
void decode_cache_forget(struct decode_cache *d, pa_t pa, unsigned size);

/* From now on the port hears whenever the word at pa (a multiple of 4, inside
 * memory) is about to run, whatever is stored there (isa_watch); more than once
 * is once. False: there are DECODE_WATCHES already. */
bool decode_cache_watch(struct decode_cache *d, pa_t pa);

/* From now on l, which the caller owns, hears what is forgotten; `on` false: no
 * longer. A listener may not forget records itself. */
void decode_cache_listen(struct decode_cache *d, struct decode_listener *l,
                         bool on);

/* The place of the record of the word at pa (inside memory), decoded or not. */
static inline struct insn *decode_cache_place(const struct decode_cache *d,
                                              pa_t pa)
{
    return &d->insns[pa / 4];
}

/* Save or load it, behind its memory: lib/base/snap.h. Records are made again,
 * of the words that had one. False: s->why says why. */
struct snap;
bool decode_cache_state(struct snap *s, struct decode_cache *d);

#endif
