/* replace.c - looks at everything first, moves it aside in one step, which can
 * be taken back, and then removes it.
 */
#define _GNU_SOURCE
#include "sim/host/replace.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pmu/experiment/experiment.h"
#include "include/record.h"

#define MAGIC "simrun-experiment "
#define ID_DIGITS 8 /* of a build id, at least: hexadecimal */

static bool all_of(const char *text, int (*is)(int))
{
    for (; *text; text++)
        if (!is((unsigned char)*text))
            return false;
    return true;
}

/* "profile.rec.index"; with a process id behind it, one that simprof was
 * about to write. */
static bool is_index(const char *name)
{
    const char *end = strstr(name, ".rec.index");
    char of[EXPERIMENT_NAME];

    if (!end)
        return false;
    snprintf(of, sizeof of, "%.*s.rec", (int)(end - name), name);
    end += strlen(".rec.index");
    return experiment_writes(of) &&
           (!*end || (*end == '.' && all_of(end + 1, isdigit)));
}

/* A program or a library: "lua.12ab34cd56ef7890". */
static bool is_archive(const char *name)
{
    const char *id = strrchr(name, '.');

    return id && strlen(id + 1) >= ID_DIGITS && all_of(id + 1, isxdigit);
}

/* Does the file begin with `with`, as far as it goes? A run that was cut short
 * may have left less. */
static bool begins(int dir, const char *name, const char *with, size_t size)
{
    char start[32];
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, start, size);

    if (fd >= 0)
        close(fd);
    return n >= 0 && memcmp(start, with, (size_t)n) == 0;
}

/* Is it a file that simrun or simprof writes? */
static bool ours(int dir, const char *name, bool archives)
{
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
        return false;
    if (archives)
        return is_archive(name) && begins(dir, name, "\177ELF", 4);
    if (experiment_writes(name))
        return !strstr(name, ".rec") || begins(dir, name, REC_MAGIC, 8);
    if (strcmp(name, "tried") == 0)
        return begins(dir, name, "simrun-tried", 12);
    return is_index(name) || strncmp(name, "timetree.", 9) == 0;
}

/* Look at the files of a directory, or remove them. False: errno, or 0 and
 * *strange: it is no file of ours. */
static bool files(int dir, bool archives, bool remove, char strange[256])
{
    int copy = dup(dir);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *e;
    bool good = d != NULL;

    if (!d && copy >= 0)
        close(copy);
    if (d)
        rewinddir(d);
    while (good && (errno = 0, e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            (!archives && strcmp(e->d_name, "archives") == 0))
            continue;
        if (remove) {
            good = unlinkat(dir, e->d_name, 0) == 0;
        } else if (!ours(dir, e->d_name, archives)) {
            snprintf(strange, 256, "%s", e->d_name);
            errno = 0;
            good = false;
        }
    }
    good = good && errno == 0;
    if (d)
        closedir(d);
    return good;
}

static bool is_experiment(int dir)
{
    char line[sizeof MAGIC] = "";
    int fd = openat(dir, "log", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof MAGIC - 1);

    if (fd >= 0)
        close(fd);
    return n == (ssize_t)sizeof MAGIC - 1 && strcmp(line, MAGIC) == 0;
}

/* All of its files, and those of archives. */
static bool all(int dir, int archives, bool remove, char strange[256])
{
    return (archives < 0 || files(archives, true, remove, strange)) &&
           files(dir, false, remove, strange);
}

static bool wrong(const char *path, const char *what, char *why, size_t size)
{
    snprintf(why, size, "--force: %s: %s", path, what);
    return false;
}

/* May files be removed from there? False: errno. */
static bool may_remove(int dir, int archives)
{
    return faccessat(dir, ".", W_OK | X_OK, AT_EACCESS) == 0 &&
           (archives < 0 ||
            faccessat(archives, ".", W_OK | X_OK, AT_EACCESS) == 0);
}

/* Rename it to the first of NAME~0, NAME~1 ... that is free. */
static bool move_aside(const char *path, char aside[EXPERIMENT_PATH + 32])
{
    int result = -1;

    for (unsigned n = 0; n < 1000 && result != 0; n++) {
        snprintf(aside, EXPERIMENT_PATH + 32, "%s~%u", path, n);
        result = renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE);
        if (result != 0 && errno != EEXIST)
            return false;
    }
    return result == 0;
}

/* The directory gets a name that is not in the way, and goes. What cannot be
 * moved (a mount point, `.`) keeps all it has. False: errno. */
static bool move_and_remove(const char *path, int dir, int archives)
{
    char aside[EXPERIMENT_PATH + 32], strange[256];
    struct stat here, there;
    int error;

    if (!may_remove(dir, archives) || !move_aside(path, aside))
        return false;
    errno = EBUSY; /* it is another one by now */
    if (fstat(dir, &here) == 0 && stat(aside, &there) == 0 &&
        here.st_ino == there.st_ino && here.st_dev == there.st_dev &&
        all(dir, archives, true, strange) &&
        (archives < 0 || unlinkat(dir, "archives", AT_REMOVEDIR) == 0) &&
        rmdir(aside) == 0)
        return true;
    error = errno;
    rename(aside, path);
    errno = error;
    return false;
}

static bool replace_directory(const char *path, int dir, char *why, size_t size)
{
    int archives = openat(dir, "archives",
                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char strange[256] = "", text[320] = "";

    if (!is_experiment(dir))
        snprintf(text, sizeof text, "is no experiment, so it is not replaced");
    else if (flock(dir, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        snprintf(text, sizeof text,
                 "is being written by another simrun: wait, or name another "
                 "directory");
    else if (!all(dir, archives, false, strange))
        snprintf(text, sizeof text,
                 "holds %s, which simrun did not write: move or remove it",
                 *strange ? strange : "what cannot be read");
    else if (!move_and_remove(path, dir, archives))
        snprintf(text, sizeof text, "cannot be removed: %s", strerror(errno));
    if (archives >= 0)
        close(archives);
    return !*text || wrong(path, text, why, size);
}

bool replace_experiment(const char *path, char *why, size_t size)
{
    char name[EXPERIMENT_PATH];
    struct stat st;
    size_t length;
    bool good;
    int dir;

    snprintf(name, sizeof name, "%s", path);
    for (length = strlen(name); length > 1 && name[length - 1] == '/';)
        name[--length] = '\0';
    if (lstat(name, &st) != 0)
        return errno == ENOENT || wrong(name, strerror(errno), why, size);
    if (S_ISLNK(st.st_mode))
        return wrong(name, "is a symbolic link: name the directory itself", why,
                     size);
    dir = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return wrong(name, "is no experiment, so it is not replaced", why,
                     size);
    good = replace_directory(name, dir, why, size);
    close(dir);
    return good;
}
