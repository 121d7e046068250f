/* objects_test.c - threads, CPUs, time, expressions and reasons: simprof on
 * the sampled experiment of tests/lib/mkexp.c. timeout: 60 s */
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

#define COLUMNS " --csv --metrics=e+exact:e+cycles:e+dcache_miss"

static const struct simprof *run(const char *arguments)
{
    const char *path = scratch_path();

    mkexp_sampled(path);
    return simprof_run(arguments, path);
}

/* ANA-90: tables by CPU, thread and time have the same total. */
static void threads_have_their_samples(void **state)
{
    (void)state;
    assert_string_equal(run("threads" COLUMNS)->out,
                        "excl_exact,excl_cycles,excl_dcache_miss,thread\n"
                        "200000,7010,300,<Total>\n"
                        "100,0,0,<parked>\n"
                        "121563,0,0,<napping>\n"
                        "78337,0,0,<no thread>\n"
                        "0,5010,200,worker 0 (thread 10)\n"
                        "0,2000,100,producer (thread 12)\n");
}

static void cpus_have_every_cycle_once(void **state)
{
    (void)state;
    assert_string_equal(run("cpus" COLUMNS)->out,
                        "excl_exact,excl_cycles,excl_dcache_miss,CPU\n"
                        "200000,7010,300,<Total>\n"
                        "100000,5010,200,CPU 0\n"
                        "100000,2000,100,CPU 1\n");
}

/* The oracle's one interval ends at 100000: it is of the step before. */
static void time_goes_in_steps(void **state)
{
    const struct simprof *r = run("seconds --step=50000" COLUMNS);

    (void)state;
    assert_string_equal(r->out,
                        "excl_exact,excl_cycles,excl_dcache_miss,from_cycle\n"
                        "200000,7010,300,<Total>\n"
                        "0,4010,200,0\n"
                        "200000,3000,100,50000\n");
    r = run("seconds");
    assert_true(simprof_has(r->out, "from the start (cycle 0)"));
    /* A short run goes in tenths or less. */
    r = run("seconds" COLUMNS);
    assert_string_equal(r->out,
                        "excl_exact,excl_cycles,excl_dcache_miss,from_cycle\n"
                        "200000,7010,300,<Total>\n"
                        "0,4010,200,0\n"
                        "0,2000,100,50000\n"
                        "0,1000,0,80000\n"
                        "200000,0,0,90000\n");
    r = run("seconds --step=0");
    assert_int_equal(r->status, 2);
}

static void an_expression_makes_rows(void **state)
{
    const struct simprof *r = run("indxobj --index='depth * 10 + cpu'" COLUMNS);

    (void)state;
    assert_string_equal(
        r->out, "excl_exact,excl_cycles,excl_dcache_miss,depth * 10 + cpu\n"
                "200000,7010,300,<Total>\n"
                "200000,0,0,<Unknown>\n" /* the oracle has no depth */
                "0,1000,0,11 (0xb)\n"
                "0,1000,0,21 (0x15)\n"
                "0,3000,200,30 (0x1e)\n"
                "0,0,100,31 (0x1f)\n"
                "0,1010,0,40 (0x28)\n"
                "0,1000,0,50 (0x32)\n");
    r = run("indxobj --index='depth - 4' --csv --metrics=e+cycles");
    simprof_expect(r->out, "3000,<Unknown>"); /* -1 is nobody's number */
    r = run("indxobj");
    assert_int_equal(r->status, 2);
    r = run("indxobj --index='depth depth'");
    assert_int_equal(r->status, 2);
    assert_true(simprof_has(r->err, "  depth depth\n        ^"));
}

/* Where rows are left out, those with the least are. */
static void the_largest_rows_are_kept(void **state)
{
    const struct simprof *r = run("indxobj --index=depth --csv --limit=2 "
                                  "--metrics=e+cycles");

    (void)state;
    assert_string_equal(r->out, "excl_cycles,depth\n"
                                "7010,<Total>\n"
                                "3000,3 (0x3)\n"
                                "1010,4 (0x4)\n"
                                "3000,<all others>\n");
    assert_true(
        simprof_has(run("threads --csv --limit=1 --metrics=e+cycles")->out,
                    "5010,worker 0 (thread 10)\n2000,<all others>"));
}

/* Twelfths that are whole cycles only together. */
static void rounded_rows_add_up(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    const struct simprof *r;
    uint64_t sum = 0;

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        mkexp_oracle(m, i % 2, MKEXP_END, 0x1000 + 4 * i, 2, 7);
    mkexp_oracle(m, 0, MKEXP_END, 0x2000, 2, MKEXP_END * 12ull - 21);
    mkexp_oracle(m, 1, MKEXP_END, 0x2000, 2, MKEXP_END * 12ull - 14);
    mkexp_close(m, 1);
    r = simprof_run("indxobj --index=pc --csv --metrics=e+exact", path);
    simprof_expect(r->out, "200000,<Total>");
    for (const char *s = strchr(strchr(r->out, '\n') + 1, '\n') + 1; *s;
         s = strchr(s, '\n') + 1)
        sum += strtoull(s, NULL, 10);
    assert_int_equal(sum, 200000);
}

/* ---- reasons ------------------------------------------------------------- */

static void cpi_has_every_cycle_by_function_and_reason(void **state)
{
    const struct simprof *r = run("cpi --csv");
    uint64_t total = 0, sum = 0;

    (void)state;
    simprof_expect(r->out, "txn,complete,50001,0");
    simprof_expect(r->out, "txn,dmiss,8333,0");
    for (const char *s = strchr(r->out, '\n') + 1; *s;
         s = strchr(s, '\n') + 1) {
        const char *cell = strchr(strchr(s, ',') + 1, ',') + 1;

        *(strncmp(s, "<Total>", 7) ? &sum : &total) += strtoull(cell, NULL, 10);
    }
    assert_int_equal(total, 200000);
    assert_int_equal(sum, total);
}

/* 90000 instructions; 200000 cycles less 121563 napped and 100 parked. */
static void cpi_leaves_idle_cycles_out(void **state)
{
    const struct simprof *r = run("cpi");

    (void)state;
    simprof_expect(r->out, "200,000  100.0%  0.870  <Total>    nap 60.8%, "
                           "complete 35.0%, dmiss 4.2%");
    simprof_expect(r->out, " 58,334   29.2%         txn        complete "
                           "85.7%, dmiss 14.3%");
    r = run("cpi txn");
    simprof_expect(r->out, "50,001   85.7%       complete  completed one to "
                           "four instructions, which share");
    r = run("cpi nobody");
    assert_int_equal(r->status, 2);
}

static void sampled_instructions_give_functions_a_cpi(void **state)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0x10), 0};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    const struct simprof *r;
    char elf[700];

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 0 insn_completed 1000");
    mkexp_profile(m, 0, 10, 10, 0, 1000, 0, stack);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0x10), 2, 2500 * 12);
    mkexp_close(m, 1);
    r = simprof_run("cpi", path);
    simprof_expect(r->out, " 2,500  100.0%  2.500  txn       complete 100.0%");
}

/* ---- at a glance --------------------------------------------------------- */

static void overview_names_what_has_the_most(void **state)
{
    const struct simprof *r = run("overview");

    (void)state;
    simprof_expect(r->out, "100,000    58.3%    41.7%    0.0%  CPU 0");
    simprof_expect(r->out, "exact        200,000        .  txn, 29.2%");
    simprof_expect(r->out, "cycles         7,010        7  txn, 57.1%");
    simprof_expect(r->out, "dcache_miss      300        3  txn, 66.7%");
}

static void metrics_lists_what_can_be_asked(void **state)
{
    const struct simprof *r = run("metrics --csv");

    (void)state;
    simprof_expect(r->out, "dcache_miss,e i a,+ %,300,0,3,100,data cache lines "
                           "requested from the bus");
    r = run("metrics");
    assert_true(simprof_has(r->out, "\ntruncated     1 if the stack"));
}

static void header_is_info(void **state)
{
    const char *path = scratch_path();
    static char first[SIMPROF_TEXT];

    (void)state;
    mkexp_sampled(path);
    strcpy(first, simprof_run("info", path)->out);
    assert_string_equal(simprof_run("header", path)->out, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_their_samples),
        cmocka_unit_test(cpus_have_every_cycle_once),
        cmocka_unit_test(time_goes_in_steps),
        cmocka_unit_test(an_expression_makes_rows),
        cmocka_unit_test(the_largest_rows_are_kept),
        cmocka_unit_test(rounded_rows_add_up),
        cmocka_unit_test(cpi_has_every_cycle_by_function_and_reason),
        cmocka_unit_test(cpi_leaves_idle_cycles_out),
        cmocka_unit_test(sampled_instructions_give_functions_a_cpi),
        cmocka_unit_test(overview_names_what_has_the_most),
        cmocka_unit_test(metrics_lists_what_can_be_asked),
        cmocka_unit_test(header_is_info),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
