/* name.c - system calls that name a file: make, remove, rename, link,
 * permissions, times. Everything goes through path.c.
 */
#define _GNU_SOURCE
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int32_t result(int r)
{
    return r < 0 ? -errno : r;
}

/* ---- what a name stands for ---------------------------------------------- */

/* A descriptor of the host's that only names the file; `path` is its name. */
static int32_t look_at(struct call *k, int dirfd, uint32_t name, bool follow,
                       char path[USER_PATH])
{
    int error = path_get(k, dirfd, name, path);

    if (error)
        return -error;
    return path_look(k->u, path, O_PATH | (follow ? 0 : O_NOFOLLOW), 0);
}

/* The same of a file that is to be changed. */
static int32_t name_at(struct call *k, int dirfd, uint32_t name, bool follow)
{
    char path[USER_PATH];
    int32_t host = look_at(k, dirfd, name, follow, path);

    if (host < 0 || !tree_read_only(k->u, path))
        return host;
    close(host);
    return -EROFS;
}

int32_t call_readlinkat(struct call *k)
{
    struct space *s = &k->u->space;
    char name[USER_PATH], target[USER_PATH];
    int n = space_string(s, k->a[1], name, sizeof name);
    ssize_t length;
    int host;

    if (n < 0)
        return n == -1 ? -EFAULT : -ENAMETOOLONG;
    if ((int32_t)k->a[3] <= 0)
        return -EINVAL;
    if (strcmp(name, "/proc/self/exe") == 0) {
        snprintf(target, sizeof target, "%.4095s", k->u->exe);
        length = (ssize_t)strlen(target);
    } else {
        host = look_at(k, (int)k->a[0], k->a[1], false, name);
        if (host < 0)
            return host;
        length = readlinkat(host, "", target, sizeof target);
        if (length < 0 && errno == ENOENT)
            errno = EINVAL; /* not a link */
        close(host);
        if (length < 0)
            return -errno;
    }
    if ((uint32_t)length > k->a[3])
        length = (ssize_t)k->a[3];
    return space_write(s, k->a[2], target, (size_t)length) ? (int32_t)length
                                                           : -EFAULT;
}

int32_t call_readlink(struct call *k)
{
    k->a[3] = k->a[2];
    k->a[2] = k->a[1];
    k->a[1] = k->a[0];
    k->a[0] = (uint32_t)ABI_AT_FDCWD;
    return call_readlinkat(k);
}

static int32_t access_at(struct call *k, int dirfd, uint32_t name,
                         uint32_t mode, bool follow)
{
    char proc[PATH_OF_OPEN], text[USER_PATH];
    int32_t host, r;

    if (mode & ~7u)
        return -EINVAL;
    r = space_string(&k->u->space, name, text, sizeof text);
    if (r >= 0 && path_device(text))
        return mode & X_OK ? -EACCES : 0;
    if (r >= 0 && strcmp(text, "/proc/self/exe") == 0)
        return mode & W_OK ? -EACCES : 0;
    host = look_at(k, dirfd, name, follow, text);
    if (host < 0)
        return host;
    if (mode & W_OK && tree_read_only(k->u, text)) {
        close(host);
        return -EROFS;
    }
    path_of_open(proc, host);
    r = result(access(proc, (int)mode));
    close(host);
    return r;
}

int32_t call_access(struct call *k)
{
    return access_at(k, ABI_AT_FDCWD, k->a[0], k->a[1], true);
}

int32_t call_faccessat(struct call *k)
{
    return access_at(k, (int)k->a[0], k->a[1], k->a[2], true);
}

int32_t call_faccessat2(struct call *k)
{
    if (k->a[3] & ~(uint32_t)(AT_SYMLINK_NOFOLLOW | AT_EACCESS))
        return -EINVAL;
    return access_at(k, (int)k->a[0], k->a[1], k->a[2],
                     !(k->a[3] & AT_SYMLINK_NOFOLLOW));
}

static int32_t chmod_at(struct call *k, int dirfd, uint32_t name, uint32_t mode)
{
    int32_t host = name_at(k, dirfd, name, true), r;
    char proc[PATH_OF_OPEN];

    if (host < 0)
        return host;
    path_of_open(proc, host);
    if (!journal_change_open(k->u, host, "a file's mode"))
        return close(host), -EROFS;
    r = result(chmod(proc, mode & 07777));
    if (r == 0)
        times_changed(k->u, host, TIMES_STATUS);
    close(host);
    return r;
}

int32_t call_chmod(struct call *k)
{
    return chmod_at(k, ABI_AT_FDCWD, k->a[0], k->a[1]);
}

int32_t call_fchmodat(struct call *k)
{
    return chmod_at(k, (int)k->a[0], k->a[1], k->a[2]);
}

/* The program is told that it is root; its files stay ours. */
static int32_t chown_at(struct call *k, int dirfd, uint32_t name, bool follow)
{
    int32_t host = name_at(k, dirfd, name, follow);

    if (host < 0)
        return host;
    times_changed(k->u, host, TIMES_STATUS);
    close(host);
    return 0;
}

int32_t call_chown(struct call *k)
{
    return chown_at(k, ABI_AT_FDCWD, k->a[0], true);
}

int32_t call_lchown(struct call *k)
{
    return chown_at(k, ABI_AT_FDCWD, k->a[0], false);
}

int32_t call_fchown(struct call *k)
{
    return file_get(k->u, k->a[0]) ? 0 : -EBADF;
}

int32_t call_fchownat(struct call *k)
{
    char first;

    if (k->a[4] & ~(uint32_t)(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
        return -EINVAL;
    if (k->a[4] & AT_EMPTY_PATH && file_get(k->u, k->a[0]) &&
        space_string(&k->u->space, k->a[1], &first, 1) == 0)
        return 0;
    return chown_at(k, (int)k->a[0], k->a[1], !(k->a[4] & AT_SYMLINK_NOFOLLOW));
}

static int32_t truncate_name(struct call *k, int64_t size)
{
    char path[USER_PATH];
    int error = path_get(k, ABI_AT_FDCWD, k->a[0], path);
    int32_t host, r;

    if (error)
        return -error;
    if (size < 0)
        return -EINVAL;
    host = path_open(k->u, path, O_WRONLY | O_NONBLOCK, 0);
    if (host < 0)
        return host;
    r = -limit_grow(k, host, (uint64_t)size);
    if (!r)
        r = file_cut(k, host, size);
    close(host);
    return r;
}

int32_t call_truncate(struct call *k)
{
    return truncate_name(k, (int32_t)k->a[1]);
}

int32_t call_truncate64(struct call *k)
{
    return truncate_name(k, (int64_t)call_pair(k->a[2], k->a[3]));
}

/* Times that the program sets go to the host's file; its "now" is the
 * host's there, and the program's own for the program. */
static int32_t set_open(struct call *k, int host, const struct timespec t[2])
{
    char proc[PATH_OF_OPEN];
    int32_t r;

    if (!journal_change_open(k->u, host, "a file's times"))
        return -EROFS;
    path_of_open(proc, host);
    r = result(utimensat(AT_FDCWD, proc, t, 0));
    if (r == 0)
        times_set(k->u, host, t);
    return r;
}

static int32_t set_at(struct call *k, int dirfd, uint32_t name, bool follow,
                      const struct timespec t[2])
{
    int32_t host = name_at(k, dirfd, name, follow), r;

    if (host < 0)
        return host;
    r = set_open(k, host, t);
    close(host);
    return r;
}

static int32_t set_times(struct call *k, bool wide)
{
    struct timespec t[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    uint8_t b[32];

    if (k->a[3] & ~(uint32_t)AT_SYMLINK_NOFOLLOW)
        return -EINVAL;
    if (k->a[2] && !space_read(&k->u->space, k->a[2], b, wide ? 32 : 16))
        return -EFAULT;
    for (unsigned n = 0; k->a[2] && n < 2; n++) {
        const uint8_t *from = b + n * (wide ? 16 : 8);

        t[n].tv_sec = wide ? (time_t)be_get64(from) : (int32_t)be_get32(from);
        t[n].tv_nsec = (long)be_get32(from + (wide ? 12 : 4));
    }
    if (t[0].tv_nsec == UTIME_OMIT && t[1].tv_nsec == UTIME_OMIT)
        return 0; /* it need not even be there */
    if (!k->a[1]) {
        struct file *f = file_get(k->u, k->a[0]);

        if (!f)
            return -EBADF;
        return file_changeable(f) ? set_open(k, f->host, t) : -EPERM;
    }
    return set_at(k, (int)k->a[0], k->a[1], !(k->a[3] & AT_SYMLINK_NOFOLLOW),
                  t);
}

int32_t call_utimensat(struct call *k)
{
    return set_times(k, false);
}

int32_t call_utimensat64(struct call *k)
{
    return set_times(k, true);
}

/* The older ways: seconds, or seconds and microseconds. */
static int32_t old_times(struct call *k, int dirfd, uint32_t name, uint32_t at,
                         unsigned unit)
{
    struct timespec t[2] = {{0, UTIME_NOW}, {0, UTIME_NOW}};
    uint8_t b[16];

    if (at && !space_read(&k->u->space, at, b, unit ? 16 : 8))
        return -EFAULT;
    for (unsigned n = 0; at && n < 2; n++) {
        const uint8_t *from = b + n * (unit ? 8 : 4);

        if (unit && be_get32(from + 4) >= 1000000)
            return -EINVAL;
        t[n].tv_sec = (int32_t)be_get32(from);
        t[n].tv_nsec = unit ? (long)be_get32(from + 4) * 1000 : 0;
    }
    return set_at(k, dirfd, name, true, t);
}

int32_t call_utime(struct call *k)
{
    return old_times(k, ABI_AT_FDCWD, k->a[0], k->a[1], 0);
}

int32_t call_utimes(struct call *k)
{
    return old_times(k, ABI_AT_FDCWD, k->a[0], k->a[1], 1);
}

int32_t call_futimesat(struct call *k)
{
    return old_times(k, (int)k->a[0], k->a[1], k->a[2], 1);
}

/* ---- making and removing ------------------------------------------------- */

static int32_t parent_at(struct call *k, int dirfd, uint32_t name,
                         char path[USER_PATH], const char **last)
{
    int error = path_get(k, dirfd, name, path);

    return error ? -error : path_parent(k->u, path, last);
}

/* Of a directory and one of its names, after r: the name is new. */
static void made_in(struct user *u, int32_t r, int parent, const char *last)
{
    int host;

    if (r != 0)
        return;
    times_changed(u, parent, TIMES_WRITTEN);
    host = openat(parent, last, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (host < 0)
        return;
    times_made(u, host);
    close(host);
}

static int32_t mkdir_at(struct call *k, int dirfd, uint32_t name, uint32_t mode)
{
    char path[USER_PATH];
    const char *last;
    int32_t host = parent_at(k, dirfd, name, path, &last), r;

    if (host < 0)
        return host == -EBUSY ? -EEXIST : host;
    r = result(mkdirat(host, last, mode & 01777 & ~k->u->umask));
    made_in(k->u, r, host, last);
    close(host);
    return r;
}

int32_t call_mkdir(struct call *k)
{
    return mkdir_at(k, ABI_AT_FDCWD, k->a[0], k->a[1]);
}

int32_t call_mkdirat(struct call *k)
{
    return mkdir_at(k, (int)k->a[0], k->a[1], k->a[2]);
}

static int32_t unlink_at(struct call *k, int dirfd, uint32_t name, int flags)
{
    char path[USER_PATH];
    const char *last;
    int32_t host = parent_at(k, dirfd, name, path, &last), r;
    int gone;

    if (host == -EBUSY) {
        if (!flags)
            return -EISDIR;
        return strncmp(last, "..", 2) == 0 ? -ENOTEMPTY
               : *last == '.'              ? -EINVAL
                                           : -EBUSY;
    }
    if (host < 0)
        return host;
    gone = openat(host, last, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    r = result(unlinkat(host, last, flags));
    if (r == 0) {
        times_changed(k->u, host, TIMES_WRITTEN);
        times_changed(k->u, gone, TIMES_STATUS);
    }
    if (gone >= 0)
        close(gone);
    close(host);
    return r;
}

int32_t call_unlink(struct call *k)
{
    return unlink_at(k, ABI_AT_FDCWD, k->a[0], 0);
}

int32_t call_rmdir(struct call *k)
{
    return unlink_at(k, ABI_AT_FDCWD, k->a[0], AT_REMOVEDIR);
}

int32_t call_unlinkat(struct call *k)
{
    if (k->a[2] & ~(uint32_t)AT_REMOVEDIR)
        return -EINVAL;
    return unlink_at(k, (int)k->a[0], k->a[1], (int)k->a[2]);
}

static int32_t rename_at(struct call *k, int from_fd, uint32_t from, int to_fd,
                         uint32_t to, uint32_t flags)
{
    char a[USER_PATH], b[USER_PATH];
    const char *last_a, *last_b;
    int32_t host_a, host_b, r;
    int moved;

    host_a = parent_at(k, from_fd, from, a, &last_a);
    if (host_a < 0)
        return host_a;
    host_b = parent_at(k, to_fd, to, b, &last_b);
    if (host_b >= 0 && !tree_same(k->u, a, b)) {
        close(host_b);
        host_b = -EXDEV;
    }
    if (host_b < 0) {
        close(host_a);
        return host_b;
    }
    r = result(renameat2(host_a, last_a, host_b, last_b, flags));
    if (r == 0) {
        times_changed(k->u, host_a, TIMES_WRITTEN);
        times_changed(k->u, host_b, TIMES_WRITTEN);
        moved = openat(host_b, last_b, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        times_changed(k->u, moved, TIMES_STATUS);
        if (moved >= 0)
            close(moved);
    }
    close(host_a);
    close(host_b);
    return r;
}

int32_t call_rename(struct call *k)
{
    return rename_at(k, ABI_AT_FDCWD, k->a[0], ABI_AT_FDCWD, k->a[1], 0);
}

int32_t call_renameat(struct call *k)
{
    return rename_at(k, (int)k->a[0], k->a[1], (int)k->a[2], k->a[3], 0);
}

int32_t call_renameat2(struct call *k)
{
    if (k->a[4] & ~3u) /* RENAME_NOREPLACE, RENAME_EXCHANGE */
        return -EINVAL;
    return rename_at(k, (int)k->a[0], k->a[1], (int)k->a[2], k->a[3], k->a[4]);
}

static int32_t link_at(struct call *k, int from_fd, uint32_t from, int to_fd,
                       uint32_t to, bool follow)
{
    char proc[PATH_OF_OPEN], path[USER_PATH], origin[USER_PATH];
    int32_t host = look_at(k, from_fd, from, follow, origin), parent, r;
    const char *last;

    if (host < 0)
        return host;
    parent = parent_at(k, to_fd, to, path, &last);
    if (parent >= 0 && !tree_same(k->u, origin, path)) {
        close(parent);
        parent = -EXDEV;
    }
    if (parent < 0) {
        close(host);
        return parent == -EBUSY ? -EEXIST : parent;
    }
    path_of_open(proc, host);
    r = result(linkat(AT_FDCWD, proc, parent, last, AT_SYMLINK_FOLLOW));
    if (r == 0) {
        times_changed(k->u, host, TIMES_STATUS);
        times_changed(k->u, parent, TIMES_WRITTEN);
    }
    close(host);
    close(parent);
    return r;
}

int32_t call_link(struct call *k)
{
    return link_at(k, ABI_AT_FDCWD, k->a[0], ABI_AT_FDCWD, k->a[1], false);
}

int32_t call_linkat(struct call *k)
{
    if (k->a[4] & ~(uint32_t)AT_SYMLINK_FOLLOW)
        return -EINVAL;
    return link_at(k, (int)k->a[0], k->a[1], (int)k->a[2], k->a[3],
                   k->a[4] & AT_SYMLINK_FOLLOW);
}

static int32_t symlink_at(struct call *k, uint32_t target, int dirfd,
                          uint32_t name)
{
    char text[USER_PATH], path[USER_PATH];
    int n = space_string(&k->u->space, target, text, sizeof text);
    const char *last;
    int32_t parent, r;

    if (n < 0)
        return n == -1 ? -EFAULT : -ENAMETOOLONG;
    if (!*text)
        return -ENOENT;
    parent = parent_at(k, dirfd, name, path, &last);
    if (parent < 0)
        return parent == -EBUSY ? -EEXIST : parent;
    r = result(symlinkat(text, parent, last));
    made_in(k->u, r, parent, last);
    close(parent);
    return r;
}

int32_t call_symlink(struct call *k)
{
    return symlink_at(k, k->a[0], ABI_AT_FDCWD, k->a[1]);
}

int32_t call_symlinkat(struct call *k)
{
    return symlink_at(k, k->a[0], (int)k->a[1], k->a[2]);
}
