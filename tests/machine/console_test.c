/* console_test.c - the host's end of the console on real files and pipes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/host/console.h"

static struct console console;
static int in[2], out[2]; /* pipes: [1] is written to, [0] read from */
static unsigned printed, waited;

static void on_printing(void *arg)
{
    (void)arg;
    printed++;
}

static void on_waiting(void *arg)
{
    struct console *c = arg;

    waited++;
    assert_int_equal(write(in[1], "late", 4), 4);
    assert_true(c->waited);
}

static int start(void **state)
{
    (void)state;
    printed = waited = 0;
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC | O_NONBLOCK))
        return -1;
    console_init(&console, in[0], out[1], -1);
    console.arg = &console;
    console.printing = on_printing;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        close(in[i]);
        close(out[i]);
    }
    return 0;
}

static const char *arrived(void)
{
    static char text[2 * CONSOLE_BLOCK];
    ssize_t n = read(out[0], text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void say(const char *text)
{
    while (*text)
        console_put(&console, (uint8_t)*text++);
}

static void bytes_leave_when_flushed(void **state)
{
    (void)state;
    say("hello\n");
    assert_string_equal(arrived(), ""); /* not a terminal */
    console_flush(&console);
    assert_string_equal(arrived(), "hello\n");
    assert_int_equal(printed, 1);
    console_flush(&console);
    assert_int_equal(printed, 1); /* nothing to print */
}

static void a_full_block_leaves_by_itself(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CONSOLE_BLOCK; i++)
        console_put(&console, 'x');
    assert_int_equal(strlen(arrived()), CONSOLE_BLOCK);
    assert_int_equal(console.error, 0);
}

static void a_reader_that_went_away_is_remembered_once(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    close(out[0]);
    say("hello\n");
    console_flush(&console);
    assert_int_equal(console.error, EPIPE);
    say("hello\n"); /* harmless */
    console_flush(&console);
    assert_int_equal(console.error, EPIPE);
    out[0] = open("/dev/null", O_RDONLY);
}

static void a_full_device_is_remembered(void **state)
{
    (void)state;
    close(out[1]);
    out[1] = console.out = open("/dev/full", O_WRONLY);
    say("hello\n");
    console_flush(&console);
    assert_int_equal(console.error, ENOSPC);
}

static void a_pipe_is_read_byte_by_byte_to_its_end(void **state)
{
    uint8_t byte = 0;

    (void)state;
    assert_int_equal(write(in[1], "ab", 2), 2);
    assert_int_equal(console_get(&console, false, &byte), CONSOLE_BYTE);
    assert_int_equal(byte, 'a');
    assert_int_equal(console_get(&console, false, &byte), CONSOLE_BYTE);
    assert_int_equal(byte, 'b');
    close(in[1]);
    assert_int_equal(console_get(&console, false, &byte), CONSOLE_END);
    assert_int_equal(console_get(&console, true, &byte), CONSOLE_END);
    in[1] = open("/dev/null", O_WRONLY);
}

static void a_silent_pipe_is_waited_for_and_that_is_said(void **state)
{
    struct timespec then, now;
    uint8_t byte = 0;

    (void)state;
    clock_gettime(CLOCK_MONOTONIC, &then);
    console.waiting = on_waiting; /* writes "late" */
    assert_int_equal(console_get(&console, false, &byte), CONSOLE_BYTE);
    assert_int_equal(byte, 'l');
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert_int_equal(waited, 1);
    assert_true(now.tv_sec - then.tv_sec >= CONSOLE_PATIENCE / 1000 - 1);
}

/* A terminal, as openpt gives one: [0] for the user, [1] for the program. */
static bool open_terminal(int fd[2])
{
    fd[0] = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd[0] < 0 || grantpt(fd[0]) || unlockpt(fd[0]))
        return false;
    fd[1] = open(ptsname(fd[0]), O_RDWR | O_NOCTTY);
    return fd[1] >= 0;
}

/* Who types knows whose turn it is. */
static void a_terminal_is_waited_for_in_silence(void **state)
{
    uint8_t byte = 0;
    int tty[2];
    pid_t child;

    (void)state;
    if (!open_terminal(tty))
        skip();
    console_init(&console, tty[1], out[1], -1);
    console.arg = &console;
    console.waiting = on_waiting;
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        usleep((CONSOLE_PATIENCE + 300) * 1000);
        _exit(write(tty[0], "k\n", 2) != 2);
    }
    assert_int_equal(console_get(&console, true, &byte), CONSOLE_BYTE);
    assert_int_equal(byte, 'k');
    assert_int_equal(waited, 0);
    waitpid(child, NULL, 0);
    close(tty[0]);
    close(tty[1]);
}

static void output_appears_before_input_is_waited_for(void **state)
{
    uint8_t byte = 0;

    (void)state;
    say("name? ");
    assert_int_equal(write(in[1], "x", 1), 1);
    console_get(&console, false, &byte);
    assert_string_equal(arrived(), "name? ");
}

static void a_terminal_without_input_is_not_waited_for(void **state)
{
    int tty[2];
    uint8_t byte = 0;

    (void)state;
    if (!open_terminal(tty))
        skip();
    console_init(&console, tty[1], out[1], -1);
    assert_true(console.in_terminal);
    assert_int_equal(console_get(&console, false, &byte), CONSOLE_NONE);
    assert_int_equal(write(tty[0], "k\n", 2), 2);
    assert_int_equal(console_get(&console, true, &byte), CONSOLE_BYTE);
    assert_int_equal(byte, 'k');
    close(tty[0]);
    close(tty[1]);
}

static void a_line_appears_at_once_on_a_terminal(void **state)
{
    char text[16];
    int tty[2];

    (void)state;
    if (!open_terminal(tty))
        skip();
    console_init(&console, in[0], tty[1], -1);
    say("hello\n");
    assert_int_equal(console.used, 0);
    assert_true(read(tty[0], text, sizeof text) >= 6);
    assert_memory_equal(text, "hello", 5);
    close(tty[0]);
    close(tty[1]);
}

static void a_signal_ends_the_wait(void **state)
{
    uint8_t byte = 0;
    sigset_t set;

    (void)state;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    console.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    assert_true(console.signals >= 0);
    raise(SIGUSR1);
    assert_int_equal(console_get(&console, true, &byte), CONSOLE_SIGNAL);
    close(console.signals);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(bytes_leave_when_flushed),
        TEST(a_full_block_leaves_by_itself),
        TEST(a_reader_that_went_away_is_remembered_once),
        TEST(a_full_device_is_remembered),
        TEST(a_pipe_is_read_byte_by_byte_to_its_end),
        TEST(a_silent_pipe_is_waited_for_and_that_is_said),
        TEST(output_appears_before_input_is_waited_for),
        TEST(a_terminal_without_input_is_not_waited_for),
        TEST(a_terminal_is_waited_for_in_silence),
        TEST(a_line_appears_at_once_on_a_terminal),
        TEST(a_signal_ends_the_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
