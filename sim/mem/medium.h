/* medium.h - what is on a disk: bytes that come from outside when they are
 * first asked for, and those that were written over them.
 *
 * Nothing goes back outside by itself: what is read is what was there when it
 * was read first, and what is written stays here until the owner of the
 * outside asks for it (medium_written). So a run's results do not depend on how
 * the outside takes it. Knows no clock, no requests and no file.
 */
#ifndef SIM_MEM_MEDIUM_H
#define SIM_MEM_MEDIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEDIUM_SECTOR 512u
#define MEDIUM_PAGE 4096u
#define MEDIUM_MAX (UINT64_C(1) << 40) /* bytes */
#define MEDIUM_NONE UINT64_MAX

/* Where bytes come from. `read` puts `size` bytes from offset `at` on to `to`;
 * false: they cannot be had. NULL: there are zeros. */
struct medium_source {
    void *arg;
    bool (*read)(void *arg, uint64_t at, void *to, size_t size);
};

struct medium {
    uint64_t size;  /* bytes, a multiple of MEDIUM_SECTOR; 0: no disk */
    uint8_t *bytes; /* sparse on the host; owned */
    uint8_t *page;  /* one a page: what its bytes are; owned */
    struct medium_source source;
};

/* `size` bytes, at most MEDIUM_MAX and a multiple of MEDIUM_SECTOR. False: the
 * host gives no address space for it. */
bool medium_init(struct medium *d, uint64_t size, struct medium_source from);
/* Of one that is all zeros, too. */
void medium_free(struct medium *d);

/* Is [at, at + size) on it? */
static inline bool medium_has(const struct medium *d, uint64_t at,
                              uint64_t size)
{
    return at <= d->size && size <= d->size - at;
}

/* Bytes on the disk (asserted), as long as nothing else is asked of it and
 * inside one page. `write`: the caller will change them. NULL: what is there
 * cannot be had from outside. */
uint8_t *medium_at(struct medium *d, uint64_t at, size_t size, bool write);

/* The number of the first page from `from` on that was written, or MEDIUM_NONE.
 * Its bytes are d->bytes[page * MEDIUM_PAGE] on, up to the end of the disk. */
uint64_t medium_written(const struct medium *d, uint64_t from);

/* Save or load it: lib/base/snap.h. Only what was written is in there: the
 * outside must be the same, which is the caller's to compare. False: s->why
 * says why. */
struct snap;
bool medium_state(struct snap *s, struct medium *d);

#endif
