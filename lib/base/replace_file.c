/* replace_file.c - a file beside the one to write, and the change of names. */
#include "lib/base/replace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/grow.h"

/* Read at one place, since umask can be asked only by setting it. */
static mode_t new_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

/* Beside what it is to become. False: there is no place for it. */
static bool open_beside(struct replace *r, mode_t mode)
{
    size_t size = strlen(r->name) + sizeof ".XXXXXX";
    int fd;

    r->forming = grow_zero(size, 1);
    snprintf(r->forming, size, "%s.XXXXXX", r->name);
    fd = mkstemp(r->forming);
    if (fd < 0)
        return false;
    if (fchmod(fd, mode) == 0)
        r->to = fdopen(fd, "wb");
    if (r->to)
        return true;
    close(fd);
    unlink(r->forming);
    return false;
}

static void forget(struct replace *r)
{
    int error = errno;

    free(r->name);
    free(r->forming);
    memset(r, 0, sizeof *r);
    errno = error;
}

bool replace_open(struct replace *r, const char *path)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;

    memset(r, 0, sizeof *r);
    if (!exists || (S_ISREG(st.st_mode) && access(path, W_OK) == 0)) {
        r->name = exists ? realpath(path, NULL) : strdup(path);
        if (r->name && open_beside(r, exists ? st.st_mode & 07777 : new_mode()))
            return true;
        forget(r);
    }
    r->to = fopen(path, "wb");
    return r->to;
}

bool replace_close(struct replace *r, bool good)
{
    int error = errno;

    if (fclose(r->to) && good) {
        good = false;
        error = errno;
    }
    if (good && r->name && rename(r->forming, r->name)) {
        good = false;
        error = errno;
    }
    if (!good && r->name)
        unlink(r->forming);
    forget(r);
    errno = error;
    return good;
}
