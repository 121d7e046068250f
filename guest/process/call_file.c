/* call_file.c - system calls about files and their numbers. */
#include "guest/process/errno.h"
#include "guest/process/file.h"

#define SEEK_CUR 1
#define SEEK_END 2
#define PARTS 1024 /* of readv, writev */

enum { F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC = 1030 };

#define FIONREAD 0x4004667Fu

/* ---- names --------------------------------------------------------------- */

/* The same for a path in user memory. */
const struct node *path_find(struct task *t, uint32_t directory, uint32_t at,
                             bool follow, int32_t *error)
{
    char path[PATH_SIZE], from[PATH_SIZE];
    struct file *f;

    *error = copy_text(t->process->space, path, at, sizeof path);
    if (*error < 0)
        return NULL;
    if (text_equal(path, "/proc/self/exe"))
        return ramdisk_find("/", t->process->program, follow, error);
    mutex_lock(&process_lock);
    text_copy(from, t->process->directory, PATH_SIZE);
    mutex_unlock(&process_lock);
    if (directory != AT_CWD && *path != '/') {
        f = file_get(t, directory);
        *error = !f        ? -EBADF
                 : f->node ? ramdisk_path(f->node, from, PATH_SIZE)
                           : -ENOTDIR;
        if (f)
            file_drop(f);
        if (*error < 0)
            return NULL;
    }
    return ramdisk_find(from, path, follow, error);
}

static int32_t open_at(struct task *t, uint32_t directory, uint32_t path,
                       uint32_t flags)
{
    int32_t error;
    const struct node *n =
        path_find(t, directory, path, !(flags & O_NOFOLLOW), &error);
    struct file *f;

    if (!n)
        return error == -ENOENT && flags & O_CREAT ? -EROFS : error;
    if (flags & O_CREAT && flags & O_EXCL)
        return -EEXIST;
    if ((n->mode & MODE_KIND) == MODE_LINK)
        return -ELOOP;
    if (flags & O_DIRECTORY && (n->mode & MODE_KIND) != MODE_DIRECTORY)
        return -ENOTDIR;
    if (flags & (O_ACCMODE | O_TRUNC) && !n->device)
        return (n->mode & MODE_KIND) == MODE_DIRECTORY ? -EISDIR : -EROFS;
    f = file_open(n, flags & ~O_CLOEXEC);
    if (!f)
        return -ENOMEM;
    error = file_number(t->process, f, 0, flags & O_CLOEXEC);
    if (error < 0)
        file_drop(f);
    return error;
}

int32_t call_open(struct task *t, const uint32_t *a)
{
    return open_at(t, AT_CWD, a[0], a[1]);
}

int32_t call_openat(struct task *t, const uint32_t *a)
{
    return open_at(t, a[0], a[1], a[2]);
}

int32_t call_close(struct task *t, const uint32_t *a)
{
    return file_close(t->process, a[0]);
}

/* Who is user 0 may read everything and write nothing that is on the disk. */
static int32_t access_at(struct task *t, uint32_t directory, uint32_t path,
                         uint32_t how)
{
    int32_t error;
    const struct node *n = path_find(t, directory, path, true, &error);

    if (!n)
        return error;
    if (how & 2 && !n->device)
        return -EROFS;
    return how & 1 && !(n->mode & 0111) ? -EACCES : 0;
}

int32_t call_access(struct task *t, const uint32_t *a)
{
    return access_at(t, AT_CWD, a[0], a[1]);
}

int32_t call_faccessat(struct task *t, const uint32_t *a)
{
    return access_at(t, a[0], a[1], a[2]);
}

static int32_t read_link(struct task *t, uint32_t directory, uint32_t path,
                         uint32_t to, uint32_t size)
{
    char text[PATH_SIZE];
    int32_t error = copy_text(t->process->space, text, path, sizeof text);
    const struct node *n;
    uint32_t length = 0;

    if (error < 0)
        return error;
    if (text_equal(text, "/proc/self/exe")) {
        text_copy(text, t->process->program, sizeof text);
        length = text_length(text);
        length = length < size ? length : size;
        return copy_out(t->process->space, to, text, length) ? (int32_t)length
                                                             : -EFAULT;
    }
    n = path_find(t, directory, path, false, &error);
    if (!n)
        return error;
    if ((n->mode & MODE_KIND) != MODE_LINK || !size)
        return -EINVAL;
    length = n->size < size ? n->size : size;
    return copy_out(t->process->space, to, n->bytes, length) ? (int32_t)length
                                                             : -EFAULT;
}

int32_t call_readlink(struct task *t, const uint32_t *a)
{
    return read_link(t, AT_CWD, a[0], a[1], a[2]);
}

int32_t call_readlinkat(struct task *t, const uint32_t *a)
{
    return read_link(t, a[0], a[1], a[2], a[3]);
}

int32_t call_chdir(struct task *t, const uint32_t *a)
{
    char path[PATH_SIZE];
    int32_t error;
    const struct node *n = path_find(t, AT_CWD, a[0], true, &error);

    if (!n)
        return error;
    if ((n->mode & MODE_KIND) != MODE_DIRECTORY)
        return -ENOTDIR;
    error = ramdisk_path(n, path, sizeof path);
    if (error < 0)
        return -ENAMETOOLONG;
    mutex_lock(&process_lock);
    text_copy(t->process->directory, path, PATH_SIZE);
    mutex_unlock(&process_lock);
    return 0;
}

int32_t call_getcwd(struct task *t, const uint32_t *a)
{
    char path[PATH_SIZE];
    uint32_t length;

    mutex_lock(&process_lock);
    text_copy(path, t->process->directory, PATH_SIZE);
    mutex_unlock(&process_lock);
    length = text_length(path) + 1;
    if (length > a[1])
        return -ERANGE;
    return copy_out(t->process->space, a[0], path, length) ? (int32_t)length
                                                           : -EFAULT;
}

/* ---- bytes --------------------------------------------------------------- */

typedef int32_t transfer(struct file *f, struct task *t, uint32_t at,
                         uint32_t bytes);

static int32_t one_part(struct task *t, const uint32_t *a, transfer *move)
{
    struct file *f = file_get(t, a[0]);
    int32_t r;

    if (!f)
        return -EBADF;
    r = move(f, t, a[1], a[2]);
    file_drop(f);
    return r;
}

int32_t call_read(struct task *t, const uint32_t *a)
{
    return one_part(t, a, file_read);
}

int32_t call_write(struct task *t, const uint32_t *a)
{
    return one_part(t, a, file_write);
}

/* Until one is not whole. */
static int32_t parts(struct task *t, const uint32_t *a, struct file *f,
                     transfer *move)
{
    int32_t done = 0;

    for (uint32_t n = 0; n < a[2]; n++) {
        uint32_t part[2]; /* where, how many */
        int32_t r;

        if (!copy_in(t->process->space, part, a[1] + 8 * n, sizeof part))
            return done ? done : -EFAULT;
        if (part[1] > (uint32_t)(INT32_MAX - done))
            return done ? done : -EINVAL;
        r = part[1] ? move(f, t, part[0], part[1]) : 0;
        if (r < 0)
            return done ? done : r;
        done += r;
        if ((uint32_t)r < part[1])
            break;
    }
    return done;
}

static int32_t many_parts(struct task *t, const uint32_t *a, transfer *move)
{
    struct file *f;
    int32_t r;

    if (a[2] > PARTS)
        return -EINVAL;
    f = file_get(t, a[0]);
    if (!f)
        return -EBADF;
    r = parts(t, a, f, move);
    file_drop(f);
    return r;
}

int32_t call_readv(struct task *t, const uint32_t *a)
{
    return many_parts(t, a, file_read);
}

int32_t call_writev(struct task *t, const uint32_t *a)
{
    return many_parts(t, a, file_write);
}

/* The place is in the last pair of arguments, which begins at an even one. */
int32_t call_pread(struct task *t, const uint32_t *a)
{
    struct file *f = file_get(t, a[0]);
    int32_t r = -ESPIPE;

    if (!f)
        return -EBADF;
    if (f->node && !f->node->device && a[4]) {
        r = 0; /* behind any end */
    } else if (f->node && !f->node->device) {
        struct file other = {.node = f->node, .flags = f->flags, .at = a[5]};

        r = file_read(&other, t, a[1], a[2]);
    }
    file_drop(f);
    return r;
}

static int32_t seek(struct file *f, int64_t by, uint32_t from, int64_t *at)
{
    if (!f->node || f->node->device)
        return -ESPIPE;
    mutex_lock(&f->lock);
    *at = by + (from == SEEK_CUR   ? f->at
                : from == SEEK_END ? f->node->size
                                   : 0);
    if (*at >= 0 && *at <= INT32_MAX && from <= SEEK_END)
        f->at = (uint32_t)*at;
    mutex_unlock(&f->lock);
    return *at >= 0 && *at <= INT32_MAX && from <= SEEK_END ? 0 : -EINVAL;
}

static int32_t seek_number(struct task *t, uint32_t fd, int64_t by,
                           uint32_t from, int64_t *at)
{
    struct file *f = file_get(t, fd);
    int32_t r;

    if (!f)
        return -EBADF;
    r = seek(f, by, from, at);
    file_drop(f);
    return r;
}

int32_t call_lseek(struct task *t, const uint32_t *a)
{
    int64_t at;
    int32_t r = seek_number(t, a[0], (int32_t)a[1], a[2], &at);

    return r ? r : (int32_t)at;
}

int32_t call_llseek(struct task *t, const uint32_t *a)
{
    int64_t at;
    int32_t r =
        seek_number(t, a[0], (int64_t)((uint64_t)a[1] << 32 | a[2]), a[4], &at);

    if (r)
        return r;
    return copy_out(t->process->space, a[3], &at, sizeof at) ? 0 : -EFAULT;
}

/* ---- numbers ------------------------------------------------------------- */

static int32_t dup_from(struct task *t, uint32_t fd, uint32_t least,
                        bool close_on_exec)
{
    struct file *f = file_get(t, fd);
    int32_t r;

    if (!f)
        return -EBADF;
    r = least < FILES ? file_number(t->process, f, least, close_on_exec)
                      : -EINVAL;
    if (r < 0)
        file_drop(f);
    return r;
}

int32_t call_dup(struct task *t, const uint32_t *a)
{
    return dup_from(t, a[0], 0, false);
}

static int32_t dup_to(struct task *t, uint32_t fd, uint32_t to, uint32_t flags)
{
    struct file *f, *old;

    if (to >= FILES)
        return -EBADF;
    f = file_get(t, fd);
    if (!f)
        return -EBADF;
    mutex_lock(&process_lock);
    old = t->process->files[to];
    t->process->files[to] = f;
    t->process->close_on_exec &= ~(1ULL << to);
    if (flags & O_CLOEXEC)
        t->process->close_on_exec |= 1ULL << to;
    mutex_unlock(&process_lock);
    if (old)
        file_drop(old);
    return (int32_t)to;
}

int32_t call_dup2(struct task *t, const uint32_t *a)
{
    struct file *f;

    if (a[0] != a[1])
        return dup_to(t, a[0], a[1], 0);
    f = file_get(t, a[0]);
    if (!f)
        return -EBADF;
    file_drop(f);
    return (int32_t)a[0];
}

int32_t call_dup3(struct task *t, const uint32_t *a)
{
    return a[0] == a[1] ? -EINVAL : dup_to(t, a[0], a[1], a[2]);
}

static int32_t make_pipe(struct task *t, uint32_t at, uint32_t flags)
{
    struct file *end[2];
    int32_t fd[2];

    if (flags & ~(O_CLOEXEC | O_NONBLOCK))
        return -EINVAL;
    if (!pipe_new(end, flags & O_NONBLOCK))
        return -ENOMEM;
    fd[0] = file_number(t->process, end[0], 0, flags & O_CLOEXEC);
    fd[1] = fd[0] < 0 ? -EMFILE
                      : file_number(t->process, end[1], 0, flags & O_CLOEXEC);
    if (fd[1] >= 0 && copy_out(t->process->space, at, fd, sizeof fd))
        return 0;
    for (unsigned n = 0; n < 2; n++) {
        if (fd[n] >= 0)
            file_close(t->process, (uint32_t)fd[n]);
        else
            file_drop(end[n]);
    }
    return fd[1] < 0 ? -EMFILE : -EFAULT;
}

int32_t call_pipe(struct task *t, const uint32_t *a)
{
    return make_pipe(t, a[0], 0);
}

int32_t call_pipe2(struct task *t, const uint32_t *a)
{
    return make_pipe(t, a[0], a[1]);
}

static int32_t control(struct task *t, struct file *f, const uint32_t *a)
{
    struct process *p = t->process;
    uint64_t bit = 1ULL << (a[0] % FILES);

    switch (a[1]) {
    case F_GETFD:
        return p->close_on_exec & bit ? 1 : 0;
    case F_SETFD:
        mutex_lock(&process_lock);
        p->close_on_exec &= ~bit;
        if (a[2] & 1)
            p->close_on_exec |= bit;
        mutex_unlock(&process_lock);
        return 0;
    case F_GETFL:
        return (int32_t)f->flags;
    case F_SETFL:
        mutex_lock(&f->lock);
        f->flags = (f->flags & ~O_NONBLOCK) | (a[2] & O_NONBLOCK);
        mutex_unlock(&f->lock);
        return 0;
    default:
        return -EINVAL;
    }
}

int32_t call_fcntl(struct task *t, const uint32_t *a)
{
    struct file *f;
    int32_t r;

    if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC)
        return dup_from(t, a[0], a[2], a[1] == F_DUPFD_CLOEXEC);
    f = file_get(t, a[0]);
    if (!f)
        return -EBADF;
    r = control(t, f, a);
    file_drop(f);
    return r;
}

/* The console is a line without settings: what a program prints there is put
 * together as if into a pipe. */
int32_t call_ioctl(struct task *t, const uint32_t *a)
{
    struct file *f = file_get(t, a[0]);
    uint32_t held;

    if (!f)
        return -EBADF;
    held = f->pipe ? pipe_held(f->pipe) : 0;
    if (a[1] != FIONREAD || !f->pipe) {
        file_drop(f);
        return -ENOTTY;
    }
    file_drop(f);
    return copy_out(t->process->space, a[2], &held, 4) ? 0 : -EFAULT;
}
