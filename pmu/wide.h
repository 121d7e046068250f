/* wide.h - widened words: every word of memory has a mark beside it
 * (docs/pif.md 3, carrier 1).
 *
 * One for the whole machine, sparse on the host; plus the tags that one
 * processor's registers carry.
 */
#ifndef PMU_WIDE_H
#define PMU_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wide_word {
    uint32_t address; /* a multiple of 4, + 1: in use */
    uint32_t indicator, limit, count, hits;
    uint64_t before; /* the host's: counts that a limit has cleared */
};

struct wide_tag {
    uint32_t indicator, limit;
};

struct wide {
    struct wide_word *slot; /* a hash; owned */
    size_t slots, used;
    struct wide_tag tag[8][32]; /* of the processors' registers */
    uint64_t copies, clears;    /* marks that a store brought, took away */
};

/* How an instruction moves marks: between registers and aligned words, and
 * which registers it otherwise writes. */
struct wide_move {
    bool load, store, copy;
    uint8_t reg, from;  /* first register; copy: its source */
    uint8_t words;      /* load, store: how many aligned words */
    uint32_t address;   /* ... from here on */
    uint32_t clears;    /* registers that lose their tags, a bit each */
    uint32_t plain;     /* store: address of a word that loses its mark; */
    uint32_t plain_end; /* ... and the first one behind */
};

void wide_init(struct wide *w);
void wide_free(struct wide *w);
/* NULL: it has no mark. */
struct wide_word *wide_find(const struct wide *w, uint32_t address);
/* The same, made if need be. NULL: the host has no memory. */
struct wide_word *wide_make(struct wide *w, uint32_t address);
/* What the instruction did to the marks. */
void wide_move(struct wide *w, unsigned cpu, const struct wide_move *m);

#endif
