/* paired_test.c - means and 95 % intervals are those that are worked out by
 * hand, and that a table of Student's t leads to, for large and negative
 * numbers, too; they hold the true mean in 95 of 100 draws.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/base/mix.h"
#include "lib/base/paired.h"

static void hand_worked_values(void **state)
{
    /* 1, 2, 3, 4, 5 hundreds: variance 25000, t(4) = 2.776:
     * 2.776 * sqrt(25000 / 5) = 196.3 */
    static const int64_t five[] = {100, 200, 300, 400, 500};
    /* -3000, 1000: mean -1000, variance 8e6, t(1) = 12.706:
     * 12.706 * sqrt(8e6 / 2) = 25412 */
    static const int64_t two[] = {-3000, 1000};
    static const int64_t same[] = {-7, -7, -7};
    struct paired p;

    (void)state;
    p = paired_mean(five, 5);
    assert_int_equal(p.mean, 300);
    assert_int_equal(p.half, 197);
    assert_true(p.spread);
    p = paired_mean(two, 2);
    assert_int_equal(p.mean, -1000);
    assert_int_equal(p.half, 25412);
    p = paired_mean(same, 3);
    assert_int_equal(p.mean, -7);
    assert_int_equal(p.half, 0);
    p = paired_mean(two, 1);
    assert_int_equal(p.mean, -3000);
    assert_false(p.spread);
    p = paired_mean(two, 0);
    assert_int_equal(p.count, 0);
    assert_int_equal(p.mean, 0);
}

static void means_are_rounded_to_the_nearest(void **state)
{
    static const int64_t up[] = {1, 2, 2}, down[] = {-1, -2, -2};

    (void)state;
    assert_int_equal(paired_mean(up, 3).mean, 2);
    assert_int_equal(paired_mean(down, 3).mean, -2);
}

/* t(1000) is 1.962; of n values that are half 0 and half 2^44, 2^43 * 2 is the
 * spread. */
static void large_numbers_fit(void **state)
{
    static int64_t value[1000];
    struct paired p;

    (void)state;
    for (unsigned n = 0; n < 1000; n++)
        value[n] = n % 2 ? INT64_C(1) << 44 : 0;
    p = paired_mean(value, 1000);
    assert_int_equal(p.mean, INT64_C(1) << 43);
    /* 1.962 * 2^43 * sqrt(1000 / 999) / sqrt(1000) = 545.9e9 */
    assert_in_range(p.half, UINT64_C(545500000000), UINT64_C(546400000000));
}

/* Ten draws that are nearly normal, 4,000 times. */
static void intervals_hold_the_mean(void **state)
{
    uint64_t at = 0;
    unsigned held = 0;

    (void)state;
    for (unsigned n = 0; n < 4000; n++) {
        int64_t value[10];
        struct paired p;

        for (unsigned k = 0; k < 10; k++) {
            value[k] = -6 * 65536;
            for (unsigned d = 0; d < 12; d++)
                value[k] += (int64_t)(mix64(++at * MIX_STEP) & 0xFFFF);
        }
        p = paired_mean(value, 10);
        held += (uint64_t)(p.mean < 0 ? -p.mean : p.mean) <= p.half;
    }
    assert_in_range(held, 3760, 3840); /* 95 %, and three deviations */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_worked_values),
        cmocka_unit_test(means_are_rounded_to_the_nearest),
        cmocka_unit_test(large_numbers_fit),
        cmocka_unit_test(intervals_hold_the_mean)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
