/* medium.c - see medium.h. */
#include "sim/mem/medium.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/snap.h"
#include "sim/mem/ram.h"

enum { ABSENT, PRESENT, WRITTEN }; /* of a page */

static uint64_t pages(const struct medium *d)
{
    return (d->size + MEDIUM_PAGE - 1) / MEDIUM_PAGE;
}

bool medium_init(struct medium *d, uint64_t size, struct medium_source from)
{
    assert(size <= MEDIUM_MAX && size % MEDIUM_SECTOR == 0);
    *d = (struct medium){.size = size, .source = from};
    if (!size)
        return true;
    d->bytes = ram_map(pages(d) * MEDIUM_PAGE);
    d->page = ram_map(pages(d));
    if (d->bytes && d->page)
        return true;
    medium_free(d);
    return false;
}

void medium_free(struct medium *d)
{
    if (d->bytes)
        munmap(d->bytes, pages(d) * MEDIUM_PAGE);
    if (d->page)
        munmap(d->page, pages(d));
    *d = (struct medium){0};
}

/* The bytes of a page that the disk has: the last one may be short. */
static size_t page_size(const struct medium *d, uint64_t page)
{
    uint64_t left = d->size - page * MEDIUM_PAGE;

    return left < MEDIUM_PAGE ? (size_t)left : MEDIUM_PAGE;
}

uint8_t *medium_at(struct medium *d, uint64_t at, size_t size, bool write)
{
    uint64_t page = at / MEDIUM_PAGE, from = page * MEDIUM_PAGE;

    assert(medium_has(d, at, size) && at + size <= from + MEDIUM_PAGE);
    if (d->page[page] == ABSENT) {
        if (d->source.read &&
            !d->source.read(d->source.arg, from, d->bytes + from,
                            page_size(d, page)))
            return NULL;
        d->page[page] = PRESENT;
    }
    if (write)
        d->page[page] = WRITTEN;
    return d->bytes + at;
}

uint64_t medium_written(const struct medium *d, uint64_t from)
{
    uint64_t count = pages(d);

    while (from < count && d->page[from] != WRITTEN)
        from++;
    return from < count ? from : MEDIUM_NONE;
}

/* The number of the next page that is saved, from `from` on; MEDIUM_NONE: there
 * is none. */
static uint64_t next_page(struct snap *s, const struct medium *d, uint64_t from)
{
    uint64_t page = MEDIUM_NONE;

    if (s->way == SNAP_SAVE)
        page = medium_written(d, from);
    SNAP(s, page);
    if (page != MEDIUM_NONE && (page < from || page >= pages(d)))
        snap_refuse_value(s, "page", page, pages(d));
    return s->bad || s->way == SNAP_COVER ? MEDIUM_NONE : page;
}

bool medium_state(struct snap *s, struct medium *d)
{
    uint64_t from = 0, page;

    snap_begin(s, "medium", 1);
    SNAP_SAME(s, d->size);
    SNAP_SKIP(s, d->bytes, "where the host has them; they follow");
    SNAP_SKIP(s, d->page, "of what follows");
    SNAP_SKIP(s, d->source, "the host's");
    while ((page = next_page(s, d, from)) != MEDIUM_NONE) {
        SNAP_MANY(s, &d->bytes[page * MEDIUM_PAGE], page_size(d, page));
        d->page[page] = WRITTEN;
        from = page + 1;
    }
    return snap_end(s);
}
