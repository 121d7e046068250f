/* owners.c - whose a file is, which changes nothing of what root may do with
 * it, and when it was changed, a second for all three times that a file has.
 */
#include <linux/stat.h>
#include <linux/time.h>

#include "guest/calls/calls.h"
#include "guest/process/file.h"

#define NOW ((1u << 30) - 1)  /* UTIME_NOW, in the place of nanoseconds */
#define OMIT ((1u << 30) - 2) /* UTIME_OMIT */

/* ---- owners -------------------------------------------------------------- */

/* -1: as it is. What would run as its owner does so no more. */
static int32_t own(struct node *n, uint32_t user, uint32_t group)
{
    if (!n)
        return -EINVAL;
    n->user = user + 1 ? user : n->user;
    n->group = group + 1 ? group : n->group;
    if (!S_ISDIR(n->mode))
        n->mode &= ~(S_ISUID | (n->mode & S_IXGRP ? S_ISGID : 0u));
    return 0;
}

/* From a directory, a path; user, group, flags. */
int32_t call_fchownat(struct task *t, const uint32_t *a)
{
    int32_t error;
    struct node *n =
        path_find(t, a[0], a[1], !(a[4] & AT_SYMLINK_NOFOLLOW), &error);

    return n ? own(n, a[2], a[3]) : error;
}

/* In front: flags; path, user, group. */
int32_t call_chown(struct task *t, const uint32_t *a)
{
    const uint32_t same[5] = {AT_FDCWD, a[1], a[2], a[3], a[0]};

    return call_fchownat(t, same);
}

int32_t call_fchown(struct task *t, const uint32_t *a)
{
    return own(t->file->node, a[1], a[2]);
}

/* ---- times --------------------------------------------------------------- */

/* The second time of the pair at `at`, that of the last change; NULL: now.
 * `unit`: parts of a second are told in so many; 0: there are none. */
static int32_t set_time(struct task *t, struct node *n, uint32_t at,
                        uint32_t wide, uint32_t unit)
{
    uint32_t w[8], words = wide ? 4 : unit ? 2 : 1, part;

    if (!n)
        return -EINVAL;
    if (!at) {
        node_touch(n);
        return 0;
    }
    if (!copy_in(t->process->space, w, at, 2 * words * sizeof *w))
        return -EFAULT;
    part = unit ? w[2 * words - 1] : 0;
    if (unit == SECOND && part == NOW)
        node_touch(n);
    if (unit == SECOND && (part == NOW || part == OMIT))
        return 0;
    if (unit && part >= unit)
        return -EINVAL;
    n->time = wide ? w[words + 1] : w[words];
    return 0;
}

/* In front: how wide; a directory, a path or NULL: what is open as the number
 * of the directory; times, flags. */
int32_t call_utimensat(struct task *t, const uint32_t *a)
{
    struct file *f;
    struct node *n;
    int32_t error;

    if (a[2]) {
        n = path_find(t, a[1], a[2], !(a[4] & AT_SYMLINK_NOFOLLOW), &error);
        return n ? set_time(t, n, a[3], a[0], (uint32_t)SECOND) : error;
    }
    f = file_get(t, a[1]);
    if (!f)
        return -EBADF;
    error = set_time(t, f->node, a[3], a[0], (uint32_t)SECOND);
    file_drop(f);
    return error;
}

int32_t call_futimesat(struct task *t, const uint32_t *a)
{
    int32_t error;
    struct node *n = path_find(t, a[0], a[1], true, &error);

    return n ? set_time(t, n, a[2], NARROW, 1000000) : error;
}

/* In front: the unit of parts of a second. */
int32_t call_utimes(struct task *t, const uint32_t *a)
{
    int32_t error;
    struct node *n = path_find(t, AT_FDCWD, a[1], true, &error);

    return n ? set_time(t, n, a[2], NARROW, a[0]) : error;
}
