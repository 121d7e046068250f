/* call_memory.c - system calls about memory. */
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/sysinfo.h>

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

/* What stands behind a mapping of a file, from page `page` on. */
static int32_t origin(struct task *t, uint32_t fd, uint32_t page,
                      struct region *r)
{
    struct file *f = file_get(t, fd);
    const struct node *n;

    if (!f)
        return -EBADF;
    n = f->node;
    file_drop(f);
    if (!n || !S_ISREG(n->mode))
        return -EACCES;
    if (r->shared && r->may & MAY_WRITE)
        return -EACCES; /* the disk is read-only */
    r->bounded = true;
    if (page < (n->size + PAGE_MASK) / PAGE) {
        r->origin = n->bytes + page * PAGE;
        r->bytes = n->size - page * PAGE;
    }
    return 0;
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
    if (!(a[3] & MAP_ANONYMOUS))
        error = origin(t, a[4], a[5] / *front, &r);
    if (error)
        return error;
    if (a[3] & MAP_FIXED && at & PAGE_MASK)
        return -EINVAL;
    mutex_lock(&s->lock);
    if (!(a[3] & MAP_FIXED))
        at = space_gap(s, length);
    if (at)
        error = space_map(s, at, length, &r);
    mutex_unlock(&s->lock);
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

/* Memory and the disk's pages, in bytes. */
int32_t call_sysinfo(struct task *t, const uint32_t *a)
{
    uint32_t rest;
    struct sysinfo s = {.uptime = (int32_t)clock_split(clock_ns(), &rest),
                        .totalram = frames_all() * PAGE,
                        .freeram = frames_free() * PAGE,
                        .totalswap = slots_all() * PAGE,
                        .freeswap = slots_free() * PAGE,
                        .mem_unit = 1};

    return answer(t, a[0], &s, sizeof s);
}

/* Of usage the page faults are counted, since exec. */
int32_t call_getrusage(struct task *t, const uint32_t *a)
{
    const struct space *s = t->process->space;
    struct rusage used = {.ru_minflt = 0};

    if (!a[0]) {
        used.ru_minflt = (int32_t)(s->faults - s->reads);
        used.ru_majflt = (int32_t)s->reads;
    }
    return answer(t, a[1], &used, sizeof used);
}
