/* ram.c - see ram.h. */
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/snap.h"
#include "sim/mem/ram.h"

#define PAGE 4096u

void *ram_map(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

bool ram_init(struct ram *r, uint32_t size, const char **why)
{
    assert(size && size % PAGE == 0);
    *r = (struct ram){.size = size};
    r->bytes = ram_map(size);
    if (r->bytes)
        return true;
    *r = (struct ram){0};
    *why = RAM_NO_ROOM;
    return false;
}

void ram_free(struct ram *r)
{
    if (r->bytes)
        munmap(r->bytes, r->size);
    *r = (struct ram){0};
}

/* ---- save and load -------------------------------------------------------
 */

#define LAST_PAGE UINT32_MAX

static bool is_zero(const uint8_t *page)
{
    return !page[0] && !memcmp(page, page + 1, PAGE - 1);
}

/* The number of the next page that is saved, from `from` on; LAST_PAGE: there
 * is none. */
static uint32_t next_page(struct snap *s, const struct ram *r, uint32_t from)
{
    uint32_t page = from, pages = r->size / PAGE;

    if (s->way == SNAP_SAVE)
        while (page < pages && is_zero(&r->bytes[(size_t)page * PAGE]))
            page++;
    if (page == pages)
        page = LAST_PAGE;
    SNAP(s, page);
    if (page != LAST_PAGE && (page < from || page >= pages))
        snap_refuse_value(s, "page", page, pages);
    return s->bad || s->way == SNAP_COVER ? LAST_PAGE : page;
}

static void clear_pages(struct ram *r, uint32_t from, uint32_t end)
{
    uint32_t pages = r->size / PAGE;

    for (; from < end && from < pages; from++)
        if (!is_zero(&r->bytes[(size_t)from * PAGE]))
            memset(&r->bytes[(size_t)from * PAGE], 0, PAGE);
}

static void bytes_state(struct snap *s, struct ram *r)
{
    uint32_t from = 0, page;

    while ((page = next_page(s, r, from)) != LAST_PAGE) {
        if (snap_loading(s))
            clear_pages(r, from, page);
        SNAP_MANY(s, &r->bytes[(size_t)page * PAGE], PAGE);
        from = page + 1;
    }
    if (snap_loading(s))
        clear_pages(r, from, LAST_PAGE);
}

bool ram_state(struct snap *s, struct ram *r)
{
    snap_begin(s, "ram", 1);
    SNAP_SAME(s, r->size);
    SNAP_SKIP(s, r->bytes, "where the host has them; they follow");
    bytes_state(s, r);
    return snap_end(s);
}
