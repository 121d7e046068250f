/* neutral_test.c - a debugger that only looks changes nothing: the guest runs
 * 4 processors alone and under a debugger that stops it again and again in
 * every way there is, and the console and the experiment are the same, byte
 * for byte. timeout: 600 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/symbols/names.h"
#include "tests/lib/rsp.h"
#include "tests/lib/scratch.h"

static const char *dir;
static struct image image;
static struct names symbols;

static int prepare(void **state)
{
    char guest[4096], why[300];

    (void)state;
    dir = scratch_dir();
    snprintf(guest, sizeof guest, "%s/guest.elf", getenv("BUILD"));
    return !image_open(&image, guest, IMAGE_BARE, why, sizeof why) ||
           !names_open(&symbols, &image);
}

static uint32_t address(const char *name)
{
    uint32_t at = 0;

    assert_true(names_find(&symbols, name, &at));
    return at;
}

static int shell(const char *format, ...)
{
    char command[9000];
    va_list args;

    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command);
}

/* Everything that can be asked, of every thread. */
static void look_around(struct rsp *r)
{
    unsigned n;

    for (n = 1; n <= 4; n++) {
        char old[RSP_TEXT];

        assert_string_equal(rsp_ask(r, "Hg%x", n), "OK");
        assert_true(strlen(rsp_ask(r, "g")) > 1000);
        snprintf(old, sizeof old, "%s", r->text);
        assert_string_equal(rsp_ask(r, "g"), old); /* it stands still */
        assert_int_equal(strlen(rsp_ask(r, "m2000,400")), 0x800);
        rsp_ask(r, "qThreadExtraInfo,%x", n);
    }
    rsp_monitor(r, "cpus");
    rsp_monitor(r, "pmc");
    rsp_monitor(r, "cache 0x2000");
    rsp_monitor(r, "oracle 0x2000");
    rsp_monitor(r, "where 0x2000");
}

static void stops(const char *text)
{
    assert_true(text[0] == 'T');
}

static void at_breakpoints(struct rsp *r)
{
    uint32_t at = address("mutex_lock");

    assert_string_equal(rsp_ask(r, "Z0,%x,4", at), "OK");
    for (unsigned n = 0; n < 40; n++) {
        stops(rsp_ask(r, "c"));
        assert_non_null(strstr(r->text, "swbreak"));
        if (n % 10 == 0)
            look_around(r);
    }
    assert_string_equal(rsp_ask(r, "z0,%x,4", at), "OK");
}

static void by_steps(struct rsp *r)
{
    for (unsigned n = 0; n < 400; n++)
        stops(rsp_ask(r, "s"));
    for (unsigned n = 0; n < 40; n++)
        stops(rsp_ask(r, "vCont;s:%x;c", n % 4 + 1));
    for (unsigned n = 0; n < 10; n++)
        stops(rsp_ask(r, "vCont;r%x,%x;c", address("mutex_lock"),
                      address("mutex_lock") + 0x40));
    look_around(r);
}

static void at_watchpoints(struct rsp *r)
{
    uint32_t at = address("queue");

    assert_string_equal(rsp_ask(r, "Z4,%x,4", at), "OK");
    for (unsigned n = 0; n < 10; n++)
        stops(rsp_ask(r, "c"));
    assert_string_equal(rsp_ask(r, "z4,%x,4", at), "OK");
}

static void by_breaking_in(struct rsp *r)
{
    for (unsigned n = 0; n < 10; n++) {
        rsp_send(r, "c");
        usleep(2000);
        rsp_raw(r, "\3", 1);
        if (rsp_receive(r)[0] != 'T')
            return; /* it was over */
        look_around(r);
    }
}

static void same(const char *name, const char *const *args)
{
    char console[600], experiment[620];
    const char *with[16] = {0};
    struct rsp r;
    unsigned n = 0;

    assert_int_equal(shell("rm -rf %s/*.exp", dir), 0);
    snprintf(console, sizeof console, "%s/gdb.out", dir);
    snprintf(experiment, sizeof experiment, "--pmu-trace=%s/gdb.exp", dir);
    with[n++] = experiment;
    while (*args)
        with[n++] = *args++;
    with[n] = NULL;
    rsp_start(&r, console, with);
    look_around(&r);
    by_steps(&r);
    at_breakpoints(&r);
    by_steps(&r);
    at_watchpoints(&r);
    by_breaking_in(&r);
    at_breakpoints(&r);
    look_around(&r);
    assert_string_equal(rsp_ask(&r, "D"), "OK");
    rsp_hang_up(&r);
    assert_int_equal(rsp_status(&r), 0);
    n = 1;
    assert_int_equal(
        shell("$BUILD/simrun --pmu-trace=%s/alone.exp %s %s %s '%s' %s "
              "> %s/alone.out 2>/dev/null </dev/null",
              dir, with[1], with[2], with[3], with[4], with[5], dir),
        0);
    if (shell("cmp %s/gdb.out %s/alone.out && diff -r %s/gdb.exp %s/alone.exp",
              dir, dir, dir, dir))
        fail_msg("%s: it is not the same run", name);
}

static void in_detailed_mode(void **state)
{
    char guest[4096];
    const char *args[] = {"--cpus=4", "--set=quantum=0",
                          "--append", "work=prodcons n=50",
                          guest,      NULL};

    (void)state;
    snprintf(guest, sizeof guest, "%s/guest.elf", getenv("BUILD"));
    same("exact order", args);
    args[1] = "--set=quantum=100"; /* stops fall into the middle of turns */
    same("quantum 100", args);
}

static void in_fast_mode(void **state)
{
    char guest[4096];
    const char *args[] = {"--cpus=4",           "--mode=fast", "--append",
                          "work=prodcons n=50", guest,         NULL};

    (void)state;
    snprintf(guest, sizeof guest, "%s/guest.elf", getenv("BUILD"));
    same("fast", args);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_detailed_mode),
        cmocka_unit_test(in_fast_mode),
    };

    return cmocka_run_group_tests(tests, prepare, NULL);
}
