/* stat.c - what is known of a file, in the four layouts that programs ask
 * for, and directories.
 */
#define _GNU_SOURCE
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define STAT_SIZE 72u
#define STAT64_SIZE 104u
#define STATX_BYTES 256u

/* ---- layouts ------------------------------------------------------------- */

static uint64_t device(dev_t d)
{
    return (uint64_t)major(d) << 8 | (minor(d) & 0xFF) |
           (uint64_t)(minor(d) & ~0xFFu) << 12;
}

static void put_time(uint8_t *b, const struct timespec *t)
{
    be_put32(b, (uint32_t)t->tv_sec);
    be_put32(b + 4, (uint32_t)t->tv_nsec);
}

static void put_old(uint8_t b[STAT_SIZE], const struct stat *st)
{
    memset(b, 0, STAT_SIZE);
    be_put32(b, (uint32_t)device(st->st_dev));
    be_put32(b + 4, (uint32_t)st->st_ino);
    be_put32(b + 8, st->st_mode);
    be_put16(b + 12, (uint16_t)st->st_nlink);
    be_put32(b + 16, st->st_uid);
    be_put32(b + 20, st->st_gid);
    be_put32(b + 24, (uint32_t)device(st->st_rdev));
    be_put32(b + 28, (uint32_t)st->st_size);
    be_put32(b + 32, (uint32_t)st->st_blksize);
    be_put32(b + 36, (uint32_t)st->st_blocks);
    put_time(b + 40, &st->st_atim);
    put_time(b + 48, &st->st_mtim);
    put_time(b + 56, &st->st_ctim);
}

static void put_new(uint8_t b[STAT64_SIZE], const struct stat *st)
{
    memset(b, 0, STAT64_SIZE);
    be_put64(b, device(st->st_dev));
    be_put64(b + 8, st->st_ino);
    be_put32(b + 16, st->st_mode);
    be_put32(b + 20, (uint32_t)st->st_nlink);
    be_put32(b + 24, st->st_uid);
    be_put32(b + 28, st->st_gid);
    be_put64(b + 32, device(st->st_rdev));
    be_put64(b + 48, (uint64_t)st->st_size);
    be_put32(b + 56, (uint32_t)st->st_blksize);
    be_put64(b + 64, (uint64_t)st->st_blocks);
    put_time(b + 72, &st->st_atim);
    put_time(b + 80, &st->st_mtim);
    put_time(b + 88, &st->st_ctim);
}

static void put_statx_time(uint8_t *b, const struct timespec *t)
{
    be_put64(b, (uint64_t)t->tv_sec);
    be_put32(b + 8, (uint32_t)t->tv_nsec);
}

static void put_statx(uint8_t b[STATX_BYTES], const struct stat *st)
{
    memset(b, 0, STATX_BYTES);
    be_put32(b, 0x7FF); /* STATX_BASIC_STATS */
    be_put32(b + 4, (uint32_t)st->st_blksize);
    be_put32(b + 16, (uint32_t)st->st_nlink);
    be_put32(b + 20, st->st_uid);
    be_put32(b + 24, st->st_gid);
    be_put16(b + 28, st->st_mode);
    be_put64(b + 32, st->st_ino);
    be_put64(b + 40, (uint64_t)st->st_size);
    be_put64(b + 48, (uint64_t)st->st_blocks);
    put_statx_time(b + 64, &st->st_atim);
    put_statx_time(b + 96, &st->st_ctim);
    put_statx_time(b + 112, &st->st_mtim);
    be_put32(b + 128, major(st->st_rdev));
    be_put32(b + 132, minor(st->st_rdev));
    be_put32(b + 136, major(st->st_dev));
    be_put32(b + 140, minor(st->st_dev));
}

/* ---- asking -------------------------------------------------------------- */

static int32_t stat_device(struct call *k, const char *name, struct stat *st)
{
    if (stat(name, st) != 0)
        return -errno;
    times_device(k->u, st);
    return 0;
}

static int32_t stat_fd(struct call *k, uint32_t fd, struct stat *st)
{
    struct file *f = file_get(k->u, fd);
    int error;

    if (!f)
        return -EBADF;
    if (f->kind == FILE_RANDOM)
        return stat_device(k, "/dev/urandom", st);
    error = journal_stat(k, f, st);
    if (!error && !f->standard)
        times_show(k->u, st);
    if (!error && S_ISCHR(st->st_mode) && !f->standard)
        times_device(k->u, st);
    return -error;
}

static int32_t stat_at(struct call *k, int dirfd, uint32_t at, uint32_t flags,
                       struct stat *st)
{
    char name[USER_PATH], path[USER_PATH];
    int n = space_string(&k->u->space, at, name, sizeof name);
    bool follow = !(flags & AT_SYMLINK_NOFOLLOW);
    int error, host;

    if (n < 0)
        return n == -1 ? -EFAULT : -ENAMETOOLONG;
    if (!*name && flags & AT_EMPTY_PATH && dirfd != ABI_AT_FDCWD)
        return stat_fd(k, (uint32_t)dirfd, st);
    if (path_device(name))
        return stat_device(k, name, st);
    if (strcmp(name, "/proc/self/exe") == 0) {
        if (k->u->self < 0 || fstat(k->u->self, st) != 0)
            return -ENOENT;
        times_show(k->u, st);
        if (!follow) {
            st->st_mode = S_IFLNK | 0777;
            st->st_size = 0;
        }
        return 0;
    }
    error = path_make(k->u, dirfd, *name ? name : ".", path);
    if (!*name && !(flags & AT_EMPTY_PATH))
        error = ENOENT;
    if (error)
        return -error;
    host = path_look(k->u, path, O_PATH | (follow ? 0 : O_NOFOLLOW), 0);
    if (host < 0)
        return host;
    error = fstat(host, st) == 0 ? 0 : errno;
    close(host);
    if (!error)
        times_show(k->u, st);
    return -error;
}

static int32_t give(struct call *k, int32_t r, const struct stat *st, bool wide,
                    uint32_t to)
{
    uint8_t b[STAT64_SIZE];

    if (r)
        return r;
    if (!wide && st->st_size > INT32_MAX)
        return -EOVERFLOW;
    if (wide)
        put_new(b, st);
    else
        put_old(b, st);
    return space_write(&k->u->space, to, b, wide ? STAT64_SIZE : STAT_SIZE)
               ? 0
               : -EFAULT;
}

static int32_t stat_name(struct call *k, uint32_t flags, bool wide)
{
    struct stat st;
    int32_t r = stat_at(k, ABI_AT_FDCWD, k->a[0], flags, &st);

    return give(k, r, &st, wide, k->a[1]);
}

int32_t call_stat(struct call *k)
{
    return stat_name(k, 0, false);
}

int32_t call_lstat(struct call *k)
{
    return stat_name(k, AT_SYMLINK_NOFOLLOW, false);
}

int32_t call_stat64(struct call *k)
{
    return stat_name(k, 0, true);
}

int32_t call_lstat64(struct call *k)
{
    return stat_name(k, AT_SYMLINK_NOFOLLOW, true);
}

int32_t call_fstat(struct call *k)
{
    struct stat st;
    int32_t r = stat_fd(k, k->a[0], &st);

    return give(k, r, &st, false, k->a[1]);
}

int32_t call_fstat64(struct call *k)
{
    struct stat st;
    int32_t r = stat_fd(k, k->a[0], &st);

    return give(k, r, &st, true, k->a[1]);
}

#define STAT_FLAGS (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT)

int32_t call_fstatat64(struct call *k)
{
    struct stat st;

    if (k->a[3] & ~(uint32_t)STAT_FLAGS)
        return -EINVAL;
    return give(k, stat_at(k, (int)k->a[0], k->a[1], k->a[3], &st), &st, true,
                k->a[2]);
}

int32_t call_statx(struct call *k)
{
    uint8_t b[STATX_BYTES];
    struct stat st;
    int32_t r;

    if (k->a[2] & ~(uint32_t)(STAT_FLAGS | 0x6000) || /* AT_STATX_SYNC_TYPE */
        (k->a[2] & 0x6000) == 0x6000 || k->a[3] >> 31)
        return -EINVAL;
    r = stat_at(k, (int)k->a[0], k->a[1], k->a[2], &st);
    if (r)
        return r;
    put_statx(b, &st);
    return space_write(&k->u->space, k->a[4], b, sizeof b) ? 0 : -EFAULT;
}

/* ---- file systems -------------------------------------------------------- */

static int32_t give_fs(struct call *k, const struct statfs *f, uint32_t to,
                       bool wide)
{
    uint64_t n[5] = {f->f_blocks, f->f_bfree, f->f_bavail, f->f_files,
                     f->f_ffree};
    uint8_t b[88], *p = b + 8;

    memset(b, 0, sizeof b);
    be_put32(b, (uint32_t)f->f_type);
    be_put32(b + 4, (uint32_t)f->f_bsize);
    for (unsigned i = 0; i < 5; i++, p += wide ? 8 : 4) {
        if (wide)
            be_put64(p, n[i]);
        else
            be_put32(p, n[i] > INT32_MAX ? INT32_MAX : (uint32_t)n[i]);
    }
    be_put32(p + 8, (uint32_t)f->f_namelen); /* behind f_fsid */
    be_put32(p + 12, (uint32_t)f->f_frsize);
    return space_write(&k->u->space, to, b, wide ? 88 : 64) ? 0 : -EFAULT;
}

static int32_t statfs_name(struct call *k, bool wide)
{
    char path[USER_PATH];
    struct statfs f;
    int error = path_get(k, ABI_AT_FDCWD, k->a[0], path), host;

    if (error)
        return -error;
    if (wide && k->a[1] != 84 && k->a[1] != 88)
        return -EINVAL;
    host = path_look(k->u, path, O_PATH, 0);
    if (host < 0)
        return host;
    error = fstatfs(host, &f) == 0 ? 0 : errno;
    close(host);
    return error ? -error : give_fs(k, &f, k->a[wide ? 2 : 1], wide);
}

int32_t call_statfs(struct call *k)
{
    return statfs_name(k, false);
}

int32_t call_statfs64(struct call *k)
{
    return statfs_name(k, true);
}

/* By its kind, the same everywhere. 0 or an error number. */
static int standard_fs(struct call *k, const struct file *f, struct statfs *fs)
{
    struct stat st;
    int error = journal_stat(k, f, &st);

    *fs = (struct statfs){.f_bsize = ABI_PAGE, .f_frsize = ABI_PAGE};
    fs->f_namelen = NAME_MAX;
    fs->f_type = S_ISREG(st.st_mode)    ? EXT4_SUPER_MAGIC
                 : S_ISFIFO(st.st_mode) ? PIPEFS_MAGIC
                                        : TMPFS_MAGIC;
    return error;
}

static int32_t statfs_fd(struct call *k, bool wide)
{
    struct file *f = file_get(k->u, k->a[0]);
    struct statfs fs;
    int error;

    if (!f)
        return -EBADF;
    if (wide && k->a[1] != 84 && k->a[1] != 88)
        return -EINVAL;
    if (f->host < 0)
        return -ENOSYS;
    error = f->standard                  ? standard_fs(k, f, &fs)
            : fstatfs(f->host, &fs) == 0 ? 0
                                         : errno;
    if (error)
        return -error;
    return give_fs(k, &fs, k->a[wide ? 2 : 1], wide);
}

int32_t call_fstatfs(struct call *k)
{
    return statfs_fd(k, false);
}

int32_t call_fstatfs64(struct call *k)
{
    return statfs_fd(k, true);
}

/* ---- directories --------------------------------------------------------- */

/* Behind one more entry the host goes on at `off`. */
static bool add_place(struct file *f, uint64_t off)
{
    if (f->place == f->nplaces && (f->place & (f->place + 1)) == 0) {
        /* room for 2 n + 1 */
        void *more =
            realloc(f->places, (2 * (size_t)f->place + 1) * sizeof *f->places);

        if (!more)
            return false;
        f->places = more;
    }
    f->places[f->place++] = (int64_t)off;
    if (f->nplaces < f->place)
        f->nplaces = f->place;
    return true;
}

int64_t file_seek_directory(struct file *f, int64_t to, int whence)
{
    if (whence != SEEK_CUR && whence != SEEK_SET)
        return -EINVAL;
    if (whence == SEEK_CUR && to <= f->nplaces)
        to += f->place;
    if (to < 0 || to > f->nplaces)
        return -EINVAL; /* no getdents told of such a place */
    if (lseek(f->host, to ? f->places[to - 1] : 0, SEEK_SET) < 0)
        return -errno;
    f->place = (uint32_t)to;
    return to;
}

/* The host's entries (ino, off, reclen, type, name), turned to big-endian
 * where they stand. */
static bool turn_entries(struct user *u, struct file *f, uint8_t *b, long size)
{
    struct stat st;

    if (fstat(f->host, &st) != 0)
        return false;
    for (long at = 0; at < size;) {
        uint64_t ino, off;
        uint16_t length;

        memcpy(&ino, b + at, 8);
        memcpy(&off, b + at + 8, 8);
        memcpy(&length, b + at + 16, 2);
        if (!add_place(f, off))
            return false;
        be_put64(b + at, times_number(u, st.st_dev, ino));
        be_put64(b + at + 8, f->place);
        be_put16(b + at + 16, length);
        at += length;
    }
    return true;
}

int32_t call_getdents64(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);
    uint8_t b[32768];
    uint32_t size = k->a[2] < sizeof b ? k->a[2] : (uint32_t)sizeof b;
    long n;

    if (!f)
        return -EBADF;
    if (f->host < 0 || !f->path)
        return -ENOTDIR;
    n = syscall(SYS_getdents64, f->host, b, size);
    if (n < 0)
        return -errno;
    if (!turn_entries(k->u, f, b, n))
        return -ENOMEM;
    times_changed(k->u, f->host, TIMES_READ);
    return space_write(&k->u->space, k->a[1], b, (size_t)n) ? (int32_t)n
                                                            : -EFAULT;
}

/* The place of a host directory below the root. 0 or an error number. */
static int below(struct user *u, int host, char path[USER_PATH])
{
    char proc[64], real[USER_PATH];
    size_t length = strcmp(u->root_host, "/") == 0 ? 0 : strlen(u->root_host);
    ssize_t n;

    snprintf(proc, sizeof proc, "/proc/self/fd/%d", host);
    n = readlink(proc, real, sizeof real - 1);
    if (n < 0)
        return errno;
    real[n] = '\0';
    if (tree_name(u, real, path))
        return 0;
    if (strncmp(real, u->root_host, length) != 0 ||
        (real[length] != '/' && real[length] != '\0'))
        return ENOENT;
    strcpy(path, real + length + (real[length] == '/'));
    return 0;
}

int32_t call_chdir(struct call *k)
{
    char path[USER_PATH], where[USER_PATH];
    int error = path_get(k, ABI_AT_FDCWD, k->a[0], path);
    int host;

    if (error)
        return -error;
    host = path_open(k->u, path, O_PATH | O_DIRECTORY, 0);
    if (host < 0)
        return host;
    error = below(k->u, host, where);
    close(host);
    if (!error)
        strcpy(k->u->cwd, where);
    return -error;
}

int32_t call_fchdir(struct call *k)
{
    struct file *f = file_get(k->u, k->a[0]);
    char where[USER_PATH];
    int error;

    if (!f)
        return -EBADF;
    if (!f->path)
        return -ENOTDIR;
    error = below(k->u, f->host, where);
    if (!error)
        strcpy(k->u->cwd, where);
    return -error;
}

int32_t call_getcwd(struct call *k)
{
    const char *root = k->u->root_path;
    char text[2 * USER_PATH + 2];
    size_t size;

    if (strcmp(root, "/") == 0 || *k->u->cwd == '/')
        root = "";
    snprintf(text, sizeof text, "%s%s%s", root,
             *k->u->cwd != '/' && (*k->u->cwd || !*root) ? "/" : "", k->u->cwd);
    size = strlen(text) + 1;
    if (size > k->a[1])
        return -ERANGE;
    return space_write(&k->u->space, k->a[0], text, size) ? (int32_t)size
                                                          : -EFAULT;
}
