/* terminal.c - a person at a terminal: what is typed goes to the guest key by
 * key, and Ctrl-A begins what simrun itself is told. See run.h.
 */
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "sim/cli/report.h"
#include "sim/host/run.h"

static void help(void *arg)
{
    const struct run *r = arg;

    fprintf(stderr,
            "\nsimrun: Ctrl-A x  end the run\n"
            "        Ctrl-A i  how far it is\n"
            "        Ctrl-A a  send Ctrl-A to the guest\n"
            "        Ctrl-A h  this%s\n",
            r->terminal.raw ? "" : " (each with Enter behind it)");
}

static void key(void *arg, uint8_t letter)
{
    struct run *r = arg;

    if (letter == 'h' || letter == '?') {
        help(r);
    } else if (letter == 'i') {
        report_progress(stderr, &r->machine, run_seconds(r), r->replay.end);
        fputc('\n', stderr);
    }
}

/* Keys as they are: no line to edit, no echo, no signals. What is printed is
 * still made lines of. */
static void make_raw(struct termios *t)
{
    t->c_iflag &= ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR |
                              IGNCR | ICRNL | IXON);
    t->c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN | ISIG);
    t->c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
    t->c_cflag |= CS8;
    t->c_cc[VMIN] = 1;
    t->c_cc[VTIME] = 0;
}

void terminal_open(struct run *r)
{
    enum terminal_keys keys = r->options.terminal;
    struct termios now;

    if (!r->console.in_terminal || r->options.user || r->options.replay)
        return;
    r->console.arg = r;
    r->console.key = key;
    if (keys == TERMINAL_LINES ||
        (keys == TERMINAL_USUAL && !r->image.is_kernel))
        return;
    /* In the background it is another program's. */
    if (tcgetpgrp(r->console.in) != getpgrp() ||
        tcgetattr(r->console.in, &r->terminal.was) < 0)
        return;
    now = r->terminal.was;
    make_raw(&now);
    r->terminal.raw = tcsetattr(r->console.in, TCSANOW, &now) == 0;
    if (r->terminal.raw && !r->options.quiet)
        fprintf(stderr, "simrun: Ctrl-A x ends the run, Ctrl-A h is help\n");
}

void terminal_close(struct run *r)
{
    if (r->terminal.raw)
        tcsetattr(r->console.in, TCSADRAIN, &r->terminal.was);
    r->terminal.raw = false;
}
