/* pool.c - objects of one size, carved out of pages. A page that a pool has
 * taken stays its own: there are never more than were in use at one time.
 */
#include "guest/process/mm.h"

/* Cut a page into objects. False: there is none. */
static bool refill(struct pool *p)
{
    uint32_t page = frame_take(), msr;

    if (!page)
        return false;
    msr = spin_lock(&p->lock);
    for (uint32_t at = 0; at + p->size <= PAGE; at += p->size) {
        *(void **)(page + at) = p->free;
        p->free = (void *)(page + at);
    }
    spin_unlock(&p->lock, msr);
    return true;
}

void *pool_take(struct pool *p)
{
    void *object;

    do {
        uint32_t msr = spin_lock(&p->lock);

        object = p->free;
        if (object)
            p->free = *(void **)object;
        spin_unlock(&p->lock, msr);
    } while (!object && refill(p));
    if (object)
        memset(object, 0, p->size);
    return object;
}

void pool_give(struct pool *p, void *object)
{
    uint32_t msr = spin_lock(&p->lock);

    *(void **)object = p->free;
    p->free = object;
    spin_unlock(&p->lock, msr);
}
