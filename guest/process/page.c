/* page.c - one page of an address space: what an access meets, made when it
 * is first touched; and the kernel's way to user memory, which is this one and
 * never the processor's translation.
 */
#include "guest/process/errno.h"
#include "guest/process/mm.h"

uint32_t *page_entry(const struct space *s, uint32_t at)
{
    uint32_t *leaf = s->table[at >> 22];

    return leaf ? &leaf[at >> 12 & 0x3FF] : NULL;
}

static uint32_t *make_entry(struct space *s, uint32_t at)
{
    uint32_t **leaf = &s->table[at >> 22];

    if (!*leaf)
        *leaf = (uint32_t *)frame_take();
    return page_entry(s, at);
}

/* Instructions were stored: let every instruction cache fetch them anew. */
static void publish(uint32_t frame)
{
    for (uint32_t at = 0; at < PAGE; at += CACHE_LINE)
        __asm__ volatile("dcbst 0,%0" : : "r"(frame + at) : "memory");
    __asm__ volatile("sync" : : : "memory");
    for (uint32_t at = 0; at < PAGE; at += CACHE_LINE)
        __asm__ volatile("icbi 0,%0" : : "r"(frame + at) : "memory");
    __asm__ volatile("sync\n\tisync" : : : "memory");
}

/* A first touch: zeros, or what the origin has. */
static uint32_t fill(const struct region *r, uint32_t at)
{
    uint32_t frame = frame_take(), skip = (at & ~PAGE_MASK) - r->start;

    if (!frame || !r->origin || skip >= r->bytes)
        return frame;
    memcpy((void *)frame, r->origin + skip,
           r->bytes - skip < PAGE ? r->bytes - skip : PAGE);
    publish(frame);
    return frame;
}

/* A page that others own too is written: this space gets a copy. */
static enum fault own(struct space *s, uint32_t at, uint32_t *entry)
{
    uint32_t frame = *entry & ~PAGE_MASK, copy;

    if (frame_owners(frame) > 1) {
        copy = frame_take();
        if (!copy)
            return FAULT_MEMORY;
        memcpy((void *)copy, (const void *)frame, PAGE);
        publish(copy);
        hash_drop(s->number, at);
        frame_drop(frame);
        frame = copy;
    }
    *entry = frame | ENTRY_HERE | ENTRY_OWN;
    return FAULT_NONE;
}

/* Make the access possible. s->lock is held; *found is the page's entry. */
static enum fault settle(struct space *s, uint32_t at, uint32_t doing,
                         uint32_t **found)
{
    const struct region *r = at < USER_END ? space_region(s, at) : NULL;
    uint32_t *entry;

    if (!r)
        return FAULT_UNMAPPED;
    /* What can be read can be run, and what can be written can be read: the
     * pages of a 604e cannot tell them apart. */
    if (!r->may || (doing & MAY_WRITE && !(r->may & MAY_WRITE)))
        return FAULT_FORBIDDEN;
    entry = make_entry(s, at);
    if (!entry)
        return FAULT_MEMORY;
    if (!*entry) {
        uint32_t frame = fill(r, at);

        if (!frame)
            return FAULT_MEMORY;
        *entry = frame | ENTRY_HERE | ENTRY_OWN;
    }
    *found = entry;
    return doing & MAY_WRITE && !(*entry & ENTRY_OWN) ? own(s, at, entry)
                                                      : FAULT_NONE;
}

enum fault page_fault(struct space *s, uint32_t at, uint32_t doing)
{
    enum fault fault;
    uint32_t *entry;

    mutex_lock(&s->lock);
    fault = settle(s, at, doing, &entry);
    if (fault == FAULT_NONE)
        hash_put(s->number, at, *entry & ~PAGE_MASK,
                 *entry & ENTRY_OWN && space_region(s, at)->may & MAY_WRITE);
    mutex_unlock(&s->lock);
    return fault;
}

uint32_t page_place(struct space *s, uint32_t at, uint32_t doing)
{
    uint32_t *entry;

    if (settle(s, at, doing, &entry) != FAULT_NONE)
        return 0;
    return (*entry & ~PAGE_MASK) | (at & PAGE_MASK);
}

/* Of the range, the addresses from one page to the end of its table. */
static uint32_t table_end(uint32_t at, uint32_t end)
{
    uint32_t next = (at | 0x3FFFFF) + 1;

    return next < end ? next : end;
}

void pages_drop(struct space *s, uint32_t start, uint32_t end)
{
    for (uint32_t at = start; at < end;) {
        uint32_t *entry = page_entry(s, at);

        if (!entry) {
            at = table_end(at, end);
            continue;
        }
        if (*entry) {
            hash_drop(s->number, at);
            frame_drop(*entry & ~PAGE_MASK);
            *entry = 0;
        }
        at += PAGE;
    }
}

void pages_ask(const struct space *s, uint32_t start, uint32_t end)
{
    for (uint32_t at = start; at < end;) {
        const uint32_t *entry = page_entry(s, at);

        if (!entry) {
            at = table_end(at, end);
            continue;
        }
        if (*entry)
            hash_drop(s->number, at);
        at += PAGE;
    }
}

bool pages_move(struct space *s, uint32_t from, uint32_t to, uint32_t bytes)
{
    for (uint32_t n = 0; n < bytes; n += PAGE) {
        uint32_t *entry = page_entry(s, from + n);

        if (entry && *entry && !make_entry(s, to + n))
            return false;
    }
    for (uint32_t n = 0; n < bytes; n += PAGE) {
        uint32_t *entry = page_entry(s, from + n);

        if (!entry || !*entry)
            continue;
        hash_drop(s->number, from + n);
        *page_entry(s, to + n) = *entry;
        *entry = 0;
    }
    return true;
}

bool pages_share(struct space *from, struct space *to, const struct region *r)
{
    for (uint32_t at = r->start; at < r->end;) {
        uint32_t *entry = page_entry(from, at), *copy;

        /* What is shared must be there to be shared. */
        if (r->shared && r->may && settle(from, at, MAY_READ, &entry))
            return false;
        if (!entry) {
            at = table_end(at, r->end);
            continue;
        }
        if (*entry) {
            copy = make_entry(to, at);
            if (!copy)
                return false;
            if (!r->shared && *entry & ENTRY_OWN) {
                *entry &= ~ENTRY_OWN;
                hash_drop(from->number, at);
            }
            frame_keep(*entry & ~PAGE_MASK);
            *copy = *entry;
        }
        at += PAGE;
    }
    return true;
}

/* ---- copies -------------------------------------------------------------- */

static uint32_t in_page(uint32_t at, uint32_t bytes)
{
    uint32_t left = PAGE - (at & PAGE_MASK);

    return bytes < left ? bytes : left;
}

bool copy_in(struct space *s, void *to, uint32_t from, uint32_t bytes)
{
    uint8_t *p = to;

    while (bytes) {
        uint32_t n = in_page(from, bytes), place;

        mutex_lock(&s->lock);
        place = page_place(s, from, MAY_READ);
        if (place)
            memcpy(p, (const void *)place, n);
        mutex_unlock(&s->lock);
        if (!place)
            return false;
        p += n;
        from += n;
        bytes -= n;
    }
    return true;
}

/* Zeros, if there is nothing to copy from. */
static bool put_out(struct space *s, uint32_t to, const uint8_t *from,
                    uint32_t bytes)
{
    while (bytes) {
        uint32_t n = in_page(to, bytes), place;

        mutex_lock(&s->lock);
        place = page_place(s, to, MAY_WRITE);
        if (place && from)
            memcpy((void *)place, from, n);
        else if (place)
            memset((void *)place, 0, n);
        mutex_unlock(&s->lock);
        if (!place)
            return false;
        from = from ? from + n : NULL;
        to += n;
        bytes -= n;
    }
    return true;
}

bool copy_out(struct space *s, uint32_t to, const void *from, uint32_t bytes)
{
    return put_out(s, to, from, bytes);
}

bool fill_out(struct space *s, uint32_t to, uint32_t bytes)
{
    return put_out(s, to, NULL, bytes);
}

int32_t copy_text(struct space *s, char *to, uint32_t from, uint32_t size)
{
    for (uint32_t n = 0; n < size; n++) {
        if (!copy_in(s, &to[n], from + n, 1))
            return -EFAULT;
        if (!to[n])
            return (int32_t)n;
    }
    return -ENAMETOOLONG;
}
