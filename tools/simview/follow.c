/* follow.c - see follow.h. */
#define _GNU_SOURCE
#include "tools/simview/follow.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/text.h"

#define UNIX "unix:"
#define PATIENCE 10000 /* ms until the first words */
#define GREETING "simrun-view 1 "

/* ---- what is said -------------------------------------------------------- */

/* "cpu N STATE PC CONTEXT CLOCK PLACE". */
static void take_cpu(struct follow *f, const char *text)
{
    unsigned cpu;
    int at = 0;

    if (sscanf(text, "%u %*s %*s %*s %*s %n", &cpu, &at) >= 1 && cpu < 64 && at)
        snprintf(f->names[cpu], sizeof f->names[cpu], "%.120s", text + at);
}

static void take_next(struct follow *f, const char *text)
{
    unsigned cpu;
    char pc[16];

    if (sscanf(text, "%u %15s", &cpu, pc) != 2 || cpu >= 64)
        return;
    f->cpu = (int)cpu;
    snprintf(f->place, sizeof f->place, "%s",
             f->names[cpu][0] ? f->names[cpu] : pc);
}

static enum follow_news take(struct follow *f)
{
    char *rest = strchr(f->line, ' ');

    if (!rest)
        rest = f->line + strlen(f->line);
    else
        *rest++ = '\0';
    if (!strcmp(f->line, "experiment")) {
        snprintf(f->experiment, sizeof f->experiment, "%s", rest);
    } else if (!strcmp(f->line, "cpu")) {
        take_cpu(f, rest);
    } else if (!strcmp(f->line, "next")) {
        take_next(f, rest);
    } else if (!strcmp(f->line, "error")) {
        snprintf(f->error, sizeof f->error, "%.500s", rest);
        return FOLLOW_SOME;
    } else if (!strcmp(f->line, "running")) {
        f->stopped = false;
        f->cpu = -1;
        return FOLLOW_SOME;
    } else if (!strcmp(f->line, "at") || !strcmp(f->line, "stopped")) {
        f->stopped = *f->line == 's';
        sscanf(rest, "%" SCNu64 " %" SCNu64, &f->cycle, &f->insns);
        return f->stopped ? FOLLOW_STOPPED : FOLLOW_SOME;
    } else if (!strcmp(f->line, "ended")) {
        f->ended = true;
        f->stopped = false;
        sscanf(rest, "%d %" SCNu64 " %" SCNu64, &f->status, &f->cycle,
               &f->insns);
        return FOLLOW_STOPPED;
    }
    return FOLLOW_NONE;
}

/* Bytes as they come; what is too long for a line is none that is known. */
static enum follow_news take_bytes(struct follow *f, const char *byte, size_t n)
{
    enum follow_news news = FOLLOW_NONE, one;

    for (size_t k = 0; k < n; k++) {
        if (byte[k] != '\n') {
            if (f->size + 1 < sizeof f->line)
                f->line[f->size++] = byte[k] ? byte[k] : '?';
            continue;
        }
        f->line[f->size] = '\0';
        f->size = 0;
        one = take(f);
        news = one > news ? one : news;
    }
    return news;
}

enum follow_news follow_look(struct follow *f)
{
    enum follow_news news = FOLLOW_NONE, one;
    char bytes[4096];
    ssize_t n;

    while (f->fd >= 0) {
        n = recv(f->fd, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (n <= 0) {
            close(f->fd);
            f->fd = -1;
            f->stopped = false;
            return FOLLOW_STOPPED;
        }
        one = take_bytes(f, bytes, (size_t)n);
        news = one > news ? one : news;
    }
    return news;
}

/* ---- open and ask -------------------------------------------------------- */

static bool refuse(struct follow *f, const char *where, const char *what,
                   char *why, size_t size)
{
    snprintf(why, size, "--follow=%.200s: %s", where, what);
    follow_close(f);
    return false;
}

static int connect_to(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = -1;

    if (strlen(path) >= sizeof name.sun_path)
        errno = ENAMETOOLONG;
    else
        fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    if (!connect(fd, (struct sockaddr *)&name, sizeof name))
        return fd;
    close(fd);
    return -1;
}

bool follow_open(struct follow *f, const char *where, char *why, size_t size)
{
    uint64_t number;

    *f = (struct follow){.fd = -1, .cpu = -1};
    if (!strncmp(where, UNIX, strlen(UNIX)))
        f->fd = connect_to(where + strlen(UNIX));
    else if (text_number(where, &number) && number < 1024)
        f->fd = (int)number;
    else
        return refuse(f, where, "give unix:PATH, as simrun --view has it", why,
                      size);
    if (f->fd < 0)
        return refuse(f, where, strerror(errno), why, size);
    while (!f->stopped && f->fd >= 0) {
        struct pollfd p = {f->fd, POLLIN, 0};

        if (!poll(&p, 1, PATIENCE))
            break;
        follow_look(f);
    }
    return (f->stopped && f->experiment[0]) ||
           refuse(f, where, "there is no simrun --view", why, size);
}

void follow_close(struct follow *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
}

void follow_ask(struct follow *f, const char *what, const char *with)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%s%s%.200s\n", what, *with ? " " : "",
                     with);

    f->error[0] = '\0';
    if (f->fd >= 0 && send(f->fd, text, (size_t)n, MSG_NOSIGNAL) != n) {
        close(f->fd);
        f->fd = -1;
    }
}

void follow_words(const struct follow *f, char *out, size_t size)
{
    if (f->ended)
        snprintf(out, size, "ended, status %d, at cycle %" PRIu64, f->status,
                 f->cycle);
    else if (f->fd < 0)
        snprintf(out, size, "simrun has gone");
    else if (f->error[0])
        snprintf(out, size, "%s", f->error);
    else if (f->stopped && f->cpu >= 0)
        snprintf(out, size,
                 "paused at cycle %" PRIu64 ", next CPU %d %s (space runs, . "
                 "steps, g runs to)",
                 f->cycle, f->cpu, f->place);
    else if (f->stopped)
        snprintf(out, size,
                 "paused at cycle %" PRIu64 " (space runs, . steps, g runs to)",
                 f->cycle);
    else
        snprintf(out, size, "runs, cycle %" PRIu64 " (space pauses)", f->cycle);
}
