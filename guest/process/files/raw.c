/* raw.c - the disk as a file, /dev/vda: what pages do not have of it. Each
 * transfer goes through a page of the kernel's, to the disk and back at once.
 */
#include "guest/process/disk.h"
#include "guest/process/file.h"

/* A part of a sector is read, changed and written: one at a time. */
static struct mutex writing;

/* Bytes of the disk, few enough for the page: 0 or -errno. */
static int32_t piece(struct space *space, uint32_t page, uint32_t at,
                     uint32_t user, uint32_t bytes, bool write)
{
    uint32_t skip = at % SECTOR;
    uint32_t span = (skip + bytes + SECTOR - 1) & ~(SECTOR - 1);
    int32_t error = 0;

    if (!write) {
        if (!disk_request(DISK_READ, at / SECTOR, page, span))
            return -EIO;
        return copy_out(space, user, (void *)(page + skip), bytes) ? 0
                                                                   : -EFAULT;
    }
    mutex_lock(&writing);
    if (span != bytes && !disk_request(DISK_READ, at / SECTOR, page, span))
        error = -EIO;
    else if (!copy_in(space, (void *)(page + skip), user, bytes))
        error = -EFAULT;
    else if (!disk_request(DISK_WRITE, at / SECTOR, page, span))
        error = -EIO;
    mutex_unlock(&writing);
    return error;
}

int32_t raw_move(struct file *f, struct task *t, uint32_t user, uint32_t bytes,
                 bool write)
{
    uint32_t page = frame_take(), done = 0;
    int32_t error = page ? 0 : -ENOMEM;

    mutex_lock(&f->lock);
    while (done < bytes && f->at < f->node->size && !error) {
        uint32_t n = PAGE - f->at % SECTOR, left = f->node->size - f->at;

        n = n < bytes - done ? n : bytes - done;
        n = n < left ? n : left;
        error = piece(t->process->space, page, f->at, user + done, n, write);
        if (!error) {
            f->at += n;
            done += n;
        }
    }
    mutex_unlock(&f->lock);
    if (page)
        frame_drop(page);
    if (done)
        return (int32_t)done;
    return !error && write && bytes ? -ENOSPC : error;
}
