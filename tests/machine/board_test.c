/* board_test.c - power-off, release words and the page of facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "include/board.h"
#include "sim/dev/info.h"
#include "sim/dev/metadata.h"
#include "sim/dev/power.h"
#include "sim/dev/release.h"

static unsigned calls, last_cpu, last_value;
static uint64_t last_at;

static void on_power(void *arg, unsigned status, uint64_t at)
{
    (void)arg;
    calls++;
    last_value = status;
    last_at = at;
}

static void on_start(void *arg, unsigned cpu, uint32_t entry, uint64_t at)
{
    (void)arg;
    calls++;
    last_cpu = cpu;
    last_value = entry;
    last_at = at;
}

static int start(void **state)
{
    (void)state;
    calls = 0;
    return 0;
}

static void a_word_powers_off_with_its_low_byte(void **state)
{
    struct power p = {NULL, on_power};
    struct io_access a = {0, 4, 1, 55};

    (void)state;
    assert_true(power_store(&p, &a, 0x12A));
    assert_int_equal(calls, 1);
    assert_int_equal(last_value, 0x2A);
    assert_int_equal(last_at, 55);
    a.size = 1;
    assert_false(power_store(&p, &a, 3));
    assert_int_equal(calls, 1);
}

static void a_release_word_starts_its_cpu_once(void **state)
{
    struct io_access a = {8, 4, 0, 99};
    struct release r;
    uint32_t value;

    (void)state;
    release_init(&r, 4, 0x100, NULL, on_start);
    assert_true(release_load(&r, &a, &value));
    assert_int_equal(value, 0);
    assert_true(release_store(&r, &a, 0x2003)); /* word aligned */
    assert_int_equal(calls, 1);
    assert_int_equal(last_cpu, 2);
    assert_int_equal(last_value, 0x2000);
    assert_int_equal(last_at, 99);
    assert_true(release_store(&r, &a, 0x3000));
    assert_int_equal(calls, 1);
    assert_true(release_load(&r, &a, &value));
    assert_int_equal(value, 0x2000);
}

static void cpu_0_was_never_parked(void **state)
{
    struct io_access a = {0, 4, 0, 99};
    struct release r;
    uint32_t value;

    (void)state;
    release_init(&r, 1, 0x100, NULL, on_start);
    assert_true(release_load(&r, &a, &value));
    assert_int_equal(value, 0x100);
    assert_true(release_store(&r, &a, 0x3000));
    assert_int_equal(calls, 0);
}

static void words_of_cpus_that_are_not_there_do_not_answer(void **state)
{
    static const struct io_access bad[] = {
        {16, 4, 0, 1}, {28, 4, 0, 1}, {2, 4, 0, 1}, {4, 2, 0, 1}};
    struct release r;
    uint32_t value;

    (void)state;
    release_init(&r, 4, 0x100, NULL, on_start);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(release_store(&r, &bad[i], 0x100));
        assert_false(release_load(&r, &bad[i], &value));
    }
    assert_int_equal(calls, 0);
}

static uint32_t fact(struct info *i, uint32_t offset, unsigned size)
{
    struct io_access a = {offset, size, 0, 1};
    uint32_t value;

    assert_true(info_load(i, &a, &value));
    return value;
}

static void the_facts_stand_at_their_offsets(void **state)
{
    static struct info i;
    struct info_facts f = {8,  0x20000000, 200000000,  16666666, 12,
                           77, 360,        0x1F000000, 96,       "a b"};

    (void)state;
    assert_true(info_init(&i, &f));
    assert_int_equal(fact(&i, INFO_CPUS, 4), 8);
    assert_int_equal(fact(&i, INFO_RAM, 4), 0x20000000);
    assert_int_equal(fact(&i, INFO_CLOCK, 4), 200000000);
    assert_int_equal(fact(&i, INFO_TIMEBASE, 4), 16666666);
    assert_int_equal(fact(&i, INFO_TB_CYCLES, 4), 12);
    assert_int_equal(fact(&i, INFO_SEED, 4), 77);
    assert_int_equal(fact(&i, INFO_PERFINST, 4), 360);
    assert_int_equal(fact(&i, INFO_INITRD, 4), 0x1F000000);
    assert_int_equal(fact(&i, INFO_INITRD_BYTES, 4), 96);
    assert_int_equal(fact(&i, INFO_ARGS, 1), 'a');
    assert_int_equal(fact(&i, INFO_ARGS, 4), 0x61206200);
    assert_int_equal(fact(&i, INFO_ARGS + 2, 2), 0x6200);
    assert_int_equal(fact(&i, BOARD_INFO_SIZE - 1, 1), 0);
}

static void the_metadata_ends_in_zeros(void **state)
{
    static const unsigned char bytes[] = {1, 2, 3, 4, 5, 6};
    struct metadata m = {bytes, sizeof bytes};
    struct io_access a = {.offset = 4, .size = 4};
    uint32_t value;

    (void)state;
    assert_true(metadata_load(&m, &a, &value));
    assert_int_equal(value, 0x05060000);
    a = (struct io_access){.offset = 2, .size = 2};
    assert_true(metadata_load(&m, &a, &value));
    assert_int_equal(value, 0x0304);
    a = (struct io_access){.offset = 0xFFFFFC, .size = 1};
    assert_true(metadata_load(&m, &a, &value));
    assert_int_equal(value, 0);
}

static void arguments_that_just_fit_are_taken_and_no_longer_ones(void **state)
{
    static char args[INFO_ARGS_MAX + 1];
    static struct info i;
    struct info_facts f = {.args = args};

    (void)state;
    memset(args, 'x', INFO_ARGS_MAX - 1);
    assert_true(info_init(&i, &f));
    assert_int_equal(fact(&i, BOARD_INFO_SIZE - 2, 1), 'x');
    assert_int_equal(fact(&i, BOARD_INFO_SIZE - 1, 1), 0);
    args[INFO_ARGS_MAX - 1] = 'x';
    assert_false(info_init(&i, &f));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        TEST(a_word_powers_off_with_its_low_byte),
        TEST(a_release_word_starts_its_cpu_once),
        TEST(cpu_0_was_never_parked),
        TEST(words_of_cpus_that_are_not_there_do_not_answer),
        TEST(the_facts_stand_at_their_offsets),
        TEST(the_metadata_ends_in_zeros),
        TEST(arguments_that_just_fit_are_taken_and_no_longer_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
