/* path.c - names of files. Whatever a program asks for is looked up by the
 * host's kernel below one directory (openat2, RESOLVE_BENEATH): what lies
 * outside does not exist, whichever way it is named. With --root / the whole
 * host is below.
 */
#define _GNU_SOURCE
#include "sim/user/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool whole_host(const struct user *u)
{
    return u->root_path[1] == '\0';
}

/* a/b; either may be empty. */
static int join(char *out, const char *a, const char *b)
{
    int n = snprintf(out, USER_PATH, "%s%s%s", a, *a && *b ? "/" : "", b);

    return n < USER_PATH ? 0 : ENAMETOOLONG;
}

/* An absolute name is below the root if it begins with its name. */
static const char *below_root(const struct user *u, const char *name)
{
    size_t length = whole_host(u) ? 0 : strlen(u->root_path);

    if (strncmp(name, u->root_path, length) != 0 ||
        (name[length] != '/' && name[length] != '\0'))
        return NULL;
    name += length;
    while (*name == '/')
        name++;
    return name;
}

int path_make(struct user *u, int dirfd, const char *name, char *path)
{
    const struct file *f;

    if (*name == '/') {
        const char *rest = below_root(u, name);

        if (!rest)
            return ENOENT;
        return join(path, rest, "");
    }
    if (!*name)
        return ENOENT;
    if (dirfd == ABI_AT_FDCWD)
        return join(path, u->cwd, name);
    f = file_get(u, (uint32_t)dirfd);
    if (!f)
        return EBADF;
    if (!f->path)
        return ENOTDIR;
    return join(path, f->path, name);
}

int path_get(struct call *k, int dirfd, uint32_t ea, char *path)
{
    char name[USER_PATH];
    int n = space_string(&k->u->space, ea, name, sizeof name);

    if (n < 0)
        return n == -1 ? EFAULT : ENAMETOOLONG;
    return path_make(k->u, dirfd, name, path);
}

/* What lies outside does not exist. */
static int reason(int error)
{
    return error == EXDEV ? ENOENT : error;
}

int path_open(struct user *u, const char *path, int flags, unsigned mode)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)flags | O_CLOEXEC,
        .mode = flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? mode : 0,
        .resolve = whole_host(u) ? 0 : RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
    };
    unsigned tries = 16;
    long fd;

    do /* EAGAIN: somebody renamed something under way */
        fd =
            syscall(SYS_openat2, u->root, *path ? path : ".", &how, sizeof how);
    while (fd < 0 && (errno == EAGAIN || errno == EINTR) && --tries);
    return fd >= 0 ? (int)fd : -reason(errno);
}

int path_parent(struct user *u, const char *path, const char **last)
{
    char parent[USER_PATH];
    size_t n = strlen(path), end;

    while (n > 0 && path[n - 1] == '/')
        n--;
    end = n;
    while (n > 0 && path[n - 1] != '/')
        n--;
    memcpy(parent, path, n);
    parent[n] = '\0';
    *last = path + n;
    end -= n; /* the length of the last name, its slashes apart */
    if (end == 0 || (**last == '.' && end == 1) ||
        (end == 2 && strncmp(*last, "..", 2) == 0))
        return -EBUSY;
    return path_open(u, parent, O_PATH | O_DIRECTORY, 0);
}

bool path_init(struct user *u, char *why, size_t size)
{
    const char *root = u->with.root ? u->with.root : ".";
    char cwd[PATH_MAX], real[PATH_MAX];
    size_t length;
    int probe;

    u->root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (u->root < 0 || !realpath(root, real) ||
        strlen(real) >= sizeof u->root_path) {
        snprintf(why, size, "--root=%s: %s", root, strerror(errno));
        return false;
    }
    strcpy(u->root_path, real);
    probe = path_open(u, "", O_PATH | O_DIRECTORY, 0);
    if (probe < 0) {
        snprintf(why, size,
                 "--user: this host cannot confine names (openat2: %s), run "
                 "it on Linux 5.6 or later",
                 strerror(-probe));
        return false;
    }
    close(probe);
    length = whole_host(u) ? 0 : strlen(real);
    /* It begins where we stand if that is inside. */
    if (getcwd(cwd, sizeof cwd) && strncmp(cwd, real, length) == 0 &&
        cwd[length] == '/')
        snprintf(u->cwd, sizeof u->cwd, "%.4000s", cwd + length + 1);
    if (realpath(u->with.path, real))
        snprintf(u->exe, sizeof u->exe, "%.4095s", real);
    return true;
}
