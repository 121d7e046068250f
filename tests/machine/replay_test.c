/* replay_test.c - recorded input comes back at its cycles, and only for the
 * configuration that it was recorded with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/host/replay.h"
#include "tests/lib/scratch.h"

static const char header[] = "image a.elf.12\nmode fast\nargs x y\nstart 0\n";
static char why[512];
static struct replay replay;

static void write_log(const char *text)
{
    char path[600];
    FILE *f;

    snprintf(path, sizeof path, "%s/log", scratch_dir());
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static bool open_log(const char *body)
{
    char text[2048];

    snprintf(text, sizeof text,
             "simrun-experiment 1\nfile 1 idle.rec\nreason 0 off\n%s", body);
    write_log(text);
    return replay_open(&replay, scratch_dir(), header, why, sizeof why);
}

static void bytes_come_back_when_their_cycle_has_come(void **state)
{
    uint8_t byte = 0;

    (void)state;
    assert_true(open_log("image a.elf.12\nmode fast\nargs x y\nstart 0\n"
                         "at 0\ninput 100 68\ninput 200 ff\nat 300\n"
                         "input 18446744073709551615 00\nend 5\n"));
    assert_int_equal(replay.count, 3);
    assert_false(replay_get(&replay, 99, &byte));
    assert_true(replay_get(&replay, 100, &byte));
    assert_int_equal(byte, 0x68);
    assert_false(replay_get(&replay, 100, &byte));
    assert_true(replay_get(&replay, 5000, &byte));
    assert_int_equal(byte, 0xFF);
    assert_false(replay_over(&replay));
    assert_true(replay_get(&replay, UINT64_MAX, &byte));
    assert_true(replay_over(&replay));
    assert_false(replay_get(&replay, UINT64_MAX, &byte));
    replay_close(&replay);
}

static void many_bytes_keep_their_order(void **state)
{
    static char text[200000];
    size_t used = (size_t)sprintf(text, "simrun-experiment 1\n%s", header);
    uint8_t byte = 0;

    (void)state;
    for (unsigned i = 0; i < 5000; i++)
        used += (size_t)sprintf(text + used, "input %u %02x\n", i, i & 255);
    write_log(text);
    assert_true(replay_open(&replay, scratch_dir(), header, why, sizeof why));
    for (unsigned i = 0; i < 5000; i++) {
        assert_true(replay_get(&replay, i, &byte));
        assert_int_equal(byte, i & 255);
        assert_false(replay_get(&replay, i, &byte));
    }
    replay_close(&replay);
}

static void a_line_cut_short_by_a_kill_is_left_out(void **state)
{
    (void)state;
    assert_true(open_log("image a.elf.12\nmode fast\nargs x y\nstart 0\n"
                         "input 100 68\ninput 20"));
    assert_int_equal(replay.count, 1);
    replay_close(&replay);
    assert_true(open_log("image a.elf.12\nmode fast\nargs x y\nstart 0\n"
                         "input 100 68\ninput 200 6"));
    assert_int_equal(replay.count, 1);
    replay_close(&replay);
}

static void another_configuration_is_refused_and_named(void **state)
{
    (void)state;
    assert_false(open_log("image a.elf.12\nmode detailed\nargs x y\n"
                          "start 0\n"));
    assert_non_null(strstr(why, "mode detailed"));
    assert_non_null(strstr(why, scratch_dir()));
    assert_false(open_log("image a.elf.12\nmode fast\nargs x\nstart 0\n"));
    assert_false(open_log("mode fast\nargs x y\nstart 0\n"));
    assert_false(open_log("image a.elf.12\nmode fast\n")); /* cut off */
    assert_null(replay.bytes);
}

static void what_is_no_log_is_refused(void **state)
{
    (void)state;
    write_log("");
    assert_false(replay_open(&replay, scratch_dir(), header, why, sizeof why));
    assert_non_null(strstr(why, "not the log"));
    write_log("simrun-experiment 99\n");
    assert_false(replay_open(&replay, scratch_dir(), header, why, sizeof why));
    assert_false(replay_open(&replay, "/nowhere", header, why, sizeof why));
    assert_non_null(strstr(why, "/nowhere/log: cannot be read"));
}

static void answers_come_back_in_order_and_at_their_cycle(void **state)
{
    int64_t value = 0;
    char b[8];

    (void)state;
    assert_true(open_log("image a.elf.12\nmode fast\nargs x y\nstart 0\n"
                         "stdio 5 r 5 616263\nstdio + 6465\n"
                         "stdio 5 w -32\nstdio 9 f 0\nstdio 7"));
    assert_false(replay_fact(&replay, 4, 'r', &value, b, sizeof b));
    assert_false(replay_fact(&replay, 5, 'w', &value, b, sizeof b));
    assert_true(replay_fact(&replay, 5, 'r', &value, b, sizeof b));
    assert_int_equal(value, 5);
    assert_memory_equal(b, "abcde\0\0\0", 8);
    assert_true(replay_fact(&replay, 5, 'w', &value, NULL, 0));
    assert_int_equal(value, -32);
    assert_true(replay_fact(&replay, 9, 'f', &value, b, 2));
    assert_memory_equal(b, "\0\0", 2);
    assert_false(replay_fact(&replay, 9, 'f', &value, b, 2));
    replay_close(&replay);
}

static void what_simrun_does_not_write_is_refused(void **state)
{
    static const char *const lines[] = {
        "input 1 ",
        "input 1 100",
        "input 1 6x",
        "stdio 1",
        "stdio + 00",
        "stdio 9 f 0 zz",
        "stdio 5 r 2 616",
        "end x",
        "end 1x",
        "debug 1 0 1",
        "self program",
        "root tmp",
        "stdio 5 r 2 61\nstdio 6 t 1",
    };
    char body[256];

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snprintf(body, sizeof body, "%s%s\nat 5\n", header, lines[i]);
        assert_false(open_log(body));
        assert_non_null(strstr(why, "damaged"));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        TEST(bytes_come_back_when_their_cycle_has_come),
        TEST(many_bytes_keep_their_order),
        TEST(a_line_cut_short_by_a_kill_is_left_out),
        TEST(another_configuration_is_refused_and_named),
        TEST(what_is_no_log_is_refused),
        TEST(answers_come_back_in_order_and_at_their_cycle),
        TEST(what_simrun_does_not_write_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
