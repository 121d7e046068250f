/* open.c - opening and making files by name, and those that every program
 * expects. Everything else goes through path.c.
 */
#define _GNU_SOURCE
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int32_t result(int r)
{
    return r < 0 ? -errno : r;
}

/* ---- opening ------------------------------------------------------------- */

static int host_flags(uint32_t g)
{
    int flags = (int)(g & (O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC |
                           O_APPEND | O_SYNC | O_PATH | O_NOATIME));

    if (g & ABI_O_DIRECTORY)
        flags |= O_DIRECTORY;
    if (g & ABI_O_NOFOLLOW)
        flags |= O_NOFOLLOW;
    if (g & ABI_O_TMPFILE)
        flags |= O_TMPFILE;
    if (flags & O_PATH)
        flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW;
    return flags;
}

/* The directory that the name is in got, or lost, an entry. */
static void parent_changed(struct user *u, const char *path)
{
    const char *last;
    int host = path_parent(u, path, &last);

    if (host < 0)
        return;
    times_changed(u, host, TIMES_WRITTEN);
    close(host);
}

/* What making or cutting a file does to its times. */
static void note_times(struct user *u, int host, uint32_t g, const char *path,
                       bool there)
{
    if (g & O_PATH)
        return;
    if (g & ABI_O_TMPFILE) {
        times_made(u, host);
    } else if (g & O_CREAT && !there) {
        times_made(u, host);
        parent_changed(u, path);
    } else if (g & O_TRUNC) {
        times_changed(u, host, TIMES_WRITTEN);
    }
}

static int32_t opened(struct call *k, int host, uint32_t g, const char *path)
{
    struct stat st = {0};
    int fd;

    if (host < 0)
        return host;
    /* A device that could wait for ever, or act, is no file for a program. */
    if (fstat(host, &st) == 0 &&
        (S_ISFIFO(st.st_mode) || S_ISBLK(st.st_mode)) && !(g & O_PATH)) {
        close(host);
        return -EACCES;
    }
    if (g & O_TRUNC && !(g & O_PATH))
        space_file_cut(&k->u->space, host);
    fd = file_new(k->u, FILE_HOST, host, 0);
    if (fd < 0)
        return fd;
    k->u->file[fd].cloexec = g & O_CLOEXEC;
    k->u->file[fd].nonblock = g & O_NONBLOCK;
    k->u->file[fd].outside = path && tree_read_only(k->u, path);
    if (path && S_ISDIR(st.st_mode))
        file_directory(&k->u->file[fd], path);
    return fd;
}

/* Its own file, whatever has its name by now: opened anew, for a place of its
 * own. */
static int32_t open_self(struct call *k, uint32_t g)
{
    char proc[PATH_OF_OPEN];

    if (g & (O_ACCMODE | O_TRUNC))
        return -ETXTBSY;
    if (k->u->self < 0)
        return -ENOENT;
    path_of_open(proc, k->u->self);
    return opened(k, result(open(proc, O_RDONLY | O_CLOEXEC)), g, NULL);
}

static int32_t open_nameless(struct call *k, uint32_t g)
{
    int host = memfd_create("tmpfile", MFD_CLOEXEC);

    limit_is_memory(k->u, host);
    times_made(k->u, host);
    return opened(k, result(host), g, NULL);
}

/* A thread's name, as a file. -1: `name` is none. */
static int32_t open_comm(struct call *k, const char *name)
{
    int tid, end = 0, fd;

    if (sscanf(name, "/proc/self/task/%d/comm%n", &tid, &end) < 1 || !end ||
        name[end])
        return -1;
    if (!thread_find(k->u, tid))
        return -ENOENT;
    fd = file_new(k->u, FILE_RANDOM, -1, 0);
    if (fd >= 0)
        k->u->file[fd].named = tid;
    return fd;
}

/* Devices that every program expects, and what tmpfile() asks for: a file that
 * has no name anywhere. -1: it is none of them. */
static int32_t open_device(struct call *k, const char *name, uint32_t g)
{
    int32_t fd;

    if (strcmp(name, "/dev/null") == 0 || strcmp(name, "/dev/zero") == 0 ||
        strcmp(name, "/dev/full") == 0)
        fd = opened(k, result(open(name, (int)(g & O_ACCMODE) | O_CLOEXEC)), g,
                    NULL);
    else if (strcmp(name, "/dev/urandom") == 0 ||
             strcmp(name, "/dev/random") == 0)
        fd = file_new(k->u, FILE_RANDOM, -1, 0);
    else if (strcmp(name, "/tmp") == 0 && g & ABI_O_TMPFILE)
        fd = open_nameless(k, g);
    else if (strcmp(name, "/proc/self/exe") == 0)
        fd = open_self(k, g);
    else
        fd = open_comm(k, name);
    if (fd >= 0)
        k->u->file[fd].cloexec = g & O_CLOEXEC;
    if (fd >= 0 && strcmp(name, "/tmp") != 0)
        k->u->file[fd].outside = true;
    return fd;
}

static bool is_there(struct user *u, const char *path, uint32_t g)
{
    bool follow = !(g & (ABI_O_NOFOLLOW | O_EXCL));
    int host = path_open(u, path, O_PATH | (follow ? 0 : O_NOFOLLOW), 0);

    if (host >= 0)
        close(host);
    return host >= 0;
}

static int32_t open_at(struct call *k, int dirfd, uint32_t name, uint32_t g,
                       uint32_t mode)
{
    char text[USER_PATH], path[USER_PATH];
    int n = space_string(&k->u->space, name, text, sizeof text);
    int32_t fd;
    int error, host;
    bool there;

    if (n < 0)
        return n == -1 ? -EFAULT : -ENAMETOOLONG;
    if (!file_room(k->u)) /* before a file is made, or cut */
        return -EMFILE;
    fd = open_device(k, text, g);
    if (fd != -1)
        return fd;
    error = path_make(k->u, dirfd, text, path);
    if (error)
        return -error;
    there = g & O_CREAT && is_there(k->u, path, g);
    /* A FIFO without a reader must not hold up the machine. */
    host = path_look(k->u, path, host_flags(g) | (g & O_PATH ? 0 : O_NONBLOCK),
                     mode & 07777 & ~k->u->umask);
    if (host >= 0)
        note_times(k->u, host, g, path, there);
    return opened(k, host, g, path);
}

int32_t call_open(struct call *k)
{
    return open_at(k, ABI_AT_FDCWD, k->a[0], k->a[1], k->a[2]);
}

int32_t call_openat(struct call *k)
{
    return open_at(k, (int)k->a[0], k->a[1], k->a[2], k->a[3]);
}

int32_t call_creat(struct call *k)
{
    return open_at(k, ABI_AT_FDCWD, k->a[0], O_CREAT | O_WRONLY | O_TRUNC,
                   k->a[1]);
}

int32_t call_umask(struct call *k)
{
    uint32_t old = k->u->umask;

    k->u->umask = k->a[0] & 0777;
    return (int32_t)old;
}
