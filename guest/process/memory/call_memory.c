/* call_memory.c - system calls about memory. */
#include <linux/mman.h>

#include "guest/process/disk.h"
#include "guest/process/file.h"

int32_t call_brk(struct task *t, const uint32_t *a)
{
    return (int32_t)space_brk(t->process->space, a[0]);
}

int32_t call_munmap(struct task *t, const uint32_t *a)
{
    return space_unmap(t->process->space, a[0], WHOLE_PAGES(a[1]));
}

int32_t call_mprotect(struct task *t, const uint32_t *a)
{
    if (a[0] & PAGE_MASK)
        return -EINVAL;
    if (!a[1])
        return 0;
    return space_protect(t->process->space, a[0], WHOLE_PAGES(a[1]), a[2] & 7);
}

/* What stands behind a mapping of a file, from page `page` on: its store, which
 * is there if it was written or may be, or its bytes as they were at boot. */
static int32_t origin(struct file *f, uint32_t page, struct region *r)
{
    struct node *n = f->node;
    bool stored;

    if (!n || !S_ISREG(n->mode) || (f->flags & O_ACCMODE) == O_WRONLY ||
        (r->shared && r->may & MAY_WRITE && !(f->flags & O_ACCMODE)))
        return -EACCES;
    mutex_lock(&n->lock);
    stored = r->shared ? store_have(n) : n->store != NULL;
    r->bounded = true;
    if (page < WHOLE_PAGES(n->size) / PAGE) {
        r->origin = stored ? NULL : n->bytes + page * PAGE;
        r->bytes = n->size - page * PAGE;
    }
    mutex_unlock(&n->lock);
    if (!stored)
        return r->shared ? -ENOMEM : 0;
    space_keep(n->store);
    r->store = n->store;
    r->place = STORE_AT + page * PAGE;
    return 0;
}

/* The same for a number of a file; without one shared memory has a store of its
 * own. r->store has a user more. */
static int32_t origin_of(struct task *t, const uint32_t *a, uint32_t page,
                         struct region *r)
{
    static const struct region zeros = {.may = MAY_READ | MAY_WRITE};
    struct file *f;
    int32_t error;

    if (a[3] & MAP_ANONYMOUS) {
        r->place = STORE_AT;
        if (r->shared && a[1] < MAP_TOP - STORE_AT)
            r->store = space_store(STORE_AT, WHOLE_PAGES(a[1]), &zeros);
        return r->shared && !r->store ? -ENOMEM : 0;
    }
    f = file_get(t, a[4]);
    if (!f)
        return -EBADF;
    error = origin(f, page, r);
    file_drop(f);
    return error;
}

/* In front: the unit of the place in the file; where, length, protection,
 * flags, file, place. */
int32_t call_mmap(struct task *t, const uint32_t *front)
{
    const uint32_t *a = front + 1;
    struct space *s = t->process->space;
    uint32_t length = WHOLE_PAGES(a[1]), at = a[0];
    struct region r = {.may = a[2] & 7, .shared = (a[3] & 3) == MAP_SHARED};
    int32_t error = 0;

    if (!a[1] || !(a[3] & 3) || a[5] % *front)
        return -EINVAL;
    if (!length)
        return -ENOMEM;
    if (a[3] & MAP_FIXED && at & PAGE_MASK)
        return -EINVAL;
    error = origin_of(t, a, a[5] / *front, &r);
    if (error)
        return error;
    mutex_lock(&s->lock);
    if (!(a[3] & MAP_FIXED))
        at = space_gap(s, length);
    if (at)
        error = space_map(s, at, length, &r);
    mutex_unlock(&s->lock);
    if (r.store)
        space_free(r.store);
    return !at || error == -EINVAL ? -ENOMEM : error ? error : (int32_t)at;
}

int32_t call_mremap(struct task *t, const uint32_t *a)
{
    if (a[0] & PAGE_MASK || !a[2] || a[3] & ~MREMAP_MAYMOVE)
        return -EINVAL;
    return space_move(t->process->space, a[0], WHOLE_PAGES(a[1]),
                      WHOLE_PAGES(a[2]), a[3] & MREMAP_MAYMOVE);
}

/* MADV_DONTNEED is the one that changes what is read; of what is shared others
 * have a say. */
int32_t call_madvise(struct task *t, const uint32_t *a)
{
    struct space *s = t->process->space;
    uint32_t end = a[0] + WHOLE_PAGES(a[1]);

    if (a[0] & PAGE_MASK || end < a[0] || end > USER_END)
        return -EINVAL;
    for (const struct region *r = s->regions; a[2] == MADV_DONTNEED && r;
         r = r->next) {
        uint32_t from = r->start > a[0] ? r->start : a[0];

        if (!r->shared)
            pages_drop(s, from, r->end < end ? r->end : end);
    }
    return 0;
}

int32_t call_getrandom(struct task *t, const uint32_t *a)
{
    return random_read(t, a[0], a[1] < 1u << 20 ? a[1] : 1u << 20);
}
