/* console.c - the host's end of the console. Knows files, no guest. */
#include "sim/host/console.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/snap.h"

void console_init(struct console *c, int in, int out, int signals)
{
    memset(c, 0, sizeof *c);
    c->in = in;
    c->out = out;
    c->signals = signals;
    c->wake = -1;
    c->in_terminal = isatty(in);
    c->out_terminal = isatty(out);
}

void console_flush(struct console *c)
{
    size_t done = 0;

    if (c->used && c->printing)
        c->printing(c->arg);
    while (done < c->used && !c->error) {
        ssize_t n = write(c->out, c->output + done, c->used - done);

        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR)
            c->error = errno;
    }
    c->used = 0;
}

/* The other end of a pipe or a socket is closed: poll says POLLERR
 * unasked. A file or a terminal has none; a terminal that is gone sends SIGHUP.
 */
bool console_watched(struct console *c)
{
    struct pollfd p = {.fd = c->out};

    if (!c->error && !c->out_terminal && poll(&p, 1, 0) == 1 &&
        p.revents & (POLLERR | POLLHUP))
        c->error = EPIPE;
    return c->error != EPIPE;
}

void console_put(struct console *c, uint8_t byte)
{
    c->output[c->used++] = byte;
    if (c->used == sizeof c->output || (byte == '\n' && c->out_terminal))
        console_flush(c);
}

/* Wait until there is something to read. */
static enum console_get await(struct console *c, bool block)
{
    struct pollfd fds[4] = {{.fd = c->in, .events = POLLIN},
                            {.fd = c->signals, .events = POLLIN},
                            {.fd = c->wake, .events = POLLIN},
                            {.fd = c->out_terminal || c->error ? -1 : c->out}};

    for (;;) {
        int patience = c->waited || c->in_terminal ? -1 : CONSOLE_PATIENCE;
        int n = poll(fds, 4, block ? patience : 0);

        if (n > 0 && (fds[1].revents || !console_watched(c)))
            return CONSOLE_SIGNAL;
        if (n > 0)
            return fds[2].revents ? CONSOLE_WAKE : CONSOLE_BYTE;
        if (n < 0 && errno != EINTR)
            return CONSOLE_END;
        if (n == 0 && !block)
            return CONSOLE_NONE;
        if (n == 0 && !c->waited) {
            c->waited = true;
            if (c->waiting)
                c->waiting(c->arg);
        }
    }
}

#define CTRL_A 1

/* Of n bytes at `in` those that are for the guest: how many. */
static size_t obey(struct console *c, uint8_t *in, size_t n)
{
    size_t kept = 0;

    for (size_t k = 0; k < n && c->key; k++) {
        uint8_t byte = in[k];

        if (!c->command && byte == CTRL_A) {
            c->command = true;
            continue;
        }
        if (!c->command || byte == 'a' || byte == CTRL_A)
            in[kept++] = c->command ? CTRL_A : byte;
        else if (byte == 'x')
            c->quit = true;
        else
            c->key(c->arg, byte);
        c->command = false;
    }
    return c->key ? kept : n;
}

void console_look(struct console *c)
{
    struct pollfd p = {.fd = c->in, .events = POLLIN};
    ssize_t n;

    if (!c->key || poll(&p, 1, 0) != 1)
        return;
    if (c->taken == c->got)
        c->taken = c->got = 0;
    if (c->got == sizeof c->input)
        return;
    n = read(c->in, c->input + c->got, sizeof c->input - c->got);
    if (n > 0)
        c->got += obey(c, c->input + c->got, (size_t)n);
}

static enum console_get fill(struct console *c, bool wait)
{
    enum console_get what;
    ssize_t n;

    console_flush(c); /* a prompt comes before its answer */
    for (;;) {
        what = await(c, wait || !c->in_terminal);
        if (what != CONSOLE_BYTE)
            return what;
        n = read(c->in, c->input, sizeof c->input);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            return CONSOLE_END;
        c->got = obey(c, c->input, (size_t)n);
        c->taken = 0;
        if (c->quit)
            return CONSOLE_SIGNAL;
        if (c->got)
            return CONSOLE_BYTE;
    }
}

enum console_get console_get(struct console *c, bool wait, uint8_t *byte)
{
    if (c->quit)
        return CONSOLE_SIGNAL;
    if (c->taken == c->got) {
        enum console_get what = fill(c, wait);

        if (what != CONSOLE_BYTE)
            return what;
    }
    *byte = c->input[c->taken++];
    c->given++;
    return CONSOLE_BYTE;
}

bool console_state(struct snap *s, struct console *c)
{
    uint64_t given = c->given;
    uint8_t byte;

    snap_begin(s, "console", 1);
    SNAP(s, given);
    while (snap_loading(s) && !c->in_terminal && c->given < given)
        if (console_get(c, true, &byte) != CONSOLE_BYTE)
            snap_refuse(s, "%llu bytes of input were read, here are only %llu",
                        (unsigned long long)given,
                        (unsigned long long)c->given);
    if (snap_loading(s))
        c->given = given;
    return snap_end(s);
}
