/* compare_test.c - two runs side by side: changes are right, add up, and
 * nothing is lost between the two. timeout: 60 s */
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

/* Arguments, the sampled experiment as base, and it again or the other. */
static const struct simprof *run(const char *arguments, bool same)
{
    static char text[1600];
    char base[700], other[700];

    snprintf(base, sizeof base, "%s", scratch_path());
    mkexp_sampled(base);
    snprintf(other, sizeof other, "%s", scratch_path());
    if (same) {
        mkexp_sampled(other);
    } else {
        static const uint32_t stack[] = {MKEXP_PC(sched, 0), 0};
        struct mkexp *m = mkexp_new(other);
        char elf[800];

        snprintf(elf, sizeof elf, "%s/program", other);
        mkexp_program(m, elf);
        mkexp_say(m, "profile 0 cycles 1000");
        mkexp_profile(m, 0, 1000, 10, 0, 1500, 0, stack);
        mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0), 2, MKEXP_END * 12ull);
        mkexp_oracle(m, 1, MKEXP_END, MKEXP_PC(sched, 0), 2, MKEXP_END * 12ull);
        mkexp_close(m, 1);
    }
    snprintf(text, sizeof text, "compare %s '%s'", arguments, base);
    return simprof_run(text, other);
}

static void nothing_changed_between_a_run_and_itself(void **state)
{
    const struct simprof *r = run("--csv", true);

    (void)state;
    assert_int_equal(r->status, 0);
    simprof_expect(r->out, "200000,200000,0,7010,7010,0,300,300,0,<Total>");
    simprof_expect(r->out, "58334,58334,0,4000,4000,0,200,200,0,txn");
}

static void changes_add_up_and_the_largest_stands_first(void **state)
{
    const struct simprof *r = run("--csv", false);

    (void)state;
    assert_string_equal(
        r->out, "excl_exact_before,excl_exact_after,excl_exact_change,"
                "excl_cycles_before,excl_cycles_after,excl_cycles_change,"
                "function\n"
                "200000,200000,0,7010,1500,-5510,<Total>\n"
                "121563,0,-121563,0,0,0,<napping>\n"
                "0,100000,100000,0,1500,1500,sched\n"
                "58334,100000,41666,4000,0,-4000,txn\n"
                "20000,0,-20000,2000,0,-2000,producer\n"
                "100,0,-100,0,0,0,<parked>\n"
                "3,0,-3,0,0,0,<Unknown>\n"
                "0,0,0,1010,0,-1010,mutex_lock\n");
    r = run("--limit=1 --csv --metrics=e+exact", false);
    assert_string_equal(r->out,
                        "excl_exact_before,excl_exact_after,excl_exact_change,"
                        "function\n"
                        "200000,200000,0,<Total>\n"
                        "121563,0,-121563,<napping>\n"
                        "78437,200000,121563,<all others>\n");
}

static void text_shows_signs(void **state)
{
    const struct simprof *r = run("", false);

    (void)state;
    simprof_expect(r->out, "121,563        .  -121,563  <napping>");
    simprof_expect(r->out, "      .  100,000  +100,000  sched");
}

static void what_cannot_be_compared_is_refused(void **state)
{
    const char *path;
    const struct simprof *r = run("--metrics=e.exact", true);

    (void)state;
    assert_int_equal(r->status, 2);
    assert_true(simprof_has(r->err, "compare takes counts"));
    r = run("--metrics=e+dcache_miss", false);
    assert_int_equal(r->status, 2);
    assert_true(simprof_has(r->err, "e+dcache_miss: no metric"));
    path = scratch_path();
    mkexp_sampled(path);
    r = simprof_run("compare", path);
    assert_int_equal(r->status, 2);
    r = simprof_run("compare /nowhere.exp", path);
    assert_int_equal(r->status, 2);
    assert_true(simprof_has(r->err, "/nowhere.exp: No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed_between_a_run_and_itself),
        cmocka_unit_test(changes_add_up_and_the_largest_stands_first),
        cmocka_unit_test(text_shows_signs),
        cmocka_unit_test(what_cannot_be_compared_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
