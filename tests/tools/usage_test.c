/* usage_test.c - what simprof makes of the words it is started with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"

static unsigned longest_line(const char *text)
{
    size_t most = 0;

    for (; *text; text += strcspn(text, "\n") + 1)
        if (strcspn(text, "\n") > most)
            most = strcspn(text, "\n");
    return (unsigned)most;
}

static void help_fits_a_terminal(void **state)
{
    static const char *const report[] = {
#define REPORT(name, takes, text) #name,
#include "tools/simprof/report/reports.def"
#undef REPORT
    };
    char arguments[80];

    (void)state;
    assert_true(longest_line(simprof_run("--help", "")->out) < 80);
    for (size_t i = 0; i < sizeof report / sizeof report[0]; i++) {
        snprintf(arguments, sizeof arguments, "%s -h", report[i]);
        assert_true(longest_line(simprof_run(arguments, "")->out) < 80);
    }
}

/* Report and experiment, function and experiment: in either order. What stands
 * last is given by the runner, which puts it there. */
static void words_stand_in_any_order(void **state)
{
    static const struct {
        const char *first, *last; /* EXP: the experiment */
    } same[] = {
        {"csingle --csv txn", "EXP"},           {"csingle EXP --csv", "txn"},
        {"csingle txn EXP", "--csv"},           {"EXP csingle txn", "--csv"},
        {"EXP csingle --csv", "txn"},           {"EXP --csv csingle", "txn"},
        {"csingle --function=txn EXP", "--csv"}};
    static char first[SIMPROF_TEXT];
    const char *path = scratch_path();

    (void)state;
    mkexp_sampled(path);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        const char *exp = strstr(same[i].first, "EXP");
        const char *last = same[i].last;
        char arguments[2048];
        const struct simprof *r;

        snprintf(arguments, sizeof arguments, "%s", same[i].first);
        if (exp)
            snprintf(arguments, sizeof arguments, "%.*s%s%s",
                     (int)(exp - same[i].first), same[i].first, path, exp + 3);
        r = simprof_run(arguments, strcmp(last, "EXP") ? last : path);
        if (i == 5) { /* options of a report stand behind its name */
            assert_int_equal(r->status, 2);
            continue;
        }
        assert_int_equal(r->status, 0);
        if (!i)
            memcpy(first, r->out, sizeof first);
        assert_string_equal(r->out, first);
    }
    assert_true(simprof_has(first, ",txn,caller,worker\n"));
}

static void what_may_have_been_meant_is_told(void **state)
{
    const char *path = scratch_path();

    (void)state;
    mkexp_sampled(path);
    assert_true(simprof_has(simprof_run("functoins", path)->err,
                            "functoins: no such report, and no experiment; did "
                            "you mean functions?"));
    assert_true(
        simprof_has(simprof_run("help call-tree", "")->err,
                    "call-tree: no such report; did you mean calltree"));
}

/* Of two words the one is named that is no experiment, wherever it stands. */
static void the_wrong_word_is_told(void **state)
{
    const char *path = scratch_path();
    char arguments[2048];

    (void)state;
    mkexp_sampled(path);
    assert_true(simprof_has(simprof_run("locks journal", path)->err,
                            "nothing beside an experiment, not journal"));
    snprintf(arguments, sizeof arguments, "locks %s", path);
    assert_true(simprof_has(simprof_run(arguments, "journal")->err,
                            "nothing beside an experiment, not journal"));
    assert_true(simprof_has(simprof_run(arguments, path)->err,
                            "one experiment at a time, not also "));
    assert_int_equal(simprof_run(arguments, "journal")->status, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_fits_a_terminal),
        cmocka_unit_test(words_stand_in_any_order),
        cmocka_unit_test(what_may_have_been_meant_is_told),
        cmocka_unit_test(the_wrong_word_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
