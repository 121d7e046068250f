/* filter_test.c - expressions over records: what they mean, and which character
 * is blamed for a mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"
#include "tools/analysis/query/filter.h"

/* Of the records of one kind of the sampled experiment, for how many does it
 * hold? -1: it is no expression. */
static int holding(unsigned kind, const char *text)
{
    const char *path = scratch_path();
    struct samples_metrics metrics;
    struct expr_error error;
    struct recording r;
    struct record record;
    struct recfile f;
    struct expr *e = filter_parse(text, &error);
    char why[256];
    int n = 0;

    if (!e)
        return -1;
    mkexp_sampled(path);
    assert_true(recording_open(&r, path, why, sizeof why));
    samples_metrics_open(&metrics, &r);
    assert_true(recording_records(&r, kind, &f));
    while (recfile_next(&f, &record)) {
        struct filter_about about = {&r, &metrics, &record};

        n += expr_holds(e, &about);
    }
    recording_done(&r, &f);
    samples_metrics_free(&metrics);
    recording_close(&r);
    expr_free(e);
    return n;
}

static int samples(const char *text)
{
    return holding(REC_PROFILE, text);
}

/* 10 samples: 7 of cycles, 3 of dcache_miss; 3 on CPU 1. */
static void every_field_of_a_sample_can_be_asked(void **state)
{
    static const struct {
        const char *text;
        int n;
    } ask[] = {
        {"1", 10},
        {"kind == \"sample\"", 10},
        {"cpu == 1", 3},
        {"thread == 10", 7},
        {"name == \"producer\"", 3},
        {"name != \"producer\"", 7},
        {"process == 1", 10},
        {"cycle < 5000", 6},
        {"second == 0", 10},
        {"counter == \"dcache_miss\"", 3},
        {"events == 1010", 1},
        {"pc == 0xdead0000", 1},
        {"interrupted == 0xdead0000", 1},
        {"address", 0},
        {"user", 1},
        {"truncated", 1},
        {"depth > 3", 2},
        {"function == \"txn\"", 6},
        {"function == \"<Unknown>\"", 1},
        {"object == \"<Unknown>\"", 1},
        {"\"txn\" in stack", 7},
        {"\"thread_start\" in stack", 9},
        {"!(\"mutex_lock\" in stack) && cpu == 0", 6},
        {"reason == \"nap\"", 0}, /* missing */
        {"reason != \"nap\"", 0},
        {"!(reason == \"nap\")", 10},
        {"not reason == \"nap\" and cpu == 1", 3}, /* as --event says it */
        {"thread == 10 or thread != 10", 10},
        {"cycle in 0..5000", 6},
        {"not cycle in 0..5000 or address in 1..2", 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++)
        if (samples(ask[i].text) != ask[i].n)
            fail_msg("%s: %d, not %d", ask[i].text, samples(ask[i].text),
                     ask[i].n);
}

static void rows_of_the_oracle_have_theirs(void **state)
{
    (void)state;
    assert_int_equal(holding(REC_ORACLE, "kind == \"oracle\""), 8);
    assert_int_equal(holding(REC_ORACLE, "reason == \"nap\""), 2);
    assert_int_equal(holding(REC_ORACLE, "function == \"<napping>\""), 2);
    assert_int_equal(holding(REC_ORACLE, "function == \"<parked>\""), 1);
    assert_int_equal(holding(REC_ORACLE, "twelfths == 5"), 1);
    assert_int_equal(holding(REC_ORACLE, "events > 0"), 0);
    assert_int_equal(holding(REC_ORACLE, "\"txn\" in stack"), 0);
}

static void operators_bind_as_they_should(void **state)
{
    static const char *const truths[] = {
        "1 + 2 * 3 == 7",
        "(1 + 2) * 3 == 9",
        "10 - 3 - 2 == 5",
        "7 / 2 == 3 && 7 % 4 == 3",
        "1 << 4 | 1 == 17", /* | binds tighter than == */
        "0x1F & 6 == 6",
        "6 ^ 3 == 5",
        "-2 < 1 && - -2 == 2",
        "~0 == -1",
        "!0 && !!5",
        "0 || 1 && 1",
        "1 >> 70 == 0",
        "!(1 / 0 == 0) && !(1 / 0 != 0)", /* missing */
        "0-0x7fffffffffffffff-1 < 0",
        "\"a\" == \"a\" && \"a\" != \"b\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof truths / sizeof truths[0]; i++)
        if (samples(truths[i]) != 10)
            fail_msg("%s does not hold", truths[i]);
}

static void mistakes_are_shown_where_they_are(void **state)
{
    static const struct {
        const char *text;
        size_t at;
        const char *why;
    } bad[] = {
        {"", 0, "missing at the end"},
        {"cpu ==", 6, "missing at the end"},
        {"cpu = 1", 4, "=="},
        {"cpu == 1 2", 9, "nothing before it"},
        {"cpus == 1", 0, "no such field: cpus"},
        {"cpu == 1 && thread == \"x\"", 19, "text on one side"},
        {"(cpu == 1", 0, "never closes"},
        {"cpu == 1)", 8, "closes nothing"},
        {"name == \"x", 8, "no end"},
        {"name < \"x\"", 5, "== and != only"},
        {"name", 0, "no condition"},
        {"cpu == 1 && name", 9, "no condition"},
        {"12ab", 2, "no number"},
        {"0x", 1, "no number"},
        {"99999999999999999999", 0, "too large"},
        {"\"f\" in heap", 7, "wants \"stack\""},
        {"!name", 0, "no condition"},
        {"function == txn", 12, "in quotes should stand here: \"txn\""},
        {"pc in txn", 6, "no place has a name here"},
        {"cpu == $", 7, "should stand here"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct expr_error error;

        assert_null(filter_parse(bad[i].text, &error));
        if (error.at != bad[i].at || !strstr(error.why, bad[i].why))
            fail_msg("%s: %zu %s", bad[i].text, error.at, error.why);
    }
}

/* A misspelt name is an error, not an empty profile. */
static void names_that_are_not_there_are_told(void **state)
{
    static const struct {
        const char *text, *why; /* NULL: nothing is wrong */
        size_t at;
    } ask[] = {
        {"function == \"txm\"", "no such function: txm; did you mean txn", 12},
        {"\"TXN\" != function", "no such function: TXN; did you mean txn", 0},
        {"cpu == 0 && \"mutex\" in stack",
         "no such function: mutex; did you mean mutex_lock", 12},
        {"counter == \"cycle\"", "no such counter: cycle; did you mean cycles?",
         11},
        {"kind == \"samples\"", "no such kind: samples; did you mean sample?",
         8},
        {"transition == \"for\"", "no such transition: for", 14},
        {"reason == \"nop\"", "no such reason: nop; did you mean nap?", 10},
        {"name == \"prodcer\"",
         "no such thread: prodcer; did you mean producer?", 8},
        {"object == \"pro\"", "no such load object: pro", 10},
        {"thread != 99", "no such thread: 99", 10},
        {"2 == cpu", "no such CPU: 2; the machine had 2, from 0 on", 0},
        {"cycels > 5", "no such field: cycels; did you mean cycle", 0},
        {"function == \"<napping>\" || function == \"<parked>\"", NULL, 0},
        {"function == \"txn\" && \"worker\" in stack", NULL, 0},
        {"counter != \"dcache_miss\" && kind == \"sample\"", NULL, 0},
        {"name == \"producer\" || reason == \"nap\"", NULL, 0},
        {"thread == 0 || thread == 10 || cpu == 1", NULL, 0},
    };
    const char *path = scratch_path();
    struct samples_metrics metrics;
    struct recording r;
    char why[256];

    (void)state;
    mkexp_sampled(path);
    assert_true(recording_open(&r, path, why, sizeof why));
    samples_metrics_open(&metrics, &r);
    for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
        struct filter_about about = {&r, &metrics, NULL};
        struct expr_error error = {.at = 0};
        struct expr *e = filter_parse(ask[i].text, &error);
        bool good = e && filter_names(e, &about, &error);

        if (good != !ask[i].why ||
            (!good && (error.at != ask[i].at ||
                       strncmp(error.why, ask[i].why, strlen(ask[i].why)))))
            fail_msg("%s: %zu %s", ask[i].text, error.at, error.why);
        expr_free(e);
    }
    samples_metrics_free(&metrics);
    recording_close(&r);
}

/* Far more than a stack of 8 MiB has room for, a frame a term. */
static void any_number_of_terms_can_be_asked(void **state)
{
    enum { TERMS = 200000 };
    static const char term[] = "cpu == 2 || ";
    size_t n = sizeof term - 1;
    char *text = malloc(TERMS * n + 16);

    (void)state;
    for (size_t i = 0; i < TERMS; i++)
        memcpy(text + i * n, term, n);
    strcpy(text + TERMS * n, "cpu == 1");
    assert_int_equal(samples(text), samples("cpu == 1"));
    free(text);
}

static void depth_has_an_end(void **state)
{
    char text[4001];
    struct expr_error error;

    (void)state;
    memset(text, '(', 4000);
    text[4000] = '\0';
    assert_null(filter_parse(text, &error));
    memset(text, '!', 4000);
    assert_null(filter_parse(text, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_sample_can_be_asked),
        cmocka_unit_test(rows_of_the_oracle_have_theirs),
        cmocka_unit_test(operators_bind_as_they_should),
        cmocka_unit_test(mistakes_are_shown_where_they_are),
        cmocka_unit_test(names_that_are_not_there_are_told),
        cmocka_unit_test(any_number_of_terms_can_be_asked),
        cmocka_unit_test(depth_has_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
