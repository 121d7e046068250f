/* store.c - what programs write to files. The first change gives a file a space
 * of its own, which has its bytes from STORE_AT on: those of the initrd until
 * they are changed, zeros where none were. Its pages are made when they are
 * touched and go to the disk as a program's do.
 */
#include "guest/process/disk.h"
#include "guest/process/file.h"

#define STORE_BYTES ((uint32_t)INT32_MAX & ~PAGE_MASK) /* of a file */

void node_touch(struct node *n)
{
    uint32_t rest;

    n->time = EPOCH + clock_split(clock_ns(), &rest);
}

bool store_have(struct node *n)
{
    const struct region r = {.may = MAY_READ | MAY_WRITE,
                             .origin = n->size ? n->bytes : NULL,
                             .bytes = n->size};

    if (!n->store)
        n->store = space_store(STORE_AT, STORE_BYTES, &r);
    return n->store;
}

/* The page has an owner more meanwhile: so it stays, and no lock is held while
 * the task's own pages come. */
int32_t store_move(const struct node *n, uint32_t at, struct task *t,
                   uint32_t user, uint32_t bytes, bool write)
{
    struct space *s = t->process->space;
    uint32_t done = 0;
    bool good = true;

    while (done < bytes && good) {
        uint32_t many = PAGE - (at + done) % PAGE;
        uint32_t place = page_lock(n->store, STORE_AT + at + done,
                                   write ? MAY_WRITE : MAY_READ);

        if (!place)
            return done ? (int32_t)done : -ENOSPC;
        frame_keep(place & ~PAGE_MASK);
        mutex_unlock(&n->store->lock);
        many = many < bytes - done ? many : bytes - done;
        good = write ? copy_in(s, (void *)place, user + done, many)
                     : copy_out(s, user + done, (const void *)place, many);
        frame_drop(place & ~PAGE_MASK);
        done += good ? many : 0;
    }
    return done || good ? (int32_t)done : -EFAULT;
}

/* An eighth of memory and disk is left to programs. */
static bool full(void)
{
    return frames_free() + slots_free() < (frames_all() + slots_all()) / 8;
}

int32_t store_write(struct file *f, struct task *t, uint32_t from,
                    uint32_t bytes)
{
    struct node *n = f->node;
    int32_t r = -ENOSPC;

    mutex_lock(&n->lock);
    if (f->flags & O_APPEND)
        f->at = n->size;
    if (f->at >= STORE_BYTES && bytes)
        r = -EFBIG;
    else if (!full() && store_have(n))
        r = store_move(
            n, f->at, t, from,
            bytes < STORE_BYTES - f->at ? bytes : STORE_BYTES - f->at, true);
    if (r > 0) {
        f->at += (uint32_t)r;
        n->size = f->at > n->size ? f->at : n->size;
        node_touch(n);
    }
    mutex_unlock(&n->lock);
    return r;
}

/* What was behind the end must not come back: zeros take its place. */
static int32_t cut(struct node *n, uint32_t size)
{
    static const struct region zeros = {.may = MAY_READ | MAY_WRITE};
    uint32_t end = WHOLE_PAGES(size), rest = end - size;
    int32_t error = 0;

    if (size > STORE_BYTES)
        return -EFBIG;
    if (!store_have(n))
        return -ENOSPC;
    if (size < n->size && rest && !fill_out(n->store, STORE_AT + size, rest))
        return -ENOSPC;
    mutex_lock(&n->store->lock);
    if (size < n->size)
        error = space_map(n->store, STORE_AT + end, STORE_BYTES - end, &zeros);
    mutex_unlock(&n->store->lock);
    if (error)
        return -ENOSPC;
    n->size = size;
    node_touch(n);
    return 0;
}

int32_t node_cut(struct node *n, uint32_t size)
{
    int32_t error;

    mutex_lock(&n->lock);
    error = cut(n, size);
    mutex_unlock(&n->lock);
    return error;
}
