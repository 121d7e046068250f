/* markers.h - the section .pifmarks of a program whose marks are carried by
 * marker instructions (docs/pif.md, section 3): simmark opcodes writes it,
 * simrun and simprof read it.
 *
 * The instructions that are marked were moved behind their markers, to an
 * *island*; at their old place, their home, stands a branch to it. The section
 * says of every word of the island where it comes from, and of every marked
 * instruction what it was and what its mark is. Big-endian words:
 *   "PMRK", version << 16, address of the island, its bytes, entries;
 *   a word for each word of the island: its home;
 *   entries of 6 words: address in the island, home, what stood there, what
 *   stands there now, indicator, limit. Entry k is marked by pmark n,k.
 * Believes nothing in the section. Prints nothing.
 */
#ifndef PMU_MARKSPEC_MARKERS_H
#define PMU_MARKSPEC_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MARKERS_SECTION ".pifmarks"
#define MARKERS_ISLAND ".pifisland" /* the name of the island itself */
#define MARKERS_MAX 65536u          /* as many as pmark can tell apart */

/* pmark n,k: see docs/pif.md, section 9. */
#define MARKERS_PMARK(n, k)                                                    \
    (UINT32_C(5) << 26 | (uint32_t)(n) << 21 | (uint32_t)(k) << 5 | 11)

struct marker {
    uint32_t address; /* of the marked instruction, in the island */
    uint32_t home;    /* where it stood */
    uint32_t was, is; /* ... what stood, and stands there */
    uint32_t indicator, limit;
};

/* All zero: none. */
struct markers {
    uint32_t island, size;
    uint32_t *home; /* of each word of the island; owned */
    struct marker *entry;
    uint32_t entries;
    uint64_t *order; /* home << 32 | entry, by home; owned */
};

/* False: why has a line, nothing is held. */
bool markers_read(struct markers *m, const void *bytes, size_t size, char *why,
                  size_t room);
/* Is it about this program: a branch to its marker at each home, each marked
 * instruction behind it? word: what stands at an address. False: why. */
bool markers_check(const struct markers *m,
                   bool (*word)(void *arg, uint32_t address, uint32_t *w),
                   void *arg, char *why, size_t room);
/* The section; the caller frees *bytes. */
void markers_write(const struct markers *m, unsigned char **bytes,
                   size_t *size);
void markers_free(struct markers *m);

static inline bool markers_has(const struct markers *m, uint32_t address)
{
    return address - m->island < m->size;
}

/* Where the instruction at an address comes from; the address itself when it
 * is in no island. */
uint32_t markers_home(const struct markers *m, uint32_t address);

/* The entry whose home is there; NULL: none. */
const struct marker *markers_at(const struct markers *m, uint32_t home);

#endif
