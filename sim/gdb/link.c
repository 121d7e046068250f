/* link.c - sockets and framing. See link.h. */
#define _GNU_SOURCE
#include "sim/gdb/link.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/text.h"
#include "sim/config/config.h"

/* ---- the listening end --------------------------------------------------- */

static bool refuse(struct link *l, const char *where, const char *what,
                   char *why, size_t size)
{
    snprintf(why, size, "--gdb=%s: %s: %s", where, what, strerror(errno));
    link_close(l);
    return false;
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

#define UNIX "unix:"

static bool is_unix(const char *where)
{
    return strncmp(where, UNIX, strlen(UNIX)) == 0;
}

bool link_check(const char *where, char *why, size_t size)
{
    size_t path = is_unix(where) ? strlen(where + strlen(UNIX)) : 0;
    uint64_t port;

    if (is_unix(where) ? path && path < LINK_PATH
                       : text_number(where, &port) && port <= 65535)
        return true;
    if (is_unix(where))
        snprintf(why, size, "--gdb=%s: give a path of 1 to %d characters",
                 where, LINK_PATH - 1);
    else
        snprintf(why, size, "--gdb=%s: give a port, 0 to 65535, or unix:PATH",
                 where);
    return false;
}

static bool listen_unix(struct link *l, const char *where, char *why,
                        size_t size)
{
    const char *path = where + strlen(UNIX);
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    mode_t mask;
    int bound;

    static_assert(sizeof name.sun_path == LINK_PATH, "room for a path");
    snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
    l->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->listener < 0)
        return refuse(l, where, "no socket", why, size);
    mask = umask(077); /* other users may not connect */
    bound = bind(l->listener, (struct sockaddr *)&name, sizeof name);
    if (bound != 0 && errno == EADDRINUSE && is_left_over(&name)) {
        unlink(path);
        bound = bind(l->listener, (struct sockaddr *)&name, sizeof name);
    }
    umask(mask);
    if (bound != 0)
        return refuse(l, where, "cannot listen", why, size);
    snprintf(l->path, sizeof l->path, "%s", path);
    snprintf(l->name, sizeof l->name, "%s", path);
    if (listen(l->listener, 1) != 0)
        return refuse(l, where, "cannot listen", why, size);
    return true;
}

static bool listen_port(struct link *l, const char *where, char *why,
                        size_t size)
{
    struct sockaddr_in name = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof name;
    uint64_t port = 0;
    int one = 1;

    text_number(where, &port);
    name.sin_port = htons((uint16_t)port);
    l->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->listener < 0)
        return refuse(l, where, "no socket", why, size);
    setsockopt(l->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(l->listener, (struct sockaddr *)&name, sizeof name) != 0 ||
        listen(l->listener, 1) != 0 ||
        getsockname(l->listener, (struct sockaddr *)&name, &length) != 0)
        return refuse(l, where, "cannot listen", why, size);
    snprintf(l->name, sizeof l->name, "127.0.0.1:%u", ntohs(name.sin_port));
    return true;
}

bool link_open(struct link *l, const char *where, int signals, char *why,
               size_t size)
{
    memset(l, 0, sizeof *l);
    l->listener = l->fd = -1;
    l->signals = signals;
    if (!link_check(where, why, size))
        return false;
    return is_unix(where) ? listen_unix(l, where, why, size)
                          : listen_port(l, where, why, size);
}

void link_adopt(struct link *l, int fd)
{
    memset(l, 0, sizeof *l);
    l->listener = l->signals = -1;
    l->fd = fd;
}

void link_drop(struct link *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    l->got = l->taken = l->sent = 0;
    l->state = LINK_IDLE;
    l->no_ack = false;
}

void link_close(struct link *l)
{
    link_drop(l);
    if (l->listener >= 0)
        close(l->listener);
    if (l->path[0])
        unlink(l->path);
    l->listener = -1;
    l->path[0] = '\0';
}

int link_file(const struct link *l)
{
    return l->fd >= 0 ? l->fd : l->listener;
}

/* ---- out ----------------------------------------------------------------- */

/* All of it, or the debugger is gone. One that does not read must not keep us
 * from ending. */
static void write_all(struct link *l, const uint8_t *data, size_t size)
{
    while (size && l->fd >= 0) {
        struct pollfd fds[2] = {{.fd = l->fd, .events = POLLOUT},
                                {.fd = l->signals, .events = POLLIN}};
        ssize_t n;

        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        if (fds[1].revents)
            return;
        n = send(l->fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            data += n;
            size -= (size_t)n;
        } else if (errno != EAGAIN && errno != EINTR) {
            return; /* reading will find out */
        }
    }
}

static void write_byte(struct link *l, char byte)
{
    write_all(l, (const uint8_t *)&byte, 1);
}

void link_send(struct link *l, const void *data, size_t size)
{
    const uint8_t *in = data;
    uint8_t *out = l->last, sum = 0;

    if (size > LINK_PACKET)
        size = LINK_PACKET;
    *out++ = '$';
    for (size_t k = 0; k < size; k++) {
        if (in[k] == '$' || in[k] == '#' || in[k] == '}' || in[k] == '*') {
            *out++ = '}';
            *out++ = in[k] ^ 0x20;
        } else {
            *out++ = in[k];
        }
    }
    for (uint8_t *at = l->last + 1; at < out; at++)
        sum = (uint8_t)(sum + *at);
    out += sprintf((char *)out, "#%02x", sum);
    l->sent = (size_t)(out - l->last);
    write_all(l, l->last, l->sent);
}

/* ---- in ------------------------------------------------------------------ */

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void keep(struct link *l, uint8_t byte)
{
    if (l->size < LINK_PACKET)
        l->data[l->size++] = byte;
    else
        l->too_long = true;
}

static void begin(struct link *l)
{
    l->state = LINK_DATA;
    l->size = 0;
    l->sum = 0;
    l->too_long = false;
}

/* The packet ends. One that is longer than we said we take is answered as
 * something unknown: its beginning may mean anything. */
static enum link_event finish(struct link *l, int digit)
{
    bool good = digit >= 0 && (l->sum_sent | digit) == l->sum;

    l->state = LINK_IDLE;
    if (!l->no_ack)
        write_byte(l, good ? '+' : '-');
    if (!good && !l->no_ack)
        return LINK_NONE;
    if (!good || l->too_long)
        l->size = 0;
    l->data[l->size] = '\0';
    return LINK_PACKED;
}

/* Outside of packets. */
static enum link_event idle_byte(struct link *l, uint8_t byte)
{
    if (byte == '$')
        begin(l);
    else if (byte == '-' && l->sent && !l->no_ack)
        write_all(l, l->last, l->sent);
    return byte == 3 ? LINK_BREAK : LINK_NONE;
}

static enum link_event take(struct link *l, uint8_t byte)
{
    int digit;

    switch (l->state) {
    case LINK_IDLE:
        return idle_byte(l, byte);
    case LINK_DATA:
    case LINK_ESCAPE:
        if (byte == '#') {
            l->state = LINK_SUM1;
            return LINK_NONE;
        }
        if (byte == '$') {
            begin(l);
            return LINK_NONE;
        }
        l->sum = (uint8_t)(l->sum + byte);
        if (l->state == LINK_DATA && byte == '}') {
            l->state = LINK_ESCAPE;
            return LINK_NONE;
        }
        keep(l, l->state == LINK_ESCAPE ? byte ^ 0x20 : byte);
        l->state = LINK_DATA;
        return LINK_NONE;
    case LINK_SUM1:
        digit = hex_digit(byte);
        l->sum_sent = (uint8_t)(digit < 0 ? 0 : digit << 4);
        l->state = LINK_SUM2;
        if (digit < 0)
            l->sum_sent = (uint8_t)~l->sum; /* cannot be right */
        return LINK_NONE;
    default:
        return finish(l, hex_digit(byte));
    }
}

static enum link_event gone(struct link *l)
{
    link_drop(l);
    return LINK_CLOSED;
}

/* Something can be read: a connection, bytes, or the end. */
static enum link_event fill(struct link *l)
{
    ssize_t n;
    int one = 1;

    if (l->fd < 0) {
        l->fd = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC);
        if (l->fd < 0)
            return LINK_NONE;
        setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        return LINK_OPENED;
    }
    n = recv(l->fd, l->input, sizeof l->input, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return LINK_NONE;
    if (n <= 0)
        return gone(l);
    l->got = (size_t)n;
    l->taken = 0;
    return LINK_NONE;
}

enum link_event link_next(struct link *l, bool wait)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = link_file(l), .events = POLLIN},
                                {.fd = l->signals, .events = POLLIN}};
        enum link_event event = LINK_NONE;
        int n;

        while (l->taken < l->got && event == LINK_NONE)
            event = take(l, l->input[l->taken++]);
        if (event != LINK_NONE)
            return event;
        if (fds[0].fd < 0)
            return LINK_CLOSED; /* and no debugger can connect */
        n = poll(fds, 2, wait ? -1 : 0);
        if (n < 0 && errno != EINTR)
            return LINK_SIGNAL;
        if (n > 0 && fds[1].revents)
            return LINK_SIGNAL;
        if (n > 0 && fds[0].revents)
            event = fill(l);
        if (event != LINK_NONE)
            return event;
        if (l->taken == l->got && !wait)
            return LINK_NONE;
    }
}
