/* path.c - names of files. Whatever a program asks for is looked up by the
 * host's kernel below one directory (openat2, RESOLVE_BENEATH): what lies
 * outside does not exist, whichever way it is named. An absolute symbolic
 * link, which the host would refuse, is an absolute name like any other. With
 * --root / the whole host is below.
 */
#define _GNU_SOURCE
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool whole_host(const struct user *u)
{
    return u->root_host[1] == '\0';
}

/* a/b; either may be empty. */
static int join(char *out, const char *a, const char *b)
{
    int n = snprintf(out, USER_PATH, "%s%s%s", a, *a && *b ? "/" : "", b);

    return n < USER_PATH ? 0 : ENAMETOOLONG;
}

/* What follows of a name that begins with the root's; NULL: it does not. */
static const char *behind(const char *root, const char *name)
{
    size_t length = root[1] ? strlen(root) : 0;

    if (strncmp(name, root, length) != 0 ||
        (name[length] != '/' && name[length] != '\0'))
        return NULL;
    name += length;
    while (*name == '/')
        name++;
    return name;
}

/* An absolute name is below the root if it begins with its name, be it the
 * program's or the host's. */
static const char *below_root(const struct user *u, const char *name)
{
    const char *rest = behind(u->root_path, name);

    return rest ? rest : behind(u->root_host, name);
}

int path_make(struct user *u, int dirfd, const char *name, char *path)
{
    const struct file *f;

    if (*name == '/') {
        const char *rest = tree_shared(u, name);

        if (rest)
            return join(path, TREE_SHARED, rest);
        rest = below_root(u, name);
        if (!rest && name[strspn(name, "/")] == '\0')
            return ENOENT;
        return join(path, rest ? rest : name + strspn(name, "/") - 1, "");
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
static int reason(int fd)
{
    return fd == -EXDEV ? -ENOENT : fd;
}

/* What is told there is told of simrun, and its memory lies there. */
static bool is_proc(int fd)
{
    struct statfs f;

    return fstatfs(fd, &f) == 0 && f.f_type == PROC_SUPER_MAGIC;
}

static int open_beneath(struct user *u, const char *path, int flags,
                        unsigned mode)
{
    struct open_how how = {
        .flags = (uint64_t)(unsigned)flags | O_CLOEXEC,
        .mode = flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? mode : 0,
        .resolve =
            RESOLVE_NO_MAGICLINKS | (whole_host(u) ? 0 : RESOLVE_BENEATH),
    };
    bool fixed = tree_read_only(u, path);
    int dir = *path == '/' ? tree_find(u, &path) : u->root;
    unsigned tries = 16;
    long fd;

    if (dir < 0)
        return dir;
    if (fixed && !(flags & O_PATH) &&
        flags & (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY)))
        return -EROFS;
    if (dir != u->root)
        how.resolve =
            RESOLVE_NO_MAGICLINKS | (fixed ? RESOLVE_IN_ROOT : RESOLVE_BENEATH);
    do /* EAGAIN: something was renamed under way */
        fd = syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof how);
    while (fd < 0 && (errno == EAGAIN || errno == EINTR) && --tries);
    if (fd < 0)
        return -errno;
    if (whole_host(u) && is_proc((int)fd)) {
        close((int)fd);
        return -ENOENT;
    }
    return (int)fd;
}

/* ---- links --------------------------------------------------------------- */

/* A name being resolved: `done` has no links in it, `rest` is to come. */
struct lookup {
    struct user *u;
    char done[USER_PATH], rest[USER_PATH];
    bool follow; /* the last name too */
    unsigned links;
};

/* Take the next name off the rest. False: there is none. */
static bool next_name(struct lookup *w, char name[NAME_MAX + 1])
{
    const char *at = w->rest + strspn(w->rest, "/");
    size_t n = strcspn(at, "/");

    if (!n || n > NAME_MAX)
        return false;
    memcpy(name, at, n);
    name[n] = '\0';
    memmove(w->rest, at + n, strlen(at + n) + 1);
    return true;
}

/* The text of the link w->done/name. 0: it is none. */
static ssize_t read_link(struct lookup *w, const char *name, char *text)
{
    char path[USER_PATH];
    ssize_t n = -1;
    int fd;

    if (join(path, w->done, name) != 0)
        return 0;
    fd = open_beneath(w->u, path, O_PATH | O_NOFOLLOW, 0);
    if (fd >= 0) {
        n = readlinkat(fd, "", text, USER_PATH - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? n : 0;
}

/* The link's text goes in front of the rest. An absolute one begins at the
 * root: by its name on the host or, in a tree that --root names, as after a
 * chroot. */
static int put_link(struct lookup *w, const char *text)
{
    char rest[USER_PATH];
    size_t n;

    if (++w->links > 40)
        return ELOOP;
    if (*text == '/') {
        const char *below = below_root(w->u, text);

        text = below ? below : text + strspn(text, "/");
        w->done[0] = '\0';
        if (!below && (tree_is_tmp(w->u, text - 1) || !w->u->with.root)) {
            /* in a tree beside the root */
            if (!*text)
                return ENOENT;
            n = strcspn(text, "/");
            if (snprintf(w->done, sizeof w->done, "/%.*s", (int)n, text) >=
                (int)sizeof w->done)
                return ENAMETOOLONG;
            text += n;
        }
    }
    if (snprintf(rest, sizeof rest, "%s%s", text, w->rest) >= (int)sizeof rest)
        return ENAMETOOLONG;
    strcpy(w->rest, rest);
    return 0;
}

static int step(struct lookup *w, const char *name)
{
    char text[USER_PATH], *slash;

    if (strcmp(name, ".") == 0)
        return 0;
    if (strcmp(name, "..") == 0) {
        slash = strrchr(w->done, '/');
        if (!w->done[0] || slash == w->done) /* out of a tree */
            return ENOENT;
        *(slash ? slash : w->done) = '\0';
        return 0;
    }
    if ((w->rest[0] || w->follow) && read_link(w, name, text))
        return put_link(w, text);
    if (strlen(w->done) + strlen(name) + 2 > sizeof w->done)
        return ENAMETOOLONG;
    if (w->done[0])
        strcat(w->done, "/");
    strcat(w->done, name);
    return 0;
}

/* Resolve all links of path, as the host does but for absolute ones. What
 * comes of it is looked up below the root like any other name, so that
 * nothing that changes the tree meanwhile leads outside. */
static int resolve(struct user *u, const char *path, bool follow, char *out)
{
    struct lookup w = {.u = u, .follow = follow};
    char name[NAME_MAX + 1];
    int error = 0;

    snprintf(w.rest, sizeof w.rest, "%s", path);
    if (*path == '/') { /* its first name is that of a tree */
        size_t n = strcspn(path + 1, "/") + 1;

        snprintf(w.done, sizeof w.done, "%.*s", (int)n, path);
        memmove(w.rest, w.rest + n, strlen(w.rest + n) + 1);
    }
    while (!error && next_name(&w, name))
        error = step(&w, name);
    if (!error && strspn(w.rest, "/") != strlen(w.rest))
        error = ENAMETOOLONG;
    if (!error)
        snprintf(out, USER_PATH, "%.4094s%s", w.done,
                 w.done[0] && w.rest[0] ? "/" : "");
    return error;
}

/* May what lies behind the links of path be changed? What lies in the private
 * /tmp may: it goes with the run. */
static bool may_change(struct user *u, const char *path, bool follow)
{
    char real[USER_PATH];

    if (resolve(u, path, follow, real) != 0)
        snprintf(real, sizeof real, "%s", path);
    if (tree_is_tmp(u, real))
        return true;
    u->changes = true;
    return !u->with.host.change || journal_change(u, path);
}

int path_open(struct user *u, const char *path, int flags, unsigned mode)
{
    bool follow = !(flags & O_NOFOLLOW) &&
                  (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
    bool nameless = (flags & O_TMPFILE) == O_TMPFILE; /* goes with the run */
    bool changes = flags & (O_ACCMODE | O_CREAT | O_TRUNC) &&
                   !(flags & O_PATH) && !nameless;
    char real[USER_PATH];
    int fd, error;

    if (changes && !may_change(u, path, follow))
        return -EROFS;
    fd = open_beneath(u, path, flags, mode);
    if (fd != -EXDEV) /* neither out of the tree nor an absolute link */
        return fd;
    error = resolve(u, path, follow, real);
    return error ? -error : reason(open_beneath(u, real, flags, mode));
}

int path_look(struct user *u, char *path, int flags, unsigned mode)
{
    int fd = path_open(u, path, flags, mode);

    return fd == -ENOENT && tree_library(u, path)
               ? path_open(u, path, flags, mode)
               : fd;
}

int path_parent(struct user *u, const char *path, const char **last)
{
    char parent[USER_PATH];
    size_t n = strlen(path), end, least = *path == '/';
    int fd;

    while (n > 0 && path[n - 1] == '/')
        n--;
    end = n;
    while (n > 0 && path[n - 1] != '/')
        n--;
    memcpy(parent, path, n);
    parent[n] = '\0';
    *last = path + n;
    end -= n; /* the length of the last name, its slashes apart */
    if (end == 0 || (least && n == 1) || (**last == '.' && end == 1) ||
        (end == 2 && strncmp(*last, "..", 2) == 0))
        return -EBUSY;
    if (!may_change(u, path, false))
        return -EROFS;
    fd = path_open(u, parent, O_PATH | O_DIRECTORY, 0);
    if (fd < 0 || !tree_read_only(u, path))
        return fd;
    close(fd);
    return -EROFS;
}

void path_of_open(char text[PATH_OF_OPEN], int host)
{
    snprintf(text, PATH_OF_OPEN, "/proc/self/fd/%d", host);
}

bool path_device(const char *name)
{
    static const char *const names[] = {"/dev/null", "/dev/zero", "/dev/full",
                                        "/dev/urandom", "/dev/random"};

    for (unsigned n = 0; n < sizeof names / sizeof names[0]; n++)
        if (strcmp(name, names[n]) == 0)
            return true;
    return false;
}

/* What the program calls its own file: where it is, in the program's words. */
static void name_self(struct user *u)
{
    const char *rest = behind(u->root_host, u->exe_host);
    const char *root = u->root_path[1] ? u->root_path : "";

    if (u->with.self)
        snprintf(u->exe, sizeof u->exe, "%.4095s", u->with.self);
    else if (rest && strlen(root) + strlen(rest) + 2 <= sizeof u->exe)
        strcpy(stpcpy(stpcpy(u->exe, root), "/"), rest);
    else if (u->with.place) /* outside: nothing of the host's is told */
        strcpy(u->exe, strrchr(u->exe_host, '/'));
    else
        strcpy(u->exe, u->exe_host);
}

static bool name_root(struct user *u, const char *host, char *why, size_t size)
{
    const char *place = u->with.place ? u->with.place : host;

    if (*place != '/' || (place[1] && place[strlen(place) - 1] == '/') ||
        strlen(place) >= sizeof u->root_path) {
        snprintf(why, size, "--root: a program cannot call it %.80s", place);
        return false;
    }
    strcpy(u->root_host, host);
    strcpy(u->root_path, place);
    return true;
}

/* Its own file stays open: what it does to the name leads nowhere else. */
static void keep_self(struct user *u)
{
    struct stat st;

    u->self = open(u->with.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (u->self < 0 || (fstat(u->self, &st) == 0 && S_ISREG(st.st_mode)))
        return;
    close(u->self);
    u->self = -1;
}

bool path_init(struct user *u, char *why, size_t size)
{
    const char *root = u->with.root ? u->with.root : ".";
    char cwd[PATH_MAX], real[PATH_MAX];
    size_t length;
    int probe;

    u->root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (u->root < 0 || !realpath(root, real) ||
        strlen(real) >= sizeof u->root_host) {
        snprintf(why, size, "--root=%s: %s", root, strerror(errno));
        return false;
    }
    if (!name_root(u, real, why, size))
        return false;
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
    keep_self(u);
    strcpy(u->exe_host, "/");
    if (realpath(u->with.path, real))
        snprintf(u->exe_host, sizeof u->exe_host, "%.4095s", real);
    name_self(u);
    return true;
}
