/* widened.h - widened words: every word of memory has a mark beside it
 * (docs/pif.md 3, carrier 1).
 *
 * One for the whole machine, sparse on the host; plus the tags that one
 * processor's registers carry.
 */
#ifndef PMU_PIF_WIDENED_H
#define PMU_PIF_WIDENED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct widened_word {
    uint32_t address; /* a multiple of 4, + 1: in use */
    uint32_t indicator, limit, count, hits;
    uint64_t before; /* the host's: counts that a limit has cleared */
};

struct widened_tag {
    uint32_t indicator, limit;
};

struct widened {
    struct widened_word *slot; /* a hash; owned */
    size_t slots, used;
    struct widened_tag tag[8][32]; /* of the processors' registers */
    uint64_t copies, clears;       /* marks that a store brought, took away */
};

/* How an instruction moves marks: between registers and aligned words, and
 * which registers it otherwise writes. */
struct widened_move {
    bool load, store, copy;
    uint8_t reg, from;  /* first register; copy: its source */
    uint8_t words;      /* load, store: how many aligned words */
    uint32_t address;   /* ... from here on */
    uint32_t clears;    /* registers that lose their tags, a bit each */
    uint32_t plain;     /* store: address of a word that loses its mark; */
    uint32_t plain_end; /* ... and the first one behind */
};

void widened_free(struct widened *w);
/* NULL: it has no mark. */
struct widened_word *widened_find(const struct widened *w, uint32_t address);
/* The same, made if need be. NULL: the host has no memory. */
struct widened_word *widened_make(struct widened *w, uint32_t address);
/* What the instruction did to the marks. */
void widened_move(struct widened *w, unsigned cpu,
                  const struct widened_move *m);

/* Save or load it: lib/base/snap.h. False: s->why says why. No mark is lost:
 * those that are there when a load begins give way to those that were saved. */
struct snap;
bool widened_state(struct snap *s, struct widened *w);

#endif
