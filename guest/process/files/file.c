/* file.c - open files and their numbers; reading, writing what is no pipe. */
#include "guest/kernel/hook.h"
#include "guest/process/file.h"

#define CHUNK 128 /* bytes on the way between a device and a program */

static struct pool files = {.size = sizeof(struct file)};

struct file *file_open(struct node *n, uint32_t flags)
{
    struct file *f = pool_take(&files);

    if (!f)
        return NULL;
    if (n)
        atomic_add(&n->users, 1);
    f->users = 1;
    f->node = n;
    f->flags = flags;
    return f;
}

void file_keep(struct file *f)
{
    atomic_add(&f->users, 1);
}

void file_drop(struct file *f)
{
    if (atomic_add(&f->users, 0xFFFFFFFF) != 1)
        return;
    if (f->pipe)
        pipe_closed(f->pipe, (f->flags & O_ACCMODE) == O_WRONLY);
    else
        node_drop(f->node);
    pool_give(&files, f);
}

bool file_has_places(const struct file *f)
{
    return f->node && (!f->node->device || f->node->device == DEVICE_DISK);
}

/* ---- numbers ------------------------------------------------------------- */

struct file *file_get(struct task *t, uint32_t fd)
{
    struct file *f = NULL;

    mutex_lock(&process_lock);
    if (fd < FILES)
        f = t->process->files[fd];
    if (f)
        file_keep(f);
    mutex_unlock(&process_lock);
    return f;
}

void file_close_on_exec(struct process *p, uint32_t fd, bool close)
{
    p->close_on_exec &= ~(1ULL << fd);
    p->close_on_exec |= (uint64_t)close << fd;
}

int32_t file_number(struct process *p, struct file *f, uint32_t least,
                    bool close_on_exec)
{
    uint32_t fd = least;

    mutex_lock(&process_lock);
    while (fd < FILES && p->files[fd])
        fd++;
    if (fd < FILES) {
        p->files[fd] = f;
        file_close_on_exec(p, fd, close_on_exec);
    }
    mutex_unlock(&process_lock);
    if (fd < FILES)
        return (int32_t)fd;
    file_drop(f);
    return -EMFILE;
}

void file_closed(struct process *p, struct file *f)
{
    FOR_TABLE (hook, closed)
        (*hook)(p, f);
    file_drop(f);
}

int32_t file_close(struct process *p, uint32_t fd)
{
    struct file *f = NULL;

    mutex_lock(&process_lock);
    if (fd < FILES) {
        f = p->files[fd];
        p->files[fd] = NULL;
    }
    mutex_unlock(&process_lock);
    if (!f)
        return -EBADF;
    file_closed(p, f);
    return 0;
}

/* ---- devices ------------------------------------------------------------- */

static int32_t console_write(struct task *t, uint32_t from, uint32_t bytes)
{
    char chunk[CHUNK];
    uint32_t done = 0;

    while (done < bytes) {
        uint32_t n = bytes - done < CHUNK ? bytes - done : CHUNK;

        if (!copy_in(t->process->space, chunk, from + done, n))
            return done ? (int32_t)done : -EFAULT;
        console_write_bytes(chunk, n);
        done += n;
    }
    return (int32_t)done;
}

static int32_t device_read(struct file *f, struct task *t, uint32_t to,
                           uint32_t bytes)
{
    int32_t r = 0;

    switch (f->node->device) {
    case DEVICE_ZERO:
        return fill_out(t->process->space, to, bytes) ? (int32_t)bytes
                                                      : -EFAULT;
    case DEVICE_RANDOM:
        return random_read(t, to, bytes);
    case DEVICE_CONSOLE:
        return input_read(t, to, bytes);
    case DEVICE_DISK:
        return raw_move(f, t, to, bytes, false);
    default:
        FOR_TABLE (hook, device) {
            if ((*hook)(f, t, to, bytes, &r))
                break;
        }
        return r;
    }
}

/* ---- files --------------------------------------------------------------- */

static int32_t node_read(struct file *f, struct task *t, uint32_t to,
                         uint32_t bytes)
{
    const struct node *n = f->node;
    uint32_t left;
    int32_t r = -EFAULT;

    if (S_ISDIR(n->mode))
        return -EISDIR;
    mutex_lock(&f->lock);
    left = f->at < n->size ? n->size - f->at : 0;
    bytes = bytes < left ? bytes : left;
    if (n->store)
        r = store_move(n, f->at, t, to, bytes, false);
    else if (copy_out(t->process->space, to, n->bytes + f->at, bytes))
        r = (int32_t)bytes;
    f->at += r > 0 ? (uint32_t)r : 0;
    mutex_unlock(&f->lock);
    return r;
}

static int32_t node_write(struct file *f, struct task *t, uint32_t from,
                          uint32_t bytes)
{
    int32_t r;

    mutex_lock(&f->lock);
    r = store_write(f, t, from, bytes);
    mutex_unlock(&f->lock);
    return r;
}

int32_t file_read(struct file *f, struct task *t, uint32_t to, uint32_t bytes)
{
    if ((f->flags & O_ACCMODE) == O_WRONLY)
        return -EBADF;
    if (bytes > INT32_MAX)
        bytes = INT32_MAX & ~PAGE_MASK;
    if (f->pipe)
        return pipe_read(f, t, to, bytes);
    return f->node->device ? device_read(f, t, to, bytes)
                           : node_read(f, t, to, bytes);
}

int32_t file_write(struct file *f, struct task *t, uint32_t from,
                   uint32_t bytes)
{
    if (!(f->flags & O_ACCMODE))
        return -EBADF;
    if (bytes > INT32_MAX)
        bytes = INT32_MAX & ~PAGE_MASK;
    if (f->pipe)
        return pipe_write(f, t, from, bytes);
    if (!f->node->device)
        return node_write(f, t, from, bytes);
    if (f->node->device == DEVICE_CONSOLE)
        return console_write(t, from, bytes);
    if (f->node->device == DEVICE_DISK)
        return raw_move(f, t, from, bytes, true);
    return (int32_t)bytes; /* the other devices take everything */
}
