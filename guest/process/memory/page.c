/* page.c - one page of an address space: what an access meets, made when it
 * is first touched; and the kernel's way to user memory, which is this one and
 * never the processor's translation.
 */
#include "guest/process/disk.h"
#include "guest/process/mm.h"

static uint32_t *page_entry(const struct space *s, uint32_t at)
{
    uint32_t *leaf = s->table[at >> 22];

    return leaf ? &leaf[at >> 12 & 0x3FF] : NULL;
}

/* The next page of a range that there is, from *at on; NULL: none. */
static uint32_t *next_entry(const struct space *s, uint32_t *at, uint32_t end)
{
    while (*at < end) {
        uint32_t *entry = page_entry(s, *at);

        do {
            if (entry && *entry)
                return entry;
            *at = entry ? *at + PAGE : (*at | 0x3FFFFF) + 1;
        } while (entry && *at & 0x3FFFFF && *at < end && ++entry);
    }
    return NULL;
}

static uint32_t *make_entry(struct space *s, uint32_t at)
{
    uint32_t **leaf = &s->table[at >> 22];

    if (!*leaf)
        *leaf = (uint32_t *)frame_take();
    return page_entry(s, at);
}

void insns_publish(uint32_t start, uint32_t bytes)
{
    uint32_t end = start + bytes;

    for (uint32_t at = start; at < end; at += CACHE_LINE)
        __asm__ volatile("dcbst 0,%0" : : "r"(at) : "memory");
    __asm__ volatile("sync" : : : "memory");
    for (uint32_t at = start; at < end; at += CACHE_LINE)
        __asm__ volatile("icbi 0,%0" : : "r"(at) : "memory");
    __asm__ volatile("sync\n\tisync" : : : "memory");
}

/* A first touch: zeros, or what the origin has. */
static void fill(const struct region *r, uint32_t at, uint32_t frame)
{
    uint32_t skip = (at & ~PAGE_MASK) - r->start;

    if (!r->origin || skip >= r->bytes)
        return;
    memcpy((void *)frame, r->origin + skip,
           r->bytes - skip < PAGE ? r->bytes - skip : PAGE);
    insns_publish(frame, PAGE);
}

/* A page that is on the disk. */
static bool read_back(uint32_t slot, uint32_t frame)
{
    struct frame *f = frame_of(frame);
    bool alone;

    if (!slot_read(slot, frame, &alone))
        return false;
    insns_publish(frame, PAGE);
    if (alone)
        f->slot = slot; /* and the same there, until it is changed */
    else
        slot_drop(slot);
    f->changed = !alone;
    return true;
}

/* The page has that memory of its own from now on. */
static void enter(struct space *s, uint32_t at, uint32_t *entry, uint32_t frame)
{
    if (page_watch && frame != (*entry & ~PAGE_MASK))
        page_watch->came(s, at, frame);
    *entry = frame | ENTRY_HERE | ENTRY_OWN;
}

static enum fault settle(struct space *s, uint32_t at, uint32_t doing,
                         uint32_t **found);

/* The page of a region's store that is meant, with an owner more: so it stays
 * there. */
static enum fault find_stored(const struct region *r, uint32_t at,
                              uint32_t *frame)
{
    uint32_t *entry, place = r->place + (at & ~PAGE_MASK) - r->start;
    enum fault fault;

    mutex_lock(&r->store->lock);
    fault = settle(r->store, place, MAY_WRITE, &entry);
    if (fault == FAULT_NONE) {
        *frame = *entry & ~PAGE_MASK;
        frame_keep(*frame);
    }
    mutex_unlock(&r->store->lock);
    return fault;
}

/* The page is that of the store, or a copy of it. */
static enum fault bring_stored(struct space *s, const struct region *r,
                               uint32_t at, uint32_t *entry)
{
    uint32_t frame, copy;
    enum fault fault = find_stored(r, at, &frame);

    if (fault != FAULT_NONE)
        return fault;
    s->faults++;
    if (r->shared) {
        *entry = frame | ENTRY_HERE | ENTRY_OWN;
        return FAULT_NONE;
    }
    copy = frame_take_user();
    if (copy) {
        memcpy((void *)copy, (const void *)frame, PAGE);
        insns_publish(copy, PAGE);
        frame_of(copy)->changed = true; /* the store's may become another */
        enter(s, at, entry, copy);
    }
    frame_drop(frame);
    return copy ? FAULT_NONE : FAULT_MEMORY;
}

/* The page is not there: make it. */
static enum fault bring(struct space *s, const struct region *r, uint32_t at,
                        uint32_t *entry)
{
    uint32_t frame;

    if (r->bounded && (at & ~PAGE_MASK) - r->start >= r->bytes)
        return FAULT_BEYOND;
    if (r->store && !*entry)
        return bring_stored(s, r, at, entry);
    frame = frame_take_user();
    if (!frame)
        return FAULT_MEMORY;
    s->faults++;
    if (!*entry) {
        fill(r, at, frame);
    } else if (read_back(*entry / PAGE, frame)) {
        s->reads++;
    } else {
        frame_drop(frame);
        return FAULT_BEYOND;
    }
    *entry = 0;
    enter(s, at, entry, frame);
    return FAULT_NONE;
}

/* A page that others own too is written: this space gets a copy. */
static enum fault own(struct space *s, uint32_t at, uint32_t *entry)
{
    uint32_t frame = *entry & ~PAGE_MASK, copy;

    if (frame_of(frame)->owners > 1) {
        copy = frame_take_user();
        if (!copy)
            return FAULT_MEMORY;
        memcpy((void *)copy, (const void *)frame, PAGE);
        insns_publish(copy, PAGE);
        hash_drop(s->number, at);
        frame_drop(frame);
        frame = copy;
        frame_of(frame)->changed = true; /* it is not what the origin has */
    }
    enter(s, at, entry, frame);
    return FAULT_NONE;
}

/* Make the access possible. s->lock is held; *found is the page's entry. */
static enum fault settle(struct space *s, uint32_t at, uint32_t doing,
                         uint32_t **found)
{
    const struct region *r = at < USER_END ? space_region(s, at) : NULL;
    enum fault fault = FAULT_NONE;
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
    *found = entry;
    if (!(*entry & ENTRY_HERE))
        fault = bring(s, r, at, entry);
    if (fault == FAULT_NONE && doing & MAY_WRITE && !(*entry & ENTRY_OWN))
        fault = own(s, at, entry);
    if (fault == FAULT_NONE)
        frame_of(*entry & ~PAGE_MASK)->referenced = true;
    return fault;
}

/* The same with the space's lock taken, and kept if it is possible. While
 * memory is short the pager may have the space. */
static enum fault lock_settled(struct space *s, uint32_t at, uint32_t doing,
                               uint32_t **entry)
{
    enum fault fault;

    do {
        mutex_lock(&s->lock);
        fault = settle(s, at, doing, entry);
        if (fault != FAULT_NONE)
            mutex_unlock(&s->lock);
    } while (fault == FAULT_MEMORY && memory_wait(true));
    return fault;
}

enum fault page_fault(struct space *s, uint32_t at, uint32_t doing)
{
    uint32_t *entry;
    enum fault fault = lock_settled(s, at, doing, &entry);

    if (fault != FAULT_NONE)
        return fault;
    hash_put(s->number, at, *entry & ~PAGE_MASK,
             *entry & ENTRY_OWN && space_region(s, at)->may & MAY_WRITE);
    mutex_unlock(&s->lock);
    return fault;
}

uint32_t page_lock(struct space *s, uint32_t at, uint32_t doing)
{
    uint32_t *entry, frame;

    if (lock_settled(s, at, doing, &entry) != FAULT_NONE)
        return 0;
    frame = *entry & ~PAGE_MASK;
    if (doing & MAY_WRITE)
        frame_of(frame)->changed = true;
    return frame | (at & PAGE_MASK);
}

void pages_drop(struct space *s, uint32_t start, uint32_t end)
{
    uint32_t *entry;

    for (uint32_t at = start; (entry = next_entry(s, &at, end)); at += PAGE) {
        if (*entry & ENTRY_HERE) {
            hash_drop(s->number, at);
            frame_drop(*entry & ~PAGE_MASK);
        } else {
            slot_drop(*entry / PAGE);
        }
        *entry = 0;
    }
}

void pages_ask(const struct space *s, uint32_t start, uint32_t end)
{
    for (uint32_t at = start; next_entry(s, &at, end); at += PAGE)
        hash_drop(s->number, at);
}

uint32_t space_pages(const struct space *s)
{
    uint32_t n = 0;

    for (uint32_t at = 0; next_entry(s, &at, USER_END); at += PAGE)
        n++;
    return n;
}

bool pages_move(struct space *s, uint32_t from, uint32_t to, uint32_t bytes)
{
    uint32_t *entry, end = from + bytes;

    for (uint32_t at = from; next_entry(s, &at, end); at += PAGE) {
        if (!make_entry(s, at - from + to))
            return false;
    }
    for (uint32_t at = from; (entry = next_entry(s, &at, end)); at += PAGE) {
        hash_drop(s->number, at);
        *page_entry(s, at - from + to) = *entry;
        *entry = 0;
    }
    return true;
}

/* One entry, whose page both own from now on. */
static bool share(struct space *from, struct space *to, bool shared,
                  uint32_t at, uint32_t *entry)
{
    uint32_t *copy = make_entry(to, at);

    if (!copy)
        return false;
    if (!(*entry & ENTRY_HERE)) {
        slot_keep(*entry / PAGE);
    } else {
        if (!shared && *entry & ENTRY_OWN) {
            *entry &= ~ENTRY_OWN;
            hash_drop(from->number, at);
        }
        frame_keep(*entry & ~PAGE_MASK);
    }
    *copy = *entry;
    return true;
}

bool pages_share(struct space *from, struct space *to, const struct region *r)
{
    uint32_t *entry;

    for (uint32_t at = r->start; (entry = next_entry(from, &at, r->end));
         at += PAGE) {
        if (!share(from, to, r->shared, at, entry))
            return false;
    }
    return true;
}

/* ---- paging out ---------------------------------------------------------- */

/* One that was accessed since the last time stays, and is asked for again when
 * it is accessed next. What was not changed since it was made or read is there
 * already. A shared page goes to the disk from its store, when no space has it
 * any more. True: its memory is free. */
static bool page_out(struct space *s, bool shared, uint32_t at, uint32_t *entry)
{
    uint32_t frame = *entry & ~PAGE_MASK;
    struct frame *f = frame_of(frame);

    if ((f->changed && !slots_all() && !shared) || (s->store && f->owners > 1))
        return false;
    hash_drop(s->number, at);
    if (f->referenced) {
        f->referenced = false;
        return false;
    }
    if (shared) {
        *entry = 0;
        return frame_drop(frame);
    }
    if (f->changed && !slot_write(&f->slot, frame))
        return false;
    f->changed = false;
    *entry = f->slot ? f->slot * PAGE | ENTRY_OUT : 0;
    if (f->slot)
        slot_keep(f->slot);
    return frame_drop(frame);
}

bool pages_out(struct space *s, uint32_t *at, uint32_t *wanted)
{
    for (const struct region *r = s->regions; r; r = r->next) {
        uint32_t *entry, end = r->shared && !r->store ? 0 : r->end;

        *at = *at < r->start ? r->start : *at;
        for (; *wanted && (entry = next_entry(s, at, end)); *at += PAGE)
            *wanted -=
                *entry & ENTRY_HERE && page_out(s, r->shared, *at, entry);
    }
    return !*wanted;
}

/* ---- copies -------------------------------------------------------------- */

/* Between a user's memory and the kernel's (NULL: zeros). */
static bool move(struct space *s, uint32_t user, void *kernel, uint32_t bytes,
                 uint32_t doing)
{
    uint8_t *p = kernel;

    while (bytes) {
        uint32_t place = page_lock(s, user, doing), n = PAGE - user % PAGE;

        if (!place)
            return false;
        n = n < bytes ? n : bytes;
        if (doing == MAY_READ)
            memcpy(p, (const void *)place, n);
        else if (p)
            memcpy((void *)place, p, n);
        else
            memset((void *)place, 0, n);
        mutex_unlock(&s->lock);
        p = p ? p + n : NULL;
        user += n;
        bytes -= n;
    }
    return true;
}

bool copy_in(struct space *s, void *to, uint32_t from, uint32_t bytes)
{
    return move(s, from, to, bytes, MAY_READ);
}

bool copy_out(struct space *s, uint32_t to, const void *from, uint32_t bytes)
{
    return move(s, to, (void *)from, bytes, MAY_WRITE);
}

bool fill_out(struct space *s, uint32_t to, uint32_t bytes)
{
    return move(s, to, NULL, bytes, MAY_WRITE);
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
