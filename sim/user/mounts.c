/* mounts.c - what a program finds beside its root: a /tmp of its own, which
 * goes with the run, and the shared libraries of another directory, read-only.
 *
 * Names in them are absolute and lie outside of the root; everywhere in
 * sim/user a path that begins with a slash is one of these.
 */
#define _GNU_SOURCE
#include "sim/user/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define TMP "/tmp"
#define PREFIX "simrun-tmp."
#define SHARED "/dev/shm"
#define SHARED_IN_TMP ".shm"

/* What follows of a name behind a directory's name; NULL: it is not below. */
static const char *behind(const char *directory, const char *name)
{
    size_t length = strlen(directory);

    if (strncmp(name, directory, length) != 0 ||
        (name[length] != '/' && name[length] != '\0'))
        return NULL;
    name += length;
    return name + strspn(name, "/");
}

/* ---- the private /tmp ---------------------------------------------------- */

/* Remove a directory with all that a program left in it, whatever it made of
 * the permissions. */
static void remove_tree(const char *path)
{
    char *const paths[] = {(char *)path, NULL};
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    FTSENT *e;

    while (walk && (e = fts_read(walk)))
        switch (e->fts_info) {
        case FTS_D:
            chmod(e->fts_accpath, 0700);
            break;
        case FTS_DNR: /* it can be read now */
            if (e->fts_number++ == 0)
                fts_set(walk, e, FTS_AGAIN);
            else
                rmdir(e->fts_accpath);
            break;
        case FTS_DP:
            rmdir(e->fts_accpath);
            break;
        default:
            unlink(e->fts_accpath);
        }
    if (walk)
        fts_close(walk);
}

static const char *host_tmp(const struct user *u)
{
    const char *at = u->with.tmp;

    return at && *at == '/' && access(at, W_OK | X_OK) == 0 ? at : TMP;
}

/* Directories of runs that were killed are unused: no process holds their
 * lock. Each run removes the ones that it finds. */
static void remove_stale(const char *where)
{
    DIR *all = opendir(where);
    struct dirent *e;

    while (all && (e = readdir(all))) {
        char path[PATH_MAX];
        struct stat st;
        int fd;

        if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) != 0 ||
            snprintf(path, sizeof path, "%s/%s", where, e->d_name) >=
                (int)sizeof path)
            continue;
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
            flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_tree(path);
        close(fd);
    }
    if (all)
        closedir(all);
}

/* Make it: a directory that only we can enter, and in it the one that the
 * program sees, with the mode of a /tmp. */
static int make_tmp(struct user *u)
{
    struct trees *t = &u->trees;
    char path[USER_PATH], real[PATH_MAX];
    int error = 0;

    if (!realpath(host_tmp(u), real)) /* as the host calls what is in it */
        return errno;
    snprintf(t->tmp_host, sizeof t->tmp_host, "%.3000s/" PREFIX "XXXXXX", real);
    remove_stale(real);
    if (!mkdtemp(t->tmp_host)) {
        error = errno;
        t->tmp_host[0] = '\0';
        return error;
    }
    t->tmp_lock = open(t->tmp_host, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->tmp_lock < 0 || flock(t->tmp_lock, LOCK_EX | LOCK_NB) != 0)
        return errno;
    snprintf(path, sizeof path, "%.4000s" TMP, t->tmp_host);
    if (mkdir(path, 0700) != 0 || chmod(path, 01777) != 0)
        return errno;
    t->tmp = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return t->tmp < 0 ? errno : 0;
}

/* ---- names --------------------------------------------------------------- */

/* Is it a name in the private /tmp? What follows; else NULL. */
static const char *in_tmp(const struct user *u, const char *path)
{
    return u->trees.own_tmp ? behind(TMP, path) : NULL;
}

int tree_find(struct user *u, const char **path)
{
    struct trees *t = &u->trees;
    const char *rest = in_tmp(u, *path);
    int error;

    if (rest) {
        error = t->tmp < 0 ? make_tmp(u) : 0;
        *path = rest;
        return error ? -error : t->tmp;
    }
    *path += strspn(*path, "/");
    return **path && t->sysroot >= 0 ? t->sysroot : -ENOENT;
}

const char *tree_shared(struct user *u, const char *name)
{
    struct trees *t = &u->trees;
    const char *rest = t->own_tmp ? behind(SHARED, name) : NULL;

    if (!rest || (t->tmp < 0 && make_tmp(u)))
        return NULL;
    if (mkdirat(t->tmp, SHARED_IN_TMP, 0700) == 0)
        fchmodat(t->tmp, SHARED_IN_TMP, 01777, 0);
    return rest;
}

bool tree_is_tmp(const struct user *u, const char *path)
{
    return in_tmp(u, path) != NULL;
}

bool tree_read_only(const struct user *u, const char *path)
{
    return *path == '/' && !in_tmp(u, path);
}

bool tree_same(const struct user *u, const char *a, const char *b)
{
    return (*a == '/') == (*b == '/') && !in_tmp(u, a) == !in_tmp(u, b);
}

bool tree_library(const struct user *u, char path[USER_PATH])
{
    size_t length = strlen(path);

    if (u->root_path[1] || u->trees.sysroot < 0 || *path == '/' ||
        length + 2 > USER_PATH)
        return false;
    memmove(path + 1, path, length + 1);
    *path = '/';
    return true;
}

bool tree_name(const struct user *u, const char *host, char path[USER_PATH])
{
    const struct trees *t = &u->trees;
    char tmp[USER_PATH];
    const char *rest = NULL;

    if (t->tmp >= 0) {
        snprintf(tmp, sizeof tmp, "%.4000s" TMP, t->tmp_host);
        rest = behind(tmp, host);
    }
    if (rest) {
        snprintf(path, USER_PATH, TMP "%s%.4000s", *rest ? "/" : "", rest);
        return true;
    }
    rest = t->sysroot >= 0 ? behind(t->sysroot_host, host) : NULL;
    if (rest)
        snprintf(path, USER_PATH, "/%.4000s", rest);
    return rest != NULL;
}

bool tree_passes(const struct user *u, int host)
{
    char link[PATH_OF_OPEN], name[USER_PATH], path[USER_PATH];
    struct stat st;
    ssize_t n;

    if (fstat(host, &st) == 0 && (st.st_nlink == 0 || S_ISFIFO(st.st_mode)))
        return true;
    path_of_open(link, host);
    n = readlink(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    return tree_name(u, name, path) && in_tmp(u, path);
}

/* ---- life ---------------------------------------------------------------- */

/* A program whose root is called / has the /tmp that is there, if any. */
static bool wants_tmp(const struct user *u)
{
    return u->root_path[1] || faccessat(u->root, "tmp", F_OK, 0) != 0;
}

bool tree_open(struct user *u, char *why, size_t size)
{
    struct trees *t = &u->trees;
    const char *from = u->with.sysroot;

    t->own_tmp = wants_tmp(u);
    if (!from && u->with.image->interp[0] &&
        access(TREE_SYSROOT, R_OK | X_OK) == 0)
        from = TREE_SYSROOT;
    if (!from)
        return true;
    t->sysroot = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t->sysroot < 0 || !realpath(from, t->sysroot_host)) {
        snprintf(why, size, "--sysroot=%s: %s", from, strerror(errno));
        return false;
    }
    return true;
}

void tree_close(struct user *u)
{
    struct trees *t = &u->trees;

    if (t->tmp >= 0)
        close(t->tmp);
    if (t->tmp_host[0])
        remove_tree(t->tmp_host);
    if (t->tmp_lock >= 0)
        close(t->tmp_lock);
    if (t->sysroot >= 0)
        close(t->sysroot);
}
