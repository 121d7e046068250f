/* lock.c - locks on files: whole ones (flock) and parts (fcntl). The host keeps
 * them, so that other processes there feel them. */
#define _GNU_SOURCE
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

/* Is the file of f open a second time, so that another thread could give up
 * its lock? */
static bool open_twice(struct user *u, const struct file *f)
{
    struct stat own, other;

    if (fstat(f->host, &own) != 0)
        return false;
    for (unsigned fd = 0; fd < USER_FILES; fd++) {
        const struct file *x = &u->file[fd];

        if (x->kind == FILE_HOST && x->opened != f->opened &&
            fstat(x->host, &other) == 0 && own.st_ino == other.st_ino &&
            own.st_dev == other.st_dev)
            return true;
    }
    return false;
}

static int32_t lock_whole(struct call *k, struct file *f)
{
    return flock(f->host, (int)k->a[1] | LOCK_NB) == 0 ? 0 : -errno;
}

/* It waits for a lock of its own; one that another process on the host has
 * is refused. */
int32_t call_flock(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);
    int32_t r;

    if (!f)
        return -EBADF;
    if (f->host < 0)
        return -EINVAL;
    r = journal_act(k, f, lock_whole);
    if (r == 0)
        thread_io(k->u, k->now); /* it may have become free */
    if (r != -EWOULDBLOCK || k->a[1] & LOCK_NB || !open_twice(k->u, f))
        return r;
    if (signal_waits(k->u, k->t))
        return -EINTR;
    k->t->restartable = true;
    thread_block(k, WAIT_IO, CYCLE_NEVER);
    return CALL_RETRY;
}

/* Locks: the program is one process, the host keeps them from others. */
static int32_t part(struct call *k, struct file *f)
{
    bool wide = k->a[1] >= 12;
    struct flock l = {0};
    uint8_t b[32];
    int command = F_SETLK;

    if (!space_read(&k->u->space, k->a[2], b, wide ? 32 : 16))
        return -EFAULT;
    l.l_type = (short)(b[0] << 8 | b[1]);
    l.l_whence = (short)(b[2] << 8 | b[3]);
    l.l_start = wide ? (off_t)be_get64(b + 8) : (int32_t)be_get32(b + 4);
    l.l_len = wide ? (off_t)be_get64(b + 16) : (int32_t)be_get32(b + 8);
    if (k->a[1] == 5 || k->a[1] == 12)
        command = F_GETLK;
    if (fcntl(f->host, command, &l) != 0)
        return -errno;
    if (command != F_GETLK)
        return 0;
    be_put16(b, (uint16_t)l.l_type);
    if (l.l_type != F_UNLCK) {
        be_put16(b + 2, (uint16_t)l.l_whence);
        if (wide) {
            be_put64(b + 8, (uint64_t)l.l_start);
            be_put64(b + 16, (uint64_t)l.l_len);
            be_put32(b + 24, 1);
        } else {
            be_put32(b + 4, (uint32_t)l.l_start);
            be_put32(b + 8, (uint32_t)l.l_len);
            be_put32(b + 12, 1);
        }
    }
    return space_write(&k->u->space, k->a[2], b, wide ? 32 : 16) ? 0 : -EFAULT;
}

int32_t lock_part(struct call *k, struct file *f)
{
    return journal_act(k, f, part);
}
