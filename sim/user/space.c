/* space.c - regions, pages and the hashed page table of a user program.
 * Knows no thread and no system call.
 */
#include "sim/user/space.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/user/abi.h"
#include "sim/user/later.h"

#define PTE_VALID 0x80000000u
#define PTE_SECOND 0x40u
#define GROUP 64u

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
    s->region = malloc(sizeof *s->region * s->room);
    return s->free && s->region;
}

void space_free(struct space *s)
{
    later_forget(s, 0, UINT32_MAX);
    for (unsigned i = 0; i < s->regions; i++)
        if (s->region[i].file >= 0)
            close(s->region[i].file);
    for (unsigned i = 0; i < 1024; i++)
        free(s->table[i]);
    free(s->region);
    free(s->free);
    s->region = NULL;
    s->free = NULL;
    s->regions = 0;
}

uint32_t space_sdr1(const struct space *s)
{
    return s->htab | ((s->groups * GROUP >> 16) - 1);
}

/* ---- the hashed page table ---------------------------------------------- */

static uint32_t vsid_of(const struct space *s, ea_t ea)
{
    return s->vsid + (ea >> 28);
}

static pa_t group_at(const struct space *s, ea_t ea, bool second)
{
    uint32_t hash = vsid_of(s, ea) ^ (ea >> 12 & 0xFFFF);

    return s->htab + ((second ? ~hash : hash) & (s->groups - 1)) * GROUP;
}

static uint32_t entry_high(const struct space *s, ea_t ea, bool second)
{
    return PTE_VALID | vsid_of(s, ea) << 7 | (second ? PTE_SECOND : 0) |
           (ea >> 22 & 0x3F);
}

/* The entry of a page, or NULL. */
static uint8_t *entry_find(const struct space *s, ea_t ea)
{
    for (unsigned second = 0; second < 2; second++) {
        uint8_t *group = s->ram->bytes + group_at(s, ea, second);

        for (unsigned i = 0; i < GROUP; i += 8)
            if (abi_get32(group + i) == entry_high(s, ea, second))
                return group + i;
    }
    return NULL;
}

static void entry_drop(struct space *s, ea_t ea)
{
    uint8_t *e = entry_find(s, ea);

    if (e)
        abi_put32(e, 0);
}

/* A place for a page's entry: a free one, or somebody else's turn is over. */
static uint8_t *entry_place(struct space *s, ea_t ea, bool *second)
{
    uint8_t *group;

    for (unsigned n = 0; n < 2; n++) {
        group = s->ram->bytes + group_at(s, ea, n);
        *second = n;
        for (unsigned i = 0; i < GROUP; i += 8)
            if (!(abi_get32(group + i) & PTE_VALID))
                return group + i;
    }
    *second = false;
    group = s->ram->bytes + group_at(s, ea, false);
    return group + (s->victim++ & 7) * 8;
}

static void entry_make(struct space *s, ea_t ea, pa_t frame, unsigned prot)
{
    bool second;
    uint8_t *e = entry_find(s, ea);

    if (!e) {
        e = entry_place(s, ea, &second);
        abi_put32(e, entry_high(s, ea, second));
    }
    /* Key 1: PP 2 reads and writes, 3 only reads; coherent. */
    abi_put32(e + 4, frame | 0x10 | (prot & SPACE_WRITE ? 2 : 3));
}

/* ---- frames and pages ---------------------------------------------------- */

static pa_t frame_get(struct space *s)
{
    pa_t frame;

    if (s->freed) {
        frame = s->free[--s->freed];
        memset(s->ram->bytes + frame, 0, ABI_PAGE);
        s->stored(s->arg, frame, ABI_PAGE);
        return frame;
    }
    if (s->unused == s->limit) {
        s->exhausted = true;
        return 0;
    }
    frame = s->unused;
    s->unused += ABI_PAGE;
    return frame;
}

static uint32_t *page_slot(struct space *s, ea_t ea)
{
    uint32_t **table = &s->table[ea >> 22];

    if (!*table)
        *table = calloc(1024, sizeof **table);
    return *table ? &(*table)[ea >> 12 & 1023] : NULL;
}

static uint32_t page_get(const struct space *s, ea_t ea)
{
    const uint32_t *table = s->table[ea >> 22];

    return table ? table[ea >> 12 & 1023] : 0;
}

/* The page of ea goes; its frame may be used for another. */
static void page_drop(struct space *s, ea_t ea)
{
    uint32_t page = page_get(s, ea);

    later_forget(s, ea, ABI_PAGE);
    if (!(page & 1))
        return;
    entry_drop(s, ea);
    s->free[s->freed++] = page & ~(ABI_PAGE - 1);
    s->table[ea >> 22][ea >> 12 & 1023] = 0;
}

/* Read a page of a file; what lies behind its end is zero. */
static bool page_fill(struct space *s, const struct region *r, ea_t page,
                      pa_t frame)
{
    uint64_t from = r->offset + (page - r->start);
    struct stat st;
    ssize_t n;

    if (r->file < 0)
        return true;
    if (fstat(r->file, &st) != 0 || from >= (uint64_t)st.st_size)
        return false;
    n = pread(r->file, s->ram->bytes + frame, ABI_PAGE, (off_t)from);
    return n >= 0;
}

/* The frame of a page of r, made if need be. 0: *why. */
static pa_t page_have(struct space *s, const struct region *r, ea_t page,
                      enum fault *why)
{
    uint32_t *slot = page_slot(s, page);
    pa_t frame;

    if (slot && *slot & 1)
        return *slot & ~(ABI_PAGE - 1);
    *why = FAULT_ROOM;
    if (!slot || !(frame = frame_get(s)))
        return 0;
    if (!page_fill(s, r, page, frame)) {
        s->free[s->freed++] = frame;
        *why = FAULT_BEYOND;
        return 0;
    }
    later_made(s, page, s->ram->bytes + frame);
    *slot = frame | 1;
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

    for (unsigned i = region_from(s, at); i < s->regions; i++) {
        if (s->region[i].start > at)
            return false;
        at = s->region[i].end;
        if (at >= end)
            return true;
    }
    return false;
}

ea_t space_place(const struct space *s, uint32_t length, ea_t below)
{
    unsigned i = region_from(s, below - 1);
    ea_t end = below;

    if (i < s->regions && s->region[i].start < end)
        end = s->region[i].start;
    for (;;) {
        ea_t start = i ? s->region[i - 1].end : SPACE_LOW;

        if (end >= SPACE_LOW && end - SPACE_LOW >= length && end >= start &&
            end - start >= length)
            return end - length;
        if (i == 0)
            return 0;
        end = s->region[--i].start;
    }
}

static bool region_insert(struct space *s, unsigned at, struct region r)
{
    if (s->regions == s->room) {
        struct region *more = realloc(s->region, 2 * s->room * sizeof *more);

        if (!more)
            return false;
        s->region = more;
        s->room *= 2;
    }
    memmove(&s->region[at + 1], &s->region[at], (s->regions - at) * sizeof r);
    s->region[at] = r;
    s->regions++;
    return true;
}

static void region_remove(struct space *s, unsigned at)
{
    if (s->region[at].file >= 0)
        close(s->region[at].file);
    s->regions--;
    memmove(&s->region[at], &s->region[at + 1],
            (s->regions - at) * sizeof s->region[0]);
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
    if (second.file >= 0)
        second.file = fcntl(second.file, F_DUPFD_CLOEXEC, 3);
    if ((s->region[i].file >= 0 && second.file < 0) ||
        !region_insert(s, i + 1, second))
        return false;
    s->region[i].end = at;
    return true;
}

static bool alike(const struct region *a, const struct region *b)
{
    return a->end == b->start && a->prot == b->prot && a->file < 0 &&
           b->file < 0 && a->shared == b->shared;
}

/* Neighbours without a file that are alike become one. */
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
        for (ea_t page = s->region[i].start; page < s->region[i].end;
             page += ABI_PAGE)
            page_drop(s, page);
        region_remove(s, i);
    }
    s->changed(s->arg);
    return 0;
}

int space_map(struct space *s, ea_t at, uint32_t length, unsigned prot,
              bool shared, int file, uint64_t offset)
{
    struct region r = {at, at + length, prot, shared, -1, offset};
    int error;

    if (!bounds(at, length))
        return ENOMEM;
    if (!space_vacant(s, at, length) &&
        (error = space_unmap(s, at, length)) != 0)
        return error;
    if (file >= 0 && (r.file = fcntl(file, F_DUPFD_CLOEXEC, 3)) < 0)
        return errno;
    if (!region_insert(s, region_from(s, at), r)) {
        if (r.file >= 0)
            close(r.file);
        return ENOMEM;
    }
    region_join(s, r.end);
    region_join(s, at);
    return 0;
}

int space_protect(struct space *s, ea_t at, uint32_t length, unsigned prot)
{
    ea_t end = at + length;

    if (!bounds(at, length) || !space_whole(s, at, length))
        return ENOMEM;
    if (!region_split(s, at) || !region_split(s, end))
        return ENOMEM;
    for (unsigned i = region_from(s, at);
         i < s->regions && s->region[i].start < end; i++)
        s->region[i].prot = prot;
    for (ea_t page = at; page < end; page += ABI_PAGE)
        if (page_get(s, page) & 1)
            entry_drop(s, page);
    region_join(s, end);
    region_join(s, at);
    s->changed(s->arg);
    return 0;
}

static void page_write_back(struct space *s, const struct region *r, ea_t page)
{
    uint64_t at = r->offset + (page - r->start);
    uint32_t frame = page_get(s, page);
    size_t size = ABI_PAGE;
    struct stat st;

    if (!(frame & 1) || fstat(r->file, &st) != 0 || at >= (uint64_t)st.st_size)
        return;
    if ((uint64_t)st.st_size - at < size)
        size = (size_t)((uint64_t)st.st_size - at);
    s->loaded(s->arg, frame & ~(ABI_PAGE - 1), ABI_PAGE);
    if (pwrite(r->file, s->ram->bytes + (frame & ~(ABI_PAGE - 1)), size,
               (off_t)at) < 0)
        return; /* as a kernel would: nobody is there to be told */
}

int space_sync(struct space *s, ea_t at, uint32_t length)
{
    ea_t end = at + length;

    if (!bounds(at, length))
        return ENOMEM;
    for (unsigned i = region_from(s, at);
         i < s->regions && s->region[i].start < end; i++) {
        const struct region *r = &s->region[i];
        ea_t from = r->start > at ? r->start : at;
        ea_t to = r->end < end ? r->end : end;

        if (!r->shared || r->file < 0 || !(r->prot & SPACE_WRITE))
            continue;
        for (ea_t page = from; page < to; page += ABI_PAGE)
            page_write_back(s, r, page);
    }
    return space_whole(s, at, length) ? 0 : ENOMEM;
}

int space_discard(struct space *s, ea_t at, uint32_t length)
{
    if (!bounds(at, length) || !space_whole(s, at, length))
        return ENOMEM;
    for (ea_t page = at; page < at + length; page += ABI_PAGE)
        if (!space_find(s, page)->shared)
            page_drop(s, page);
    s->changed(s->arg);
    return 0;
}

int space_move(struct space *s, ea_t from, ea_t to, uint32_t length)
{
    const struct region *r = space_find(s, from);
    int error;

    if (!r || r->end < from + length)
        return EFAULT;
    error = space_map(s, to, length, r->prot, r->shared, r->file,
                      r->offset + (from - r->start));
    if (error)
        return error;
    later_move(s, from, to, length);
    for (uint32_t n = 0; n < length; n += ABI_PAGE) {
        uint32_t frame = page_get(s, from + n), *slot;

        if (!(frame & 1))
            continue;
        slot = page_slot(s, to + n);
        if (!slot)
            return ENOMEM;
        entry_drop(s, from + n);
        s->table[(from + n) >> 22][(from + n) >> 12 & 1023] = 0;
        *slot = frame;
    }
    return space_unmap(s, from, length);
}

bool space_resident(const struct space *s, ea_t at)
{
    return page_get(s, at) & 1;
}

bool space_frame(const struct space *s, ea_t at, pa_t *pa)
{
    uint32_t page = page_get(s, at);

    *pa = (page & ~(ABI_PAGE - 1)) | at % ABI_PAGE;
    return page & 1;
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
