/* resample_test.c - 95 % intervals by drawing idle periods again: they are
 * those of independent draws where periods have one draw each, and as wide as
 * the periods are few where all of a period find the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>

#include "tools/analysis/profile/resample.h"

#define A 7
#define B 9

/* `each` draws in each of n periods; the first `of_a` periods found A. */
static struct accuracy_interval of(unsigned n, unsigned each, unsigned of_a)
{
    static const uint32_t what = A;
    struct accuracy_interval is;
    struct resample s = {0};

    for (unsigned i = 0; i < n * each; i++)
        resample_add(&s, 1000 + i / each, i / each < of_a ? A : B);
    resample_intervals(&s, &what, 1, &is);
    resample_free(&s);
    return is;
}

static void near(double is, double should, double by)
{
    if (fabs(is - should) > by)
        fail_msg("%f, not %f", is, should);
}

static void single_draws_have_the_interval_of_independent_ones(void **state)
{
    struct accuracy_interval is = of(1000, 1, 300), wilson;

    (void)state;
    wilson = accuracy_interval(300, 1000);
    near(is.low, wilson.low, 0.005);
    near(is.high, wilson.high, 0.005);
}

/* A thousand draws in 40 periods tell what 40 draws do. */
static void draws_of_one_period_count_as_one(void **state)
{
    struct accuracy_interval is = of(40, 25, 12), wilson, narrow;

    (void)state;
    wilson = accuracy_interval(12, 40);
    near(is.low, wilson.low, 0.04);
    near(is.high, wilson.high, 0.04);
    narrow = accuracy_interval(300, 1000);
    assert_true(is.high - is.low > 4 * (narrow.high - narrow.low));
}

static void what_cannot_vary_has_wilsons_interval_of_the_periods(void **state)
{
    struct accuracy_interval is = of(50, 20, 50),
                             wilson = accuracy_interval(50, 50);

    (void)state;
    near(is.low, wilson.low, 1e-6);
    near(is.high, 1, 1e-6);
    is = of(50, 20, 0);
    near(is.low, 0, 1e-6);
    near(is.high, 1 - wilson.low, 1e-6);
    is = of(1, 500, 1); /* one period, however long */
    near(is.low, accuracy_interval(1, 1).low, 1e-6);
    is = of(0, 1, 0);
    near(is.low, 0, 0);
    near(is.high, 1, 0);
}

/* More than are drawn one by one: neighbours are put together. */
static void many_periods_are_put_together(void **state)
{
    struct resample s = {0};
    static const uint32_t what = A;
    struct accuracy_interval is, again, wilson;

    (void)state;
    for (unsigned i = 0; i < 40000; i++)
        resample_add(&s, i, i * 2654435761u >> 30 ? B : A); /* a fourth */
    resample_intervals(&s, &what, 1, &is);
    resample_intervals(&s, &what, 1, &again);
    assert_memory_equal(&is, &again, sizeof is);
    wilson = accuracy_interval(10000, 40000);
    near((is.low + is.high) / 2, 0.25, 0.002);
    assert_true(is.high - is.low < 1.5 * (wilson.high - wilson.low));
    resample_free(&s);
}

static uint32_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* 400 runs of 120 periods, of which each finds A with probability 0.4, 1 to 20
 * times. Of 400 intervals 380 should hold that: 13 less are three deviations.
 * Wilson's formula for single draws holds far too seldom. */
static void intervals_hold_the_share_that_they_promise(void **state)
{
    unsigned holds = 0, naive = 0;
    uint64_t seed = 5;

    (void)state;
    for (unsigned run = 0; run < 400; run++) {
        static const uint32_t what = A;
        struct resample s = {0};
        struct accuracy_interval is;
        uint64_t found = 0;

        for (unsigned p = 0; p < 120; p++) {
            bool a = random_next(&seed) % 10 < 4;

            for (unsigned k = 1 + random_next(&seed) % 20; k; k--) {
                resample_add(&s, p, a ? A : B);
                found += a;
            }
        }
        resample_intervals(&s, &what, 1, &is);
        holds += is.low <= 0.4 && 0.4 <= is.high;
        is = accuracy_interval(found, s.count);
        naive += is.low <= 0.4 && 0.4 <= is.high;
        resample_free(&s);
    }
    if (holds < 367 || holds > 393)
        fail_msg("%u of 400 hold", holds);
    assert_true(naive < 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_draws_have_the_interval_of_independent_ones),
        cmocka_unit_test(draws_of_one_period_count_as_one),
        cmocka_unit_test(what_cannot_vary_has_wilsons_interval_of_the_periods),
        cmocka_unit_test(many_periods_are_put_together),
        cmocka_unit_test(intervals_hold_the_share_that_they_promise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
