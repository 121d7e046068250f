/* lines.c - see lines.h. */
#define _GNU_SOURCE
#include "sim/view/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define UNIX "unix:"
#define PATIENCE 2 /* s that a viewer may take to read a line */

static bool refuse(struct view_lines *l, const char *where, const char *what,
                   char *why, size_t size)
{
    snprintf(why, size, "--view%s%s: %s: %s", *where ? "=" : "", where, what,
             strerror(errno));
    view_lines_close(l);
    return false;
}

bool view_lines_check(const char *where, char *why, size_t size)
{
    size_t path = strlen(where);

    if (!strncmp(where, UNIX, strlen(UNIX)) && path > strlen(UNIX) &&
        path - strlen(UNIX) < VIEW_PATH)
        return true;
    snprintf(why, size,
             "--view=%s: give unix:PATH, of 1 to %d characters, or nothing "
             "behind --view",
             where, VIEW_PATH - 1);
    return false;
}

static void init(struct view_lines *l, int signals)
{
    memset(l, 0, sizeof *l);
    l->listener = l->fd = -1;
    l->signals = signals;
}

/* Is it a socket of a simrun that was killed? */
static bool is_left_over(const struct sockaddr_un *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool refused =
        fd >= 0 &&
        connect(fd, (const struct sockaddr *)name, sizeof *name) != 0 &&
        errno == ECONNREFUSED;
    struct stat st;

    if (fd >= 0)
        close(fd);
    errno = EADDRINUSE;
    return refused && lstat(name->sun_path, &st) == 0 && S_ISSOCK(st.st_mode);
}

bool view_lines_listen(struct view_lines *l, const char *where, int signals,
                       char *why, size_t size)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    mode_t mask;
    int bound;

    init(l, signals);
    snprintf(name.sun_path, sizeof name.sun_path, "%s", where + strlen(UNIX));
    l->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->listener < 0)
        return refuse(l, where, "no socket", why, size);
    mask = umask(077); /* other users may not connect */
    bound = bind(l->listener, (struct sockaddr *)&name, sizeof name);
    if (bound && errno == EADDRINUSE && is_left_over(&name)) {
        unlink(name.sun_path);
        bound = bind(l->listener, (struct sockaddr *)&name, sizeof name);
    }
    umask(mask);
    if (bound)
        return refuse(l, where, "cannot listen", why, size);
    snprintf(l->path, sizeof l->path, "%s", name.sun_path);
    return !listen(l->listener, 1) ||
           refuse(l, where, "cannot listen", why, size);
}

/* A viewer that stands still does not hold the run. */
static void adopt(struct view_lines *l, int fd)
{
    struct timeval patience = {.tv_sec = PATIENCE};

    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    l->fd = fd;
}

/* In the child: nothing but the file and what is standard. Ctrl-C in the
 * terminal is simrun's. */
static void become(const char *program, int fd)
{
    char follow[32];
    sigset_t none;

    snprintf(follow, sizeof follow, "--follow=%d", fd);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    fcntl(fd, F_SETFD, 0);
    execl(program, program, follow, (char *)NULL);
    _exit(127);
}

bool view_lines_start(struct view_lines *l, const char *program, int signals,
                      char *why, size_t size)
{
    int pair[2];
    pid_t child;

    init(l, signals);
    if (access(program, X_OK) != 0)
        return refuse(l, "", program, why, size);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return refuse(l, "", "no socket", why, size);
    child = fork();
    if (!child)
        become(program, pair[1]);
    close(pair[1]);
    if (child < 0) {
        close(pair[0]);
        return refuse(l, "", "cannot be started", why, size);
    }
    adopt(l, pair[0]);
    return true;
}

void view_lines_close(struct view_lines *l)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->listener >= 0)
        close(l->listener);
    if (l->path[0])
        unlink(l->path);
    init(l, -1);
}

/* ---- hearing ------------------------------------------------------------- */

/* A whole line out of what has come. */
static bool take(struct view_lines *l)
{
    while (l->taken < l->got) {
        char c = l->input[l->taken++];

        if (c == '\n') {
            l->line[l->size] = '\0';
            if (l->size && l->line[l->size - 1] == '\r')
                l->line[l->size - 1] = '\0';
            if (l->too_long)
                snprintf(l->line, sizeof l->line, "(a line too long)");
            l->size = 0;
            l->too_long = false;
            return true;
        }
        if (l->size + 1 < sizeof l->line)
            l->line[l->size++] = c ? c : '?';
        else
            l->too_long = true;
    }
    return false;
}

static enum view_event gone(struct view_lines *l)
{
    close(l->fd);
    l->fd = -1;
    l->size = l->got = l->taken = 0;
    l->too_long = false;
    return VIEW_CLOSED;
}

static enum view_event welcome(struct view_lines *l)
{
    int fd = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC);

    if (fd < 0)
        return VIEW_NONE;
    adopt(l, fd);
    return VIEW_OPENED;
}

static enum view_event look(struct view_lines *l, bool wait)
{
    struct pollfd p[2] = {{l->fd >= 0 ? l->fd : l->listener, POLLIN, 0},
                          {wait ? l->signals : -1, POLLIN, 0}};
    ssize_t n;

    if (p[0].fd < 0)
        return VIEW_NONE;
    while (poll(p, 2, wait ? -1 : 0) < 0)
        if (errno != EINTR)
            return VIEW_NONE;
    if (p[1].revents)
        return VIEW_SIGNAL;
    if (!p[0].revents)
        return VIEW_NONE;
    if (l->fd < 0)
        return welcome(l);
    n = recv(l->fd, l->input, sizeof l->input, 0);
    if (n <= 0)
        return n < 0 && errno == EINTR ? VIEW_NONE : gone(l);
    l->got = (size_t)n;
    l->taken = 0;
    return take(l) ? VIEW_HEARD : VIEW_NONE;
}

enum view_event view_lines_next(struct view_lines *l, bool wait)
{
    enum view_event e;

    if (l->fd >= 0 && take(l))
        return VIEW_HEARD;
    do
        e = look(l, wait);
    while (wait && e == VIEW_NONE && (l->fd >= 0 || l->listener >= 0));
    return e;
}

/* ---- saying -------------------------------------------------------------- */

void view_lines_say(struct view_lines *l, const char *format, ...)
{
    char text[8192];
    size_t sent = 0, size;
    va_list args;
    int n;

    if (l->fd < 0)
        return;
    va_start(args, format);
    n = vsnprintf(text, sizeof text - 1, format, args);
    va_end(args);
    size = n < 0                         ? 0
           : (size_t)n < sizeof text - 2 ? (size_t)n
                                         : sizeof text - 2;
    text[size++] = '\n';
    while (sent < size) {
        ssize_t now = send(l->fd, text + sent, size - sent, MSG_NOSIGNAL);

        if (now < 0 && errno == EINTR)
            continue;
        if (now <= 0) {
            shutdown(l->fd, SHUT_RDWR); /* the next look finds it gone */
            return;
        }
        sent += (size_t)now;
    }
}
