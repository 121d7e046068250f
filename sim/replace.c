/* replace.c - looks at everything first, and then removes it. */
#include "sim/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "simrun-experiment "

static bool ends(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

/* Is it a file that simrun or simprof writes? */
static bool ours(const char *name)
{
    return strcmp(name, "log") == 0 || strcmp(name, "map") == 0 ||
           strncmp(name, "timetree.", 9) == 0 || ends(name, ".rec") ||
           ends(name, ".rec.index");
}

/* Look at the files of a directory, or remove them. False: errno, or 0 and
 * *strange: it is no file of ours. */
static bool files(int dir, bool archives, bool remove, char strange[256])
{
    int copy = dup(dir);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *e;
    bool good = d != NULL;
    struct stat st;

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
        } else if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
                   !S_ISREG(st.st_mode) || (!archives && !ours(e->d_name))) {
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

bool replace_experiment(const char *path, char *why, size_t size)
{
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), archives;
    char strange[256] = "", text[320];
    bool good;

    if (dir < 0 && errno == ENOENT)
        return true;
    if (dir < 0 || !is_experiment(dir)) {
        if (dir >= 0)
            close(dir);
        return wrong(path, "is no experiment, so it is not replaced", why,
                     size);
    }
    archives = openat(dir, "archives",
                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    good = all(dir, archives, false, strange) &&
           all(dir, archives, true, strange) &&
           (archives < 0 || unlinkat(dir, "archives", AT_REMOVEDIR) == 0) &&
           rmdir(path) == 0;
    if (!good && *strange)
        snprintf(text, sizeof text,
                 "holds %s, which simrun did not write: move or remove it",
                 strange);
    else if (!good)
        snprintf(text, sizeof text, "cannot be removed: %s", strerror(errno));
    close(dir);
    if (archives >= 0)
        close(archives);
    return good || wrong(path, text, why, size);
}
