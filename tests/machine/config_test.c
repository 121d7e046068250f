/* config_test.c - knobs: defaults, ranges, refusals that change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/config/config.h"

static char why[4096];

static bool set(struct params *p, const char *name, uint64_t value)
{
    char text[128];

    snprintf(text, sizeof text, "%s=%llu", name, (unsigned long long)value);
    return params_set(p, text, why, sizeof why);
}

static void defaults_are_those_of_the_rows(void **state)
{
    struct params p;
    unsigned count;
    const struct param_row *row = param_rows(&count);

    (void)state;
    memset(&p, 0xA5, sizeof p);
    params_default(&p);
    assert_int_equal(p.clock_mhz, 200);
    assert_int_equal(p.bus_ratio, 3);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(param_get(&p, &row[i]), row[i].value);
    assert_int_equal(count * sizeof(uint32_t), sizeof p);
}

static void a_default_lies_in_its_range(void **state)
{
    unsigned count;
    const struct param_row *row = param_rows(&count);

    (void)state;
    for (unsigned i = 0; i < count; i++)
        assert_in_range(row[i].value, row[i].min, row[i].max);
}

static void both_ends_of_a_range_are_taken_and_no_more(void **state)
{
    unsigned count;
    const struct param_row *row = param_rows(&count);
    struct params p;

    (void)state;
    params_default(&p);
    for (unsigned i = 0; i < count; i++) {
        assert_true(set(&p, row[i].name, row[i].max));
        assert_int_equal(param_get(&p, &row[i]), row[i].max);
        assert_true(set(&p, row[i].name, row[i].min));
        assert_int_equal(param_get(&p, &row[i]), row[i].min);
        assert_false(set(&p, row[i].name, (uint64_t)row[i].max + 1));
        if (row[i].min)
            assert_false(set(&p, row[i].name, row[i].min - 1u));
        assert_int_equal(param_get(&p, &row[i]), row[i].min);
    }
}

static void only_the_named_knob_changes(void **state)
{
    struct params before, p;

    (void)state;
    params_default(&p);
    before = p;
    assert_true(params_set(&p, "quantum=0x10", why, sizeof why));
    assert_int_equal(p.quantum, 16);
    p.quantum = before.quantum;
    assert_memory_equal(&p, &before, sizeof p);
}

static void nonsense_is_refused_and_changes_nothing(void **state)
{
    static const char *const bad[] = {
        "",
        "=",
        "quantum",
        "quantum=",
        "quantum=-1",
        "quantum=+1",
        "quantum= 1",
        "quantum=1x",
        "quantum=x",
        "quantum=1.5",
        "Quantum=1",
        "quantum=10001",
        "quantu=1",
        "quantumm=1",
        "seed=5000000000",
        "seed=99999999999999999999999",
    };
    struct params before, p;

    (void)state;
    params_default(&p);
    before = p;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        why[0] = '\0';
        assert_false(params_set(&p, bad[i], why, sizeof why));
        assert_true(strlen(why) > 10);
        assert_null(strchr(why, '\n'));
    }
    assert_memory_equal(&p, &before, sizeof p);
}

static void an_unknown_name_is_answered_with_near_ones(void **state)
{
    struct params p;

    (void)state;
    params_default(&p);
    assert_false(params_set(&p, "colour=1", why, sizeof why));
    assert_non_null(strstr(why, "colour"));
    assert_non_null(strstr(why, "--help=all"));
    assert_false(params_set(&p, "clock_mzh=1", why, sizeof why));
    assert_string_equal(why,
                        "clock_mzh: no such knob; did you mean clock_mhz?");
}

static void a_small_message_buffer_is_enough(void **state)
{
    char small[8] = "";
    struct params p;

    (void)state;
    params_default(&p);
    assert_false(params_set(&p, "colour=1", small, sizeof small));
    assert_int_equal(strlen(small), sizeof small - 1);
}

static void values_that_do_not_go_together_are_named(void **state)
{
    struct params p;

    (void)state;
    params_default(&p);
    assert_true(params_check(&p, why, sizeof why));
    p.dcache_kb = 33;
    assert_false(params_check(&p, why, sizeof why));
    assert_non_null(strstr(why, "dcache_kb"));
    params_default(&p);
    p.icache_ways = 3;
    assert_false(params_check(&p, why, sizeof why));
    assert_non_null(strstr(why, "icache_ways"));
    p.icache_kb = 48; /* 512 sets of 3: odd, but a power of two */
    assert_true(params_check(&p, why, sizeof why));
    p.bht_entries = 500;
    assert_false(params_check(&p, why, sizeof why));
    assert_non_null(strstr(why, "bht_entries"));
    params_default(&p);
    p.line_bytes = 64;
    assert_true(params_check(&p, why, sizeof why));
    p.line_bytes = 48;
    assert_false(params_check(&p, why, sizeof why));
    assert_non_null(strstr(why, "line_bytes=48: give 32 or 64"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_rows),
        cmocka_unit_test(a_default_lies_in_its_range),
        cmocka_unit_test(both_ends_of_a_range_are_taken_and_no_more),
        cmocka_unit_test(only_the_named_knob_changes),
        cmocka_unit_test(nonsense_is_refused_and_changes_nothing),
        cmocka_unit_test(an_unknown_name_is_answered_with_near_ones),
        cmocka_unit_test(a_small_message_buffer_is_enough),
        cmocka_unit_test(values_that_do_not_go_together_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
