/* chip_test.c - the chip as data: the shipped table read as a file is itself,
 * a changed row changes the cycles it should, mistakes are named.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/config/chip_file.h"
#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"
#include "tests/lib/scratch.h"

static bool read_text(struct chip_table *t, const char *text, char *why,
                      size_t size)
{
    char path[600];
    bool ok;
    int fd;

    snprintf(path, sizeof path, "%s/chip.XXXXXX", scratch_dir());
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    ok = chip_read(t, path, why, size);
    unlink(path);
    return ok;
}

static void shipped_table_reads_as_itself(void **state)
{
    struct chip_table t;
    char why[256];

    (void)state;
    memset(&t, 0, sizeof t);
    for (unsigned k = 1; k < CLASS_COUNT; k++)
        t.row[k].unit = chip_604e.row[k].unit; /* what may not move */
    assert_true(chip_read(&t, "sim/core/chip/ppc604e.def", why, sizeof why));
    assert_memory_equal(&t, &chip_604e, sizeof t);
}

/* mullw S 2 E 3..: latency 2 completes in 5, latency 9 in 12. */
static void latency_of_a_file_is_the_latency_of_the_run(void **state)
{
    const uint32_t w[] = {MULLW(3, 4, 4), BLR};
    struct chip_table t = chip_604e;
    struct bench_board b;
    struct core *c = &b.core[0];
    cycle_t done[2];
    char why[256];

    (void)state;
    assert_true(read_text(&t, "# slower\nMUL MCIU 9 9 0\n", why, sizeof why));
    for (int k = 0; k < 2; k++) {
        board_open(&b, 1, &timing_detailed, NULL);
        if (k)
            c->with.chip = &t;
        board_words(&b, BENCH_CODE, w, 2);
        board_warm(&pipe_of(c)->tags.icache, BENCH_CODE, 8, MESI_S);
        core_start(c, BENCH_CODE, 0, 0);
        board_run(&b);
        done[k] = pipe_of(c)->history[0].at;
        board_close(&b);
    }
    assert_int_equal(done[0], 5);
    assert_int_equal(done[1], 12);
}

static void mistakes_are_named_with_their_line(void **state)
{
    static const char *const wrong[][2] = {
        {"MULT MCIU 4 2 0\n", ":1: no such class"},
        {"\nMUL ALU 4 2 0\n", ":2: no such unit"},
        {"MUL MCIU 0 2 0\n", ":1: the latency"},
        {"MUL MCIU 4 64 0\n", ":1: the repeat"},
        {"MUL MCIU 4 2 SLOW\n", ":1: the order"},
        {"MUL MCIU 4 2\n", ":1: too few"},
        {"MUL MCIU 4 2 0 0\n", ":1: too many"},
        {"LOAD SCIU 1 1 0\n", ":1: loads, stores"},
        {"/* a\n b */ MUL MCIU x 2 0\n", ":2: the latency"},
    };

    (void)state;
    for (unsigned k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct chip_table t = chip_604e;
        char why[256] = "";

        assert_false(read_text(&t, wrong[k][0], why, sizeof why));
        if (!strstr(why, wrong[k][1]))
            print_message("%s\n", why);
        assert_non_null(strstr(why, wrong[k][1]));
    }
}

static void rows_are_written_as_they_are_read(void **state)
{
    struct chip_table t = chip_604e;
    char row[64], why[256];

    (void)state;
    for (unsigned k = 1; k < CLASS_COUNT; k++) {
        chip_text(&chip_604e, k, row);
        t.row[k].latency = 77;
        strcat(row, "\n");
        assert_true(read_text(&t, row, why, sizeof why));
    }
    assert_memory_equal(&t, &chip_604e, sizeof t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_table_reads_as_itself),
        cmocka_unit_test(latency_of_a_file_is_the_latency_of_the_run),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(rows_are_written_as_they_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
