/* independence_test.c - the statistic of neighbouring samples is normal for
 * independent ones, whatever their shares, and large for phases and for
 * resonance; and Wilson's intervals hold what they should, by exact sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "tools/analysis/profile/independence.h"
#include "tools/analysis/profile/accuracy.h"

#define PLACES 12

static uint32_t seed = 1;

static double uniform(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) / 16777216.0;
}

/* Place k with a share that falls with k; `skew` 0: all the same. */
static uint32_t draw(double skew)
{
    return (uint32_t)(PLACES * pow(uniform(), 1 + skew));
}

static struct independence judge(uint32_t *a, size_t n, uint32_t *b, size_t m)
{
    struct independence_run run[3] = {{a, n, n}, {NULL, 0, 0}, {b, m, m}};
    struct independence s;

    independence_read(&s, run, 3, PLACES);
    return s;
}

/* Mean 0 and deviation 1 at every lag, for two CPUs with different shares;
 * a warning about once in 2,000 times. */
static void independent_samples_are_a_normal_variable(void **state)
{
    enum { TIMES = 3000 };
    double sum[INDEPENDENCE_LAGS] = {0}, squares[INDEPENDENCE_LAGS] = {0};
    static uint32_t a[300], b[170];
    unsigned warned = 0;

    (void)state;
    for (int i = 0; i < TIMES; i++) {
        struct independence s;

        for (size_t k = 0; k < 300; k++)
            a[k] = draw(3);
        for (size_t k = 0; k < 170; k++)
            b[k] = draw(0.2);
        s = judge(a, 300, b, 170);
        assert_true(s.known);
        warned += independence_warns(&s);
        for (unsigned k = 0; k < INDEPENDENCE_LAGS; k++) {
            sum[k] += s.lag[k].z;
            squares[k] += s.lag[k].z * s.lag[k].z;
        }
    }
    for (unsigned k = 0; k < INDEPENDENCE_LAGS; k++) {
        double mean = sum[k] / TIMES;
        double deviation = sqrt(squares[k] / TIMES - mean * mean);

        if (fabs(mean) > 0.08 || fabs(deviation - 1) > 0.06)
            fail_msg("lag %u: mean %.3f, deviation %.3f", k + 1, mean,
                     deviation);
    }
    assert_in_range(warned, 0, 12);
}

static void phases_warn(void **state)
{
    uint32_t a[400];
    struct independence s;

    (void)state;
    for (uint32_t k = 0; k < 400; k++)
        a[k] = k / 10 % 4;
    s = judge(a, 400, NULL, 0);
    assert_true(independence_warns(&s));
    assert_int_equal(s.worst, 1);
    assert_true(s.lag[0].z > 10 && s.lag[0].found > 0.85);
}

/* In turns: never a neighbour, always the one behind it. */
static void resonance_warns(void **state)
{
    uint32_t a[200];
    struct independence s;

    (void)state;
    for (uint32_t k = 0; k < 200; k++)
        a[k] = k % 3;
    s = judge(a, 200, NULL, 0);
    assert_true(independence_warns(&s));
    assert_true(s.lag[0].z < -5 && s.lag[2].z > 10);
    assert_int_equal(s.worst, 3);
}

static void little_says_nothing(void **state)
{
    uint32_t a[500] = {0};
    struct independence s;

    (void)state;
    s = judge(a, 500, NULL, 0); /* all in one place */
    assert_false(s.known || independence_warns(&s));
    for (uint32_t k = 0; k < 15; k++)
        a[k] = k % 2;
    s = judge(a, 15, NULL, 0);
    assert_false(s.known || independence_warns(&s));
    s = judge(NULL, 0, NULL, 0);
    assert_false(s.known);
}

/* The chance that the interval around what n draws of share p found holds p:
 * all outcomes, each with its binomial chance. */
static double coverage(unsigned n, double p)
{
    double sum = 0;

    for (unsigned k = 0; k <= n; k++) {
        double chance = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
                            k * log(p) + (n - k) * log(1 - p));
        struct accuracy_interval i = accuracy_interval(k, n);

        assert_true(i.low >= 0 && i.low <= i.high && i.high <= 1);
        if (p >= i.low && p <= i.high)
            sum += chance;
    }
    return sum;
}

static void intervals_hold_95_percent(void **state)
{
    double all = 0;
    unsigned count = 0;

    (void)state;
    for (unsigned n = 50; n <= 3200; n *= 4)
        for (double p = 0.01; p < 1; p += 0.0173) {
            double c = coverage(n, p);

            if (c < 0.83)
                fail_msg("n %u, p %.4f: %.3f", n, p, c);
            all += c;
            count++;
        }
    if (fabs(all / count - 0.95) > 0.005)
        fail_msg("on average %.4f", all / count);
    assert_true(accuracy_interval(0, 0).high == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_samples_are_a_normal_variable),
        cmocka_unit_test(phases_warn),
        cmocka_unit_test(resonance_warns),
        cmocka_unit_test(little_says_nothing),
        cmocka_unit_test(intervals_hold_95_percent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
