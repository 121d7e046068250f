/* memory.c - calls about memory that the kernel does without. */
#include <linux/mman.h>

#include "guest/calls/calls.h"

/* Where, how long, how. Pages that are shared are the file's: there is nothing
 * to write, but all of it has to be mapped. */
int32_t call_msync(struct task *t, const uint32_t *a)
{
    uint32_t at = a[0], end = at + WHOLE_PAGES(a[1]);
    const struct region *r;

    if (at & PAGE_MASK ||
        a[2] & ~(uint32_t)(MS_ASYNC | MS_INVALIDATE | MS_SYNC) ||
        (a[2] & MS_ASYNC && a[2] & MS_SYNC))
        return -EINVAL;
    if (end < at)
        return -ENOMEM;
    for (; at < end; at = r->end) {
        r = space_region(t->process->space, at);
        if (!r)
            return -ENOMEM;
    }
    return 0;
}
