/* output.c - compares files, not names: links lead to the same one. */
#include "sim/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH 4096

/* Two names of one regular file, whether it is there yet or not. */
static bool is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;

    if (stat(a, &of_a) != 0 || stat(b, &of_b) != 0)
        return strcmp(a, b) == 0;
    return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

static bool is_free(const char *option, const char *file,
                    const struct options *o, char *why, size_t size)
{
    const char *what = NULL;
    char heard[PATH] = "";

    if (o->replay)
        snprintf(heard, sizeof heard, "%s/log", o->replay);
    if (is_same(file, o->program))
        what = "the program";
    else if (o->replay && is_same(file, heard))
        what = "the log of --replay";
    if (what)
        snprintf(why, size, "%s: %s is %s, name another file", option, file,
                 what);
    return !what;
}

bool output_check(const struct options *o, char *why, size_t size)
{
    const char *log = o->log.what ? o->log.file : NULL;
    const char *json = o->json && *o->json ? o->json : NULL;

    if ((log && !is_free("--log", log, o, why, size)) ||
        (json && !is_free("--summary=json", json, o, why, size)))
        return false;
    if (!log || !json || !is_same(log, json))
        return true;
    snprintf(why, size, "--summary=json: %s is the file of --log, name another",
             json);
    return false;
}

FILE *output_open(const char *option, const char *file, char *why, size_t size)
{
    int fd =
        open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
    int flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
    FILE *f = NULL;

    if (flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0)
        f = fdopen(fd, "w");
    if (f)
        return f;
    snprintf(why, size, "%s: %s: cannot be written: %s", option, file,
             errno == ENXIO ? "nothing reads it" : strerror(errno));
    if (fd >= 0)
        close(fd);
    return NULL;
}
