/* space.c - regions, pages and the hashed page table of a user program.
 * Knows no thread and no system call.
 */
#include "sim/user/mm/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/user/abi.h"
#include "sim/user/mm/deferred_write.h"
#include "sim/user/mm/pages.h"
#include "sim/user/mm/shared.h"

#define GROUP 64u      /* bytes of a group of the page table */
#define REGIONS 65530u /* as many mappings as Linux lets a program have */

/* ---- life ---------------------------------------------------------------- */

bool space_init(struct space *s, struct ram *ram)
{
    uint32_t size = 1u << 16;

    /* A group of eight entries for every two pages, as the manual asks. */
    while (size < ram->size / 128 && size < 1u << 25)
        size <<= 1;
    if (ram->size < 2 * size + 16 * ABI_PAGE)
        return false;
    s->ram = ram;
    s->htab = (ram->size - size) & ~(size - 1);
    s->groups = size / GROUP;
    s->vsid = 16;
    s->unused = ABI_PAGE;
    s->limit = s->htab;
    s->free = malloc(sizeof *s->free * (s->limit / ABI_PAGE));
    s->room = 64;
    s->rows = malloc(sizeof *s->rows * s->room);
    s->region = s->rows ? s->rows + s->room / 2 : NULL;
    return s->free && s->rows;
}

uint32_t space_layout(const struct space *s, uint32_t what, uint32_t below)
{
    uint64_t x = ((uint64_t)s->layout << 32) + what;

    if (!s->layout)
        return 0;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(x ^ x >> 31) & (below - 1);
}

void space_free(struct space *s)
{
    deferred_write_forget(s, 0, UINT32_MAX);
    for (unsigned i = 0; i < s->regions; i++)
        shared_drop(s, s->region[i].file);
    for (unsigned i = 0; i < 1024; i++)
        free(s->table[i]);
    free(s->rows);
    free(s->free);
    s->rows = s->region = NULL;
    s->free = NULL;
    s->regions = 0;
}

uint32_t space_sdr1(const struct space *s)
{
    return s->htab | ((s->groups * GROUP >> 16) - 1);
}

/* ---- pages --------------------------------------------------------------- */

/* A page of r goes; its frame may be used for another unless a second mapping
 * has it. */
static void page_drop(struct space *s, const struct region *r, ea_t ea)
{
    uint32_t page = page_get(s, ea);

    deferred_write_forget(s, ea, ABI_PAGE);
    if (!(page & PAGE_THERE))
        return;
    entry_drop(s, ea);
    *page_slot(s, ea) = 0;
    if (!r->shared || shared_leave(r, ea))
        s->free[s->freed++] = page & ~(ABI_PAGE - 1);
}

void space_drop(struct space *s, const struct region *r, ea_t from, ea_t to)
{
    for (ea_t page = from; page < to; page += ABI_PAGE)
        page_drop(s, r, page);
}

/* The frame of a page of r, made if need be. 0: *why. */
static pa_t page_have(struct space *s, const struct region *r, ea_t page,
                      enum fault *why)
{
    uint32_t *slot = page_slot(s, page);
    pa_t frame;

    if (slot && *slot & PAGE_THERE)
        return *slot & ~(ABI_PAGE - 1);
    *why = FAULT_ROOM;
    if (!slot)
        return 0;
    frame = r->shared ? shared_frame(r, page) : 0;
    if (frame) {
        *slot = frame | PAGE_THERE;
        shared_take(r, page, frame);
        return frame;
    }
    if (!(frame = frame_get(s)))
        return 0;
    if (!shared_fill(s, r, page, frame)) {
        s->free[s->freed++] = frame;
        *why = FAULT_BEYOND;
        return 0;
    }
    deferred_write_made(s, page, s->ram->bytes + frame);
    *slot = frame | PAGE_THERE;
    if (r->shared)
        shared_take(r, page, frame);
    return frame;
}

enum fault space_fault(struct space *s, ea_t ea, unsigned how)
{
    const struct region *r = space_find(s, ea);
    ea_t page = ea & ~(ABI_PAGE - 1);
    enum fault why;
    pa_t frame;

    if (!r)
        return FAULT_UNMAPPED;
    /* What can be read can be executed: pages of the 604e say no more. */
    if (!(how & SPACE_WRITE ? r->prot & SPACE_WRITE : r->prot))
        return FAULT_DENIED;
    frame = page_have(s, r, page, &why);
    if (!frame)
        return why;
    entry_make(s, page, frame, r->prot);
    return FAULT_FIXED;
}

/* ---- regions ------------------------------------------------------------- */

/* The first region that ends behind `at`. */
static unsigned region_from(const struct space *s, ea_t at)
{
    unsigned low = 0, high = s->regions;

    while (low < high) {
        unsigned mid = (low + high) / 2;

        if (s->region[mid].end > at)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

const struct region *space_find(const struct space *s, ea_t at)
{
    unsigned i = region_from(s, at);

    return i < s->regions && s->region[i].start <= at ? &s->region[i] : NULL;
}

bool space_vacant(const struct space *s, ea_t at, uint32_t length)
{
    unsigned i = region_from(s, at);

    return i == s->regions || s->region[i].start >= at + length;
}

bool space_whole(const struct space *s, ea_t at, uint32_t length)
{
    ea_t end = at + length;

    for (unsigned i = region_from(s, at); end >= at && i < s->regions; i++) {
        if (s->region[i].start > at)
            return false;
        at = s->region[i].end;
        if (at >= end)
            return true;
    }
    return false;
}

/* The largest n of which a hole of this length has 2^n pages. */
static unsigned class_of(uint32_t length)
{
    unsigned n = 0;

    while (n + 1 < SPACE_TOP_CLASSES && length / ABI_PAGE >> (n + 1))
        n++;
    return n;
}

/* A hole ends at the first region behind `at`: searches begin there again. */
static void search_again(struct space *s, ea_t at)
{
    unsigned i = region_from(s, at);
    ea_t top = i < s->regions ? s->region[i].start : s->searched_below;

    top = top < s->searched_below ? top : s->searched_below;
    for (unsigned n = 0; n < SPACE_TOP_CLASSES; n++)
        if (s->searched[n] < top)
            s->searched[n] = top;
}

ea_t space_place(struct space *s, uint32_t length, ea_t below)
{
    unsigned class = class_of(length), i;
    ea_t end;

    if (s->searched_below != below)
        for (unsigned n = 0; n < SPACE_TOP_CLASSES; n++)
            s->searched[n] = below;
    s->searched_below = below;
    end = s->searched[class];
    i = region_from(s, end - 1);
    if (i < s->regions && s->region[i].start < end)
        end = s->region[i].start;
    for (bool small = true;;) {
        ea_t start = i ? s->region[i - 1].end : SPACE_LOW;
        uint32_t hole = end > start ? end - start : 0;

        if (small)
            s->searched[class] = end;
        small &= class_of(hole) < class || !hole;
        if (end >= SPACE_LOW && end - SPACE_LOW >= length && hole >= length)
            return end - length;
        if (i == 0)
            return 0;
        end = s->region[--i].start;
    }
}

/* As much room in front as behind, and twice as much where half is taken. */
static bool make_room(struct space *s)
{
    unsigned room = s->regions > s->room / 2 ? 2 * s->room : s->room;
    struct region *rows = malloc(room * sizeof *rows);
    unsigned front = (room - s->regions) / 2;

    if (!rows)
        return false;
    memcpy(rows + front, s->region, s->regions * sizeof *rows);
    free(s->rows);
    s->rows = rows;
    s->room = room;
    s->region = rows + front;
    return true;
}

/* The shorter end makes room, if it can. */
static bool region_insert(struct space *s, unsigned at, struct region r)
{
    unsigned front = (unsigned)(s->region - s->rows);
    unsigned behind = s->room - front - s->regions;

    if (s->regions >= REGIONS ||
        (!(at < s->regions / 2 ? front : behind) && !make_room(s)))
        return false;
    if (at < s->regions / 2) {
        memmove(s->region - 1, s->region, at * sizeof r);
        s->region--;
    } else {
        memmove(&s->region[at + 1], &s->region[at],
                (s->regions - at) * sizeof r);
    }
    s->region[at] = r;
    s->regions++;
    shared_hold(r.file);
    return true;
}

static void region_remove(struct space *s, unsigned at)
{
    struct space_file *file = s->region[at].file;

    s->regions--;
    if (at < s->regions / 2) {
        memmove(s->region + 1, s->region, at * sizeof s->region[0]);
        s->region++;
    } else {
        memmove(&s->region[at], &s->region[at + 1],
                (s->regions - at) * sizeof s->region[0]);
    }
    shared_drop(s, file);
}

/* Let a region begin at `at` if one covers it. */
static bool region_split(struct space *s, ea_t at)
{
    unsigned i = region_from(s, at);
    struct region second;

    if (i == s->regions || s->region[i].start >= at)
        return true;
    second = s->region[i];
    second.offset += at - second.start;
    second.start = at;
    if (!region_insert(s, i + 1, second))
        return false;
    s->region[i].end = at;
    return true;
}

static bool alike(const struct region *a, const struct region *b)
{
    return a->end == b->start && a->prot == b->prot && a->file == b->file &&
           a->shared == b->shared && a->may_write == b->may_write &&
           (!a->file || b->offset - a->offset == a->end - a->start);
}

/* Neighbours that are alike become one. */
static void region_join(struct space *s, ea_t at)
{
    unsigned i = region_from(s, at);

    if (i < s->regions && i > 0 && alike(&s->region[i - 1], &s->region[i])) {
        s->region[i - 1].end = s->region[i].end;
        region_remove(s, i);
    }
}

static bool bounds(ea_t at, uint32_t length)
{
    return at < SPACE_TOP && length <= SPACE_TOP - at;
}

int space_unmap(struct space *s, ea_t at, uint32_t length)
{
    ea_t end = at + length;
    unsigned i;

    if (!bounds(at, length))
        return EINVAL;
    space_sync(s, at, length);
    if (!region_split(s, at) || !region_split(s, end))
        return ENOMEM;
    i = region_from(s, at);
    while (i < s->regions && s->region[i].start < end) {
        space_drop(s, &s->region[i], s->region[i].start, s->region[i].end);
        region_remove(s, i);
    }
    search_again(s, at);
    s->changed(s->arg);
    return 0;
}

int space_map_more(struct space *s, ea_t at, uint32_t length,
                   const struct region *like, uint64_t offset)
{
    struct region r = *like;
    int error;

    r.start = at;
    r.end = at + length;
    r.offset = offset;
    shared_hold(r.file); /* though what it was behind may go */
    error = !bounds(at, length)           ? ENOMEM
            : space_vacant(s, at, length) ? 0
                                          : space_unmap(s, at, length);
    if (!error && !region_insert(s, region_from(s, at), r))
        error = ENOMEM;
    shared_drop(s, r.file);
    if (error)
        return error;
    region_join(s, r.end);
    region_join(s, at);
    return 0;
}

int space_map(struct space *s, ea_t at, uint32_t length, unsigned prot,
              bool shared, int file, uint64_t offset)
{
    struct region r = {.prot = prot, .shared = shared, .may_write = true};
    int error = 0;

    if (shared && file >= 0)
        r.may_write = (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDWR;
    if ((shared || file >= 0) && !(r.file = shared_open(s, file, &error)))
        return error;
    return space_map_more(s, at, length, &r, offset);
}

int space_protect(struct space *s, ea_t at, uint32_t length, unsigned prot)
{
    ea_t end = at + length;

    if (!bounds(at, length) || !space_whole(s, at, length))
        return ENOMEM;
    for (unsigned i = region_from(s, at);
         i < s->regions && s->region[i].start < end; i++)
        if (prot & SPACE_WRITE && !s->region[i].may_write)
            return EACCES;
    if (!region_split(s, at) || !region_split(s, end))
        return ENOMEM;
    for (unsigned i = region_from(s, at);
         i < s->regions && s->region[i].start < end; i++)
        s->region[i].prot = prot;
    for (ea_t page = at; page < end; page += ABI_PAGE)
        if (page_get(s, page) & PAGE_THERE)
            entry_drop(s, page);
    region_join(s, end);
    region_join(s, at);
    s->changed(s->arg);
    return 0;
}

int space_sync(struct space *s, ea_t at, uint32_t length)
{
    ea_t end = at + length;
    bool cleaned = false;
    int error = 0;

    if (!bounds(at, length))
        return ENOMEM;
    for (unsigned i = region_from(s, at);
         i < s->regions && s->region[i].start < end; i++) {
        const struct region *r = &s->region[i];
        int failed = shared_write_back(s, r, r->start > at ? r->start : at,
                                       r->end < end ? r->end : end, &cleaned);

        error = failed ? failed : error;
    }
    if (cleaned)
        s->changed(s->arg);
    return space_whole(s, at, length) ? error : ENOMEM;
}

int space_discard(struct space *s, ea_t at, uint32_t length)
{
    if (!bounds(at, length) || !space_whole(s, at, length))
        return ENOMEM;
    for (unsigned i = region_from(s, at);
         i < s->regions && s->region[i].start < at + length; i++) {
        const struct region *r = &s->region[i];

        if (!r->shared)
            space_drop(s, r, r->start > at ? r->start : at,
                       r->end < at + length ? r->end : at + length);
    }
    s->changed(s->arg);
    return 0;
}

int space_move(struct space *s, ea_t from, ea_t to, uint32_t length)
{
    const struct region *r = space_find(s, from);
    int error;

    if (!r || r->end - from < length)
        return EFAULT;
    error = space_map_more(s, to, length, r, r->offset + (from - r->start));
    if (error)
        return error;
    deferred_write_move(s, from, to, length);
    for (uint32_t n = 0; n < length; n += ABI_PAGE) {
        uint32_t frame = page_get(s, from + n), *slot;

        if (!(frame & PAGE_THERE))
            continue;
        slot = page_slot(s, to + n);
        if (!slot)
            return ENOMEM;
        entry_drop(s, from + n); /* it may be dirty */
        *slot = page_get(s, from + n);
        *page_slot(s, from + n) = 0;
    }
    return space_unmap(s, from, length);
}

bool space_resident(const struct space *s, ea_t at)
{
    return page_get(s, at) & PAGE_THERE;
}

void space_dirty(struct space *s, ea_t at)
{
    if (page_get(s, at) & PAGE_THERE)
        *page_slot(s, at) |= PAGE_DIRTY;
}

bool space_frame(const struct space *s, ea_t at, pa_t *pa)
{
    const struct region *r;
    uint32_t page = page_get(s, at);
    pa_t frame = page & ~(ABI_PAGE - 1);

    if (!(page & PAGE_THERE)) {
        r = space_find(s, at);
        frame = r && r->shared ? shared_frame(r, at & ~(ABI_PAGE - 1)) : 0;
    }
    *pa = frame | at % ABI_PAGE;
    return frame;
}

/* ---- the system's own access --------------------------------------------- */

/* APPROX: it fills no cache and takes no time but the call's own; caches lose
 * what it stores to, or push what it loads, as for any master on the bus.
 * Source: a choice. Cost: misses that a kernel's copying would cause, or spare.
 */

uint8_t *space_bytes(struct space *s, ea_t at, unsigned how, uint32_t *left)
{
    const struct region *r = space_find(s, at);
    enum fault why;
    pa_t frame;

    if (!r || at >= SPACE_TOP ||
        !(how & SPACE_WRITE ? r->prot & SPACE_WRITE : r->prot))
        return NULL;
    frame = page_have(s, r, at & ~(ABI_PAGE - 1), &why);
    if (!frame)
        return NULL;
    if (how & SPACE_WRITE)
        space_dirty(s, at);
    *left = ABI_PAGE - at % ABI_PAGE;
    return s->ram->bytes + frame + at % ABI_PAGE;
}

bool space_poke(struct space *s, ea_t at, const void *bytes, size_t size)
{
    const uint8_t *in = bytes;

    while (size) {
        const struct region *r = space_find(s, at);
        uint32_t left = ABI_PAGE - at % ABI_PAGE;
        enum fault why;
        pa_t frame = r ? page_have(s, r, at & ~(ABI_PAGE - 1), &why) : 0;

        if (!frame)
            return false;
        left = left < size ? left : (uint32_t)size;
        memcpy(s->ram->bytes + frame + at % ABI_PAGE, in, left);
        s->stored(s->arg, frame + at % ABI_PAGE, left);
        in += left;
        at += left;
        size -= left;
    }
    return true;
}
