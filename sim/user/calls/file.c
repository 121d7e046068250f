/* file.c - descriptors: opening is elsewhere (name.c), everything done
 * to what is open is here. A program's descriptor stands for one of the
 * host's; numbers are given out lowest first, as programs expect.
 */
#define _GNU_SOURCE
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- descriptors --------------------------------------------------------- */

int file_new(struct user *u, enum file_kind kind, int host, int from)
{
    for (int fd = from < 0 ? USER_FILES : from; fd < (int)limit_files(u); fd++)
        if (u->file[fd].kind == FILE_FREE) {
            u->file[fd] = (struct file){
                .kind = kind, .host = host, .opened = ++u->opened};
            return fd;
        }
    if (host >= 0)
        close(host);
    return -EMFILE;
}

bool file_room(const struct user *u)
{
    for (unsigned fd = 0; fd < limit_files(u); fd++)
        if (u->file[fd].kind == FILE_FREE)
            return true;
    return false;
}

struct file *file_get(struct user *u, uint32_t fd)
{
    if (fd >= USER_FILES || u->file[fd].kind == FILE_FREE)
        return NULL;
    return &u->file[fd];
}

void file_close(struct user *u, struct file *f)
{
    if (f->host > 2)
        close(f->host);
    free(f->path);
    free(f->places);
    *f = (struct file){.kind = FILE_FREE};
    (void)u;
}

void file_directory(struct file *f, const char *path)
{
    f->path = strdup(path);
}

int32_t call_close(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);

    if (!f)
        return -EBADF;
    file_close(k->u, f);
    thread_io(k->u, k->now);
    return 0;
}

static int32_t duplicate(struct call *k, struct file *f, int from, bool exact)
{
    struct user *u = k->u;
    int host = -1, fd;

    if (f->host >= 0 && (host = fcntl(f->host, F_DUPFD_CLOEXEC, 3)) < 0)
        return -errno;
    if (exact && u->file[from].kind != FILE_FREE)
        file_close(u, &u->file[from]);
    fd = file_new(u, f->kind, host, from);
    if (fd >= 0) {
        u->file[fd].nonblock = f->nonblock;
        u->file[fd].append = f->append;
        u->file[fd].opened = f->opened;
        u->file[fd].standard = f->standard;
        u->file[fd].outside = f->outside;
        if (f->path)
            file_directory(&u->file[fd], f->path);
    }
    return fd;
}

int32_t call_dup(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);

    return f ? duplicate(k, f, 0, false) : -EBADF;
}

int32_t call_dup2(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);

    if (!f || k->a[1] >= limit_files(k->u))
        return -EBADF;
    if (k->a[0] == k->a[1])
        return (int32_t)k->a[1];
    return duplicate(k, f, (int)k->a[1], true);
}

int32_t call_dup3(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);
    int32_t fd;

    if (k->a[0] == k->a[1] || k->a[2] & ~(uint32_t)O_CLOEXEC)
        return -EINVAL;
    if (!f || k->a[1] >= limit_files(k->u))
        return -EBADF;
    fd = duplicate(k, f, (int)k->a[1], true);
    if (fd >= 0)
        k->u->file[fd].cloexec = k->a[2] & O_CLOEXEC;
    return fd;
}

/* ---- places -------------------------------------------------------------- */

static off_t seek(struct call *k, struct file *f, off_t to, int whence)
{
    off_t at = -1;

    if (f->standard && k->u->with.host.silent)
        errno = EIO; /* where it stands is what was left behind by others */
    else
        at = f->path ? file_seek_directory(f, to, whence)
                     : lseek(f->host, to, whence);
    if (f->path && at < 0)
        errno = (int)-at;
    at = (off_t)journal_value(k, f, JOURNAL_SEEK, at < 0 ? -errno : at);
    if (at < 0)
        errno = (int)-at;
    return at < 0 ? -1 : at;
}

int32_t call_lseek(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);
    off_t at;

    if (!f)
        return -EBADF;
    if (f->host < 0)
        return -ESPIPE;
    at = seek(k, f, (int32_t)k->a[1], (int)k->a[2]);
    if (at < 0)
        return -errno;
    return at > INT32_MAX ? -EOVERFLOW : (int32_t)at;
}

int32_t call_llseek(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);
    uint8_t b[8];
    off_t at;

    if (!f)
        return -EBADF;
    if (f->host < 0)
        return -ESPIPE;
    at = seek(k, f, (off_t)call_pair(k->a[1], k->a[2]), (int)k->a[4]);
    if (at < 0)
        return -errno;
    be_put64(b, (uint64_t)at);
    return space_write(&k->u->space, k->a[3], b, 8) ? 0 : -EFAULT;
}

static int32_t result(int r)
{
    return r < 0 ? -errno : r;
}

int32_t file_cut(struct call *k, int host, int64_t size)
{
    struct space *s = &k->u->space;
    int32_t r;

    space_file_sync(s, host, 0, UINT64_MAX);
    r = result(ftruncate(host, size));
    if (r == 0) {
        space_file_cut(s, host);
        times_changed(k->u, host, TIMES_WRITTEN);
    }
    return r;
}

static int32_t cut(struct call *k, struct file *f)
{
    int64_t size = (int64_t)call_pair(k->a[2], k->a[3]);
    int error = limit_grow(k, f->host, (uint64_t)size);

    return error ? -error : file_cut(k, f->host, size);
}

int32_t call_ftruncate64(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);

    if (!f)
        return -EBADF;
    if ((int32_t)k->a[2] < 0 || f->host < 0)
        return -EINVAL;
    return journal_act(k, f, cut);
}

int32_t call_ftruncate(struct call *k)
{
    k->a[2] = (int32_t)k->a[1] < 0 ? UINT32_MAX : 0;
    k->a[3] = k->a[1];
    return call_ftruncate64(k);
}

static int32_t reserve(struct call *k, struct file *f)
{
    off_t at = (off_t)call_pair(k->a[2], k->a[3]);
    off_t size = (off_t)call_pair(k->a[4], k->a[5]);
    uint64_t wanted;
    int32_t r;
    int error;

    if (at >= 0 && size > 0 && size <= INT64_MAX - at &&
        (error = limit_grow(k, f->host, (uint64_t)(at + size))) != 0)
        return -error;
    wanted = (uint64_t)size;
    if (size > 0 && !(k->a[1] & FALLOC_FL_PUNCH_HOLE) &&
        (limit_memory_file(k->u, f->host, &wanted) != 0 ||
         wanted < (uint64_t)size))
        return -ENOSPC;
    space_file_sync(&k->u->space, f->host, 0, UINT64_MAX);
    r = result(fallocate(f->host, (int)k->a[1], at, size));
    if (r == 0) {
        space_file_cut(&k->u->space, f->host);
        times_changed(k->u, f->host, TIMES_WRITTEN);
    }
    return r;
}

int32_t call_fallocate(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);

    if (!f)
        return -EBADF;
    return f->host < 0 ? -ENODEV : journal_act(k, f, reserve);
}

static int32_t to_disk(struct call *k, struct file *f)
{
    space_file_sync(&k->u->space, f->host, 0, UINT64_MAX);
    return result(fsync(f->host));
}

int32_t call_fsync(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);

    if (!f)
        return -EBADF;
    return f->host < 0 ? -EINVAL
                       : disk_flushed(k, f, journal_act(k, f, to_disk));
}

int32_t call_sync(struct call *k)
{
    space_sync(&k->u->space, 0, SPACE_TOP);
    return 0;
}

int32_t call_fadvise64(struct call *k)
{
    return file_get(k->u, k->a[0]) ? 0 : -EBADF;
}

bool file_changeable(const struct file *f)
{
    return f->host >= 0 && !f->standard && !f->outside;
}

int32_t call_fchmod(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);

    if (!f)
        return -EBADF;
    if (!file_changeable(f))
        return -EPERM;
    if (!journal_change_open(k->u, f->host, "a file's mode"))
        return -EROFS;
    if (fchmod(f->host, k->a[1] & 07777) != 0)
        return -errno;
    times_changed(k->u, f->host, TIMES_STATUS);
    return 0;
}

/* ---- pipes --------------------------------------------------------------- */

static int32_t make_pipe(struct call *k, uint32_t flags)
{
    struct user *u = k->u;
    int host[2], fd[2];
    uint8_t b[8];

    if (flags & ~(uint32_t)(O_CLOEXEC | O_NONBLOCK))
        return -EINVAL;
    if (pipe2(host, O_CLOEXEC | O_NONBLOCK) != 0)
        return -errno;
    times_made(u, host[0]);
    for (int n = 0; n < 2; n++) {
        fd[n] = file_new(u, FILE_PIPE, host[n], 0);
        if (fd[n] < 0) {
            if (n == 0)
                close(host[1]);
            else
                file_close(u, &u->file[fd[0]]);
            return -EMFILE;
        }
        u->file[fd[n]].nonblock = flags & O_NONBLOCK;
        u->file[fd[n]].cloexec = flags & O_CLOEXEC;
        be_put32(b + 4 * n, (uint32_t)fd[n]);
    }
    if (space_write(&u->space, k->a[0], b, 8))
        return 0;
    file_close(u, &u->file[fd[0]]);
    file_close(u, &u->file[fd[1]]);
    return -EFAULT;
}

int32_t call_pipe(struct call *k)
{
    return make_pipe(k, 0);
}

int32_t call_pipe2(struct call *k)
{
    return make_pipe(k, k->a[1]);
}

/* ---- fcntl, ioctl -------------------------------------------------------- */

static uint32_t flags_to_guest(struct call *k, const struct file *f)
{
    int flags = f->host >= 0 ? (int)journal_value(k, f, JOURNAL_FLAGS,
                                                  fcntl(f->host, F_GETFL))
                             : O_RDWR;
    uint32_t g = (uint32_t)flags & (O_ACCMODE | O_APPEND | O_SYNC | O_PATH);

    if (flags & O_DIRECTORY)
        g |= ABI_O_DIRECTORY;
    if (flags & O_NOFOLLOW)
        g |= ABI_O_NOFOLLOW;
    if (f->standard)
        g = (g & ~(uint32_t)O_APPEND) | (f->append ? O_APPEND : 0);
    if (f->nonblock)
        g |= O_NONBLOCK;
    return g | (f->kind == FILE_HOST && !f->standard ? ABI_O_LARGEFILE : 0);
}

/* For all that dup made of one open(). */
static void set_nonblock(struct user *u, const struct file *f, bool on)
{
    for (unsigned fd = 0; fd < USER_FILES; fd++)
        if (u->file[fd].kind != FILE_FREE && u->file[fd].opened == f->opened)
            u->file[fd].nonblock = on;
}

/* F_SETFL. A standard file is open elsewhere too: its flags on the host stay,
 * and those of pipes and events, on which the host never is to wait. */
static void set_flags(struct user *u, const struct file *f, uint32_t g)
{
    set_nonblock(u, f, g & O_NONBLOCK);
    for (unsigned fd = 0; fd < USER_FILES; fd++) {
        struct file *x = &u->file[fd];

        if (x->kind == FILE_FREE || x->opened != f->opened)
            continue;
        x->append = x->standard && g & O_APPEND;
    }
    if (f->kind == FILE_HOST && !f->standard)
        fcntl(f->host, F_SETFL, (int)(g & O_APPEND) | O_NONBLOCK);
}

/* A signal when a file becomes ready would come at a moment that the host
 * chooses: it is refused, and named once. */
static int32_t no_async(struct call *k, const char *name)
{
    if (!k->u->told_async)
        user_say(k->u,
                 "%s: %s: no signal tells here that a file is ready (SIGIO); "
                 "it gets EINVAL, poll and threads will do",
                 k->u->with.image->name, name);
    k->u->told_async = true;
    return -EINVAL;
}

int32_t call_fcntl(struct call *k)
{
    static const uint8_t nobody[8];
    struct file *f = file_get(k->u, k->a[0]);
    int32_t fd;

    if (!f)
        return -EBADF;
    switch (k->a[1]) {
    case 0:    /* F_DUPFD */
    case 1030: /* F_DUPFD_CLOEXEC */
        if (k->a[2] >= limit_files(k->u))
            return -EINVAL;
        fd = duplicate(k, f, (int)k->a[2], false);
        if (fd >= 0)
            k->u->file[fd].cloexec = k->a[1] == 1030;
        return fd;
    case 1: /* F_GETFD */
        return f->cloexec;
    case 2: /* F_SETFD */
        f->cloexec = k->a[2] & 1;
        return 0;
    case 3: /* F_GETFL */
        return (int32_t)flags_to_guest(k, f);
    case 4: /* F_SETFL */
        if (k->a[2] & ABI_O_ASYNC)
            return no_async(k, "fcntl(F_SETFL, O_ASYNC)");
        set_flags(k->u, f, k->a[2]);
        return 0;
    case 5: /* F_GETLK, F_SETLK, F_SETLKW */
    case 6:
    case 7:
        return f->host < 0 ? -EINVAL : lock_part(k, f);
    case 1031: /* F_SETPIPE_SZ, F_GETPIPE_SZ */
    case 1032:
        return f->kind != FILE_PIPE
                   ? -EBADF
                   : result(fcntl(f->host, (int)k->a[1], k->a[2]));
    case 1033: /* F_ADD_SEALS, F_GET_SEALS */
    case 1034:
        return f->kind != FILE_HOST || f->standard
                   ? -EINVAL
                   : result(fcntl(f->host, (int)k->a[1], k->a[2]));
    case 8: /* F_SETOWN, F_SETSIG, F_SETOWN_EX */
        return no_async(k, "fcntl(F_SETOWN)");
    case 10:
        return k->a[2] ? no_async(k, "fcntl(F_SETSIG)") : 0;
    case 15:
        return no_async(k, "fcntl(F_SETOWN_EX)");
    case 9: /* F_GETOWN, F_GETSIG, F_GETOWN_EX: none */
    case 11:
        return 0;
    case 16:
        return space_write(&k->u->space, k->a[2], nobody, 8) ? 0 : -EFAULT;
    case 12: /* the same with 64 bits */
    case 13:
    case 14:
        return f->host < 0 ? -EINVAL : lock_part(k, f);
    default:
        return -EINVAL;
    }
}

/* A terminal as Linux sets one up. */
static void put_termios(uint8_t b[44])
{
    static const uint8_t cc[] = {3,  28, 127, 21, 4,  1,  0,  0,
                                 17, 19, 26,  22, 18, 23, 15, 0};

    memset(b, 0, 44);
    be_put32(b, 0x500);           /* ICRNL IXON */
    be_put32(b + 4, 0x3);         /* OPOST ONLCR */
    be_put32(b + 8, 0xB0F);       /* B38400 CS8 CREAD */
    be_put32(b + 12, 0x200005CB); /* ISIG ICANON ECHO ... */
    memcpy(b + 16, cc, sizeof cc);
    be_put32(b + 36, 15);
    be_put32(b + 40, 15);
}

int32_t call_ioctl(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);
    struct space *s = &k->u->space;
    struct winsize w;
    uint8_t b[44];
    uint32_t on;
    int64_t size;
    int n;

    if (!f)
        return -EBADF;
    switch (k->a[1]) {
    case ABI_TCGETS:
        if (f->host < 0 ||
            journal_value(k, f, JOURNAL_TTY, isatty(f->host)) != 1)
            return -ENOTTY;
        put_termios(b);
        return space_write(s, k->a[2], b, 44) ? 0 : -EFAULT;
    case ABI_TIOCGWINSZ:
        size = -1;
        if (f->host >= 0 && ioctl(f->host, TIOCGWINSZ, &w) == 0)
            size = w.ws_row << 16 | w.ws_col;
        size = journal_value(k, f, JOURNAL_WINDOW, size);
        if (size < 0)
            return -ENOTTY;
        be_put32(b, (uint32_t)size);
        be_put32(b + 4, 0);
        return space_write(s, k->a[2], b, 8) ? 0 : -EFAULT;
    case ABI_FIOCLEX:
    case ABI_FIONCLEX:
        f->cloexec = k->a[1] == ABI_FIOCLEX;
        return 0;
    case ABI_FIONBIO:
        if (!space_read32(s, k->a[2], &on))
            return -EFAULT;
        set_nonblock(k->u, f, on);
        return 0;
    case ABI_FIOASYNC:
        if (!space_read32(s, k->a[2], &on))
            return -EFAULT;
        return on ? no_async(k, "ioctl(FIOASYNC)") : 0;
    case ABI_FIONREAD:
        if (f->host < 0 || ioctl(f->host, FIONREAD, &n) != 0)
            n = -1;
        n = (int)journal_value(k, f, JOURNAL_READABLE, n);
        if (n < 0)
            return -ENOTTY;
        return space_write32(s, k->a[2], (uint32_t)n) ? 0 : -EFAULT;
    default:
        return -ENOTTY;
    }
}

static int32_t make_event(struct call *k, uint32_t flags)
{
    int host, fd;

    if (flags & ~(uint32_t)(O_CLOEXEC | O_NONBLOCK | 1))
        return -EINVAL;
    host = eventfd(k->a[0], EFD_CLOEXEC | EFD_NONBLOCK |
                                (flags & 1 ? EFD_SEMAPHORE : 0));
    if (host < 0)
        return -errno;
    times_made(k->u, host);
    fd = file_new(k->u, FILE_EVENT, host, 0);
    if (fd >= 0) {
        k->u->file[fd].nonblock = flags & O_NONBLOCK;
        k->u->file[fd].cloexec = flags & O_CLOEXEC;
    }
    return fd;
}

int32_t call_eventfd(struct call *k)
{
    return make_event(k, 0);
}

int32_t call_eventfd2(struct call *k)
{
    return make_event(k, k->a[1]);
}
