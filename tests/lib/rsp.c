/* rsp.c - see rsp.h. */
#include "tests/lib/rsp.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 120 /* seconds */

static void fail(const char *what)
{
    fprintf(stderr, "rsp: %s\n", what);
    abort();
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* ---- a run --------------------------------------------------------------- */

static void run(const struct rsp *r, const char *console,
                const char *const *args)
{
    char program[4096], option[200];
    const char *argv[32] = {program, option};
    int out = open(console ? console : "/dev/null",
                   O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int in = open("/dev/null", O_RDONLY);
    unsigned n = 2;

    snprintf(program, sizeof program, "%s/simrun", getenv("BUILD"));
    snprintf(option, sizeof option, "--gdb=unix:%s", r->path);
    while (*args && n < 31)
        argv[n++] = *args++;
    dup2(in, 0);
    dup2(out, 1);
    dup2(console ? 2 : out, 2);
    execv(program, (char *const *)argv);
    _exit(127);
}

void rsp_connect(struct rsp *r)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};

    snprintf(name.sun_path, sizeof name.sun_path, "%s", r->path);
    r->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    r->ack = true;
    for (int tries = 0; tries < 100 * PATIENCE; tries++) {
        if (connect(r->fd, (struct sockaddr *)&name, sizeof name) == 0)
            return;
        if (waitpid(r->pid, NULL, WNOHANG) == r->pid)
            fail("simrun ended before anybody came");
        nap();
    }
    fail("nobody listens");
}

void rsp_start(struct rsp *r, const char *console, const char *const *args)
{
    const char *tmp = getenv("TMPDIR");

    memset(r, 0, sizeof *r);
    if (!getenv("BUILD"))
        fail("BUILD is not set");
    snprintf(r->path, sizeof r->path, "%s/rsp.%ld.%d",
             tmp && strlen(tmp) < 70 ? tmp : "/tmp", (long)getpid(),
             rand() % 100000);
    signal(SIGPIPE, SIG_IGN);
    r->pid = fork();
    if (r->pid == 0)
        run(r, console, args);
    rsp_connect(r);
}

int rsp_status(struct rsp *r)
{
    int status;

    for (int tries = 0; tries < 100 * PATIENCE; tries++) {
        if (waitpid(r->pid, &status, WNOHANG) == r->pid)
            return WIFEXITED(status) ? WEXITSTATUS(status)
                                     : 1000 + WTERMSIG(status);
        nap();
    }
    kill(r->pid, SIGKILL);
    fail("simrun does not end");
    return -1;
}

void rsp_hang_up(struct rsp *r)
{
    close(r->fd);
    r->fd = -1;
}

/* ---- packets ------------------------------------------------------------- */

void rsp_raw(struct rsp *r, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size) {
        ssize_t n = write(r->fd, at, size);

        if (n <= 0)
            return;
        at += n;
        size -= (size_t)n;
    }
}

static void send_text(struct rsp *r, const char *text)
{
    unsigned char sum = 0;
    char tail[8];

    for (const char *c = text; *c; c++)
        sum = (unsigned char)(sum + (unsigned char)*c);
    snprintf(tail, sizeof tail, "#%02x", sum);
    rsp_raw(r, "$", 1);
    rsp_raw(r, text, strlen(text));
    rsp_raw(r, tail, 3);
}

void rsp_send(struct rsp *r, const char *format, ...)
{
    char text[RSP_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    send_text(r, text);
}

/* One byte, or -1 at the end. */
static int get(struct rsp *r)
{
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    unsigned char byte;

    if (poll(&p, 1, PATIENCE * 1000) <= 0)
        fail("no answer");
    return read(r->fd, &byte, 1) == 1 ? byte : -1;
}

static bool receive_one(struct rsp *r)
{
    unsigned char sum = 0;
    char tail[3] = "";
    size_t n = 0;
    int c;

    do
        c = get(r);
    while (c == '+' || c == '-');
    if (c < 0)
        return false;
    if (c != '$')
        fail("not a packet");
    while ((c = get(r)) != '#' && c >= 0 && n < RSP_TEXT - 1) {
        sum = (unsigned char)(sum + c);
        if (c == '}') {
            c = get(r);
            sum = (unsigned char)(sum + c);
            c ^= 0x20;
        }
        r->text[n++] = (char)c;
    }
    r->text[n] = '\0';
    tail[0] = (char)get(r);
    tail[1] = (char)get(r);
    if (strtoul(tail, NULL, 16) != sum)
        fail("a wrong checksum");
    if (r->ack)
        rsp_raw(r, "+", 1);
    return true;
}

/* The text of an O packet; "OK" is none. */
static bool keep_shown(struct rsp *r)
{
    size_t length = strlen(r->shown);

    if (r->text[0] != 'O' || r->text[1] == 'K')
        return false;
    for (const char *c = r->text + 1; c[0] && c[1] && length < RSP_TEXT - 1;
         c += 2) {
        char digits[3] = {c[0], c[1], 0};

        r->shown[length++] = (char)strtoul(digits, NULL, 16);
    }
    r->shown[length] = '\0';
    return true;
}

const char *rsp_receive(struct rsp *r)
{
    r->shown[0] = '\0';
    do
        if (!receive_one(r))
            return "";
    while (keep_shown(r));
    return r->text;
}

const char *rsp_ask(struct rsp *r, const char *format, ...)
{
    char text[RSP_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    send_text(r, text);
    return rsp_receive(r);
}

const char *rsp_monitor(struct rsp *r, const char *line)
{
    char text[512] = "qRcmd,";
    size_t n = strlen(text);

    for (; *line && n < sizeof text - 3; line++, n += 2)
        snprintf(text + n, 3, "%02x", (unsigned char)*line);
    send_text(r, text);
    rsp_receive(r);
    return r->shown;
}
