/* output.c - compares files, not names: links lead to the same one. */
#define _GNU_SOURCE
#include "sim/host/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
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

void output_lost(const char *option, const char *file, const char *what)
{
    fprintf(stderr, "simrun: %s: %s: %s cannot be written\n", option,
            file ? file : "stderr", what);
}

/* ---- a reader that takes nothing ----------------------------------------- */

struct heeded {
    FILE *f;
    int signals;
    bool failed; /* and it stays so */
};

/* Wait until a piece can be written. False: a signal came first. */
static bool is_taken(const struct heeded *h)
{
    struct pollfd p[2] = {{fileno(h->f), POLLOUT, 0}, {h->signals, POLLIN, 0}};

    while (poll(p, 2, -1) < 0 && errno == EINTR)
        ;
    if (p[0].revents)
        return true;
    errno = ECANCELED;
    return false;
}

static ssize_t heeded_write(void *cookie, const char *bytes, size_t size)
{
    struct heeded *h = cookie;
    size_t done = 0;

    while (done < size && !h->failed) {
        /* A pipe with room at all takes so much at once. */
        size_t now = size - done < PIPE_BUF ? size - done : PIPE_BUF;
        ssize_t n = is_taken(h) ? write(fileno(h->f), bytes + done, now) : -1;

        if (n > 0)
            done += (size_t)n;
        else
            h->failed = n == 0 || errno != EINTR;
    }
    return (ssize_t)done;
}

static int heeded_close(void *cookie)
{
    struct heeded *h = cookie;
    int result = fclose(h->f);

    free(h);
    return result;
}

FILE *output_heed(FILE *f, int signals)
{
    struct heeded *h = malloc(sizeof *h);
    FILE *whole = NULL;

    if (h) {
        *h = (struct heeded){f, signals, false};
        whole = fopencookie(h, "w",
                            (cookie_io_functions_t){.write = heeded_write,
                                                    .close = heeded_close});
    }
    if (whole)
        return whole;
    free(h);
    fclose(f);
    return NULL;
}
