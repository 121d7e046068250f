/* call_file.c - system calls about files and their numbers. */
#include <linux/fs.h>

#include "guest/process/disk.h"
#include "guest/process/file.h"

#define PARTS 1024 /* of readv, writev */

/* ---- opening ------------------------------------------------------------- */

/* What cannot be opened so: 0 or -errno. */
static int32_t refuse_open(const struct node *n, uint32_t flags)
{
    uint32_t kind = n->mode & S_IFMT;

    if (flags & O_CREAT && flags & O_EXCL)
        return -EEXIST;
    if (kind == S_IFLNK)
        return -ELOOP;
    if (flags & O_DIRECTORY && kind != S_IFDIR)
        return -ENOTDIR;
    if (flags & O_ACCMODE && kind == S_IFDIR)
        return -EISDIR;
    if (flags & O_ACCMODE && n->device == DEVICE_DISK && disk_read_only())
        return -EROFS;
    return 0;
}

int32_t call_openat(struct task *t, const uint32_t *a)
{
    int32_t error;
    struct node *n = path_find(t, a[0], a[1], !(a[2] & O_NOFOLLOW), &error);
    struct file *f;

    if (n)
        error = refuse_open(n, a[2]);
    else if (error == -ENOENT && a[2] & O_CREAT)
        n = path_make(t, a[0], a[1],
                      S_IFREG | (a[3] & 0777 & ~t->process->mask), NULL,
                      &error);
    if (n && !error && a[2] & O_TRUNC && !n->device && n->size)
        error = node_cut(n, 0);
    if (error)
        return error;
    f = file_open(n, a[2] & ~O_CLOEXEC);
    return f ? file_number(t->process, f, 0, a[2] & O_CLOEXEC) : -ENOMEM;
}

int32_t call_close(struct task *t, const uint32_t *a)
{
    return file_close(t->process, a[0]);
}

/* ---- bytes --------------------------------------------------------------- */

typedef int32_t transfer(struct file *f, struct task *t, uint32_t at,
                         uint32_t bytes);

/* Until one is not whole. */
static int32_t parts(struct task *t, const uint32_t *a, transfer *move)
{
    int32_t done = 0, r;
    uint32_t part[2] = {0}; /* where, how many */

    if (a[3] > PARTS)
        return -EINVAL;
    for (uint32_t n = 0; n < a[3]; n++) {
        if (!copy_in(t->process->space, part, a[2] + 8 * n, sizeof part))
            r = -EFAULT;
        else if (part[1] > (uint32_t)(INT32_MAX - done))
            r = -EINVAL;
        else
            r = part[1] ? move(t->file, t, part[0], part[1]) : 0;
        if (r < 0)
            return done ? done : r;
        done += r;
        if ((uint32_t)r < part[1])
            break;
    }
    return done;
}

/* At a place, which is in the last pair of arguments. */
static int32_t at_place(struct task *t, const uint32_t *a, transfer *move)
{
    struct file other = *t->file;

    if (!file_has_places(t->file))
        return -ESPIPE;
    other.lock = (struct mutex){.owner = 0};
    other.at = a[5] ? INT32_MAX : a[6]; /* behind any end */
    return move(&other, t, a[2], a[3]);
}

/* In front: which way, and how the bytes are given. */
int32_t call_transfer(struct task *t, const uint32_t *a)
{
    transfer *move = a[0] & CALL_WRITE ? file_write : file_read;

    if (a[0] & CALL_PARTS)
        return parts(t, a, move);
    return a[0] & CALL_PLACE ? at_place(t, a, move)
                             : move(t->file, t, a[2], a[3]);
}

/* What is written is in the RAM disk at once. */
int32_t call_fsync(struct task *t, const uint32_t *a)
{
    (void)a;
    if (!file_has_places(t->file))
        return -EINVAL;
    if (t->file->node->device && !disk_request(DISK_FLUSH, 0, 0, 0))
        return -EIO;
    return 0;
}

/* -errno, or 0 and *at is the new place. */
static int32_t seek(struct file *f, int64_t by, uint32_t from, int64_t *at)
{
    bool good;

    if (!file_has_places(f))
        return -ESPIPE;
    mutex_lock(&f->lock);
    *at = by + (from == SEEK_CUR   ? f->at
                : from == SEEK_END ? f->node->size
                                   : 0);
    good = *at >= 0 && *at <= INT32_MAX && from <= SEEK_END;
    if (good)
        f->at = (uint32_t)*at;
    mutex_unlock(&f->lock);
    return good ? 0 : -EINVAL;
}

int32_t call_lseek(struct task *t, const uint32_t *a)
{
    int64_t at;
    int32_t r = seek(t->file, (int32_t)a[1], a[2], &at);

    return r ? r : (int32_t)at;
}

int32_t call_llseek(struct task *t, const uint32_t *a)
{
    int64_t at, by = (int64_t)((uint64_t)a[1] << 32 | a[2]);
    int32_t r = seek(t->file, by, a[4], &at);

    return r ? r : answer(t, a[3], &at, sizeof at);
}

/* ---- numbers ------------------------------------------------------------- */

int32_t call_dup(struct task *t, const uint32_t *a)
{
    (void)a;
    file_keep(t->file);
    return file_number(t->process, t->file, 0, false);
}

int32_t call_dup3(struct task *t, const uint32_t *a)
{
    struct process *p = t->process;
    struct file *old;

    if (a[0] == a[1])
        return -EINVAL;
    if (a[1] >= FILES)
        return -EBADF;
    file_keep(t->file);
    mutex_lock(&process_lock);
    old = p->files[a[1]];
    p->files[a[1]] = t->file;
    file_close_on_exec(p, a[1], a[2] & O_CLOEXEC);
    mutex_unlock(&process_lock);
    if (old)
        file_closed(p, old);
    return (int32_t)a[1];
}

int32_t call_dup2(struct task *t, const uint32_t *a)
{
    const uint32_t plain[3] = {a[0], a[1], 0};

    return a[0] == a[1] ? (int32_t)a[0] : call_dup3(t, plain);
}

/* In front: which flags the call has; where, flags. */
int32_t call_pipe(struct task *t, const uint32_t *a)
{
    struct file *end[2];
    uint32_t flags = a[0] & a[2];
    int32_t fd[2], error;

    if (flags & ~(O_CLOEXEC | O_NONBLOCK))
        return -EINVAL;
    if (!pipe_new(end, flags & O_NONBLOCK))
        return -ENOMEM;
    for (unsigned n = 0; n < 2; n++)
        fd[n] = file_number(t->process, end[n], 0, flags & O_CLOEXEC);
    error = fd[0] < 0 || fd[1] < 0 ? -EMFILE : answer(t, a[1], fd, sizeof fd);
    for (unsigned n = 0; n < 2 && error; n++)
        file_close(t->process, (uint32_t)fd[n]);
    return error;
}
