/* probes_test.c - simprof active on the probes and switches of an experiment
 * (ACT-08, ACT-12, ACT-35, ACT-37, ACT-41). Runs $BUILD/simprof.
 *
 * Thread 10 goes from CPU 0 to CPU 1 within its second call of txn:
 *   txn 1,000 to 5,000, mutex_lock 2,000 to 3,000 in it, nobody else runs
 *   txn 19,000 to 22,000, out from 20,000 to 21,000
 * Each entry costs 7, each exit 5. timeout: 60 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

#include "pmu/oracle.h"
#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"

static char text[1 << 16];
static int status;

static void call(struct mkexp *m, unsigned cpu, uint64_t from, uint64_t to,
                 uint32_t function)
{
    mkexp_probe(m, cpu, from, 10, PROBE_ENTER, function, 7);
    mkexp_probe(m, cpu, to, 10, PROBE_LEAVE, function, 5);
}

static const char *experiment(void)
{
    static char path[600];
    char elf[700];
    struct mkexp *m;

    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle 0");
    mkexp_thread(m, 2, THREAD_IS_IDLE, "idle 1");
    mkexp_thread(m, 10, THREAD_IS_APP, "worker");
    mkexp_switch(m, 0, 500, 1, 10);
    mkexp_switch(m, 0, 20000, 10, 1);
    mkexp_switch(m, 1, 21000, 2, 10);
    call(m, 0, 1000, 5000, MKEXP_PC(txn, 0));
    call(m, 0, 2000, 3000, MKEXP_PC(mutex_lock, 0));
    call(m, 1, 19000, 22000, MKEXP_PC(txn, 0));
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(idle_loop, 0), REASON_nap, 1000);
    mkexp_close(m, 1);
    return path;
}

static void simprof(const char *arguments, const char *path)
{
    char command[2048];
    FILE *f;

    snprintf(command, sizeof command, "'%s/simprof' %s '%s' 2>&1",
             getenv("BUILD") ? getenv("BUILD") : "build", arguments, path);
    f = popen(command, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    status = WEXITSTATUS(pclose(f));
}

static void expect(const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text);
}

static void every_portion_in_every_thread(void **state)
{
    (void)state;
    simprof("active --csv", experiment());
    assert_int_equal(status, 0);
    /* txn: 4000 - 7 - 7 - 5, of which mutex_lock 993; 3000 - 1000 - 7 */
    expect("\n2,7000,1000,26,5974,4981,1993,3981,10,txn,function\n");
    expect("\n1,1000,0,7,993,993,993,993,10,mutex_lock,function\n");
}

static void one_function_with_lists_and_calls(void **state)
{
    (void)state;
    simprof("active --function=txn --thread=10", experiment());
    assert_int_equal(status, 0);
    expect("swapped out: 20,000 to 21,000 (1,000)\n");
    expect("overhead: 1,000 to 1,007, 2,000 to 2,007, 3,000 to 3,005, 19,000 "
           "to 19,007 (26)\n");
    expect("7,000 elapsed - 1,000 swapped out - 26 overhead = 5,974 cycles "
           "active\n");
    /* 21,000 from first to last: 500 of them with nothing between */
    expect("21,000 elapsed, 1,000\nswapped out, 19,969 active.");
    simprof("active --function=txn --csv", experiment());
    expect("\n1000,5000,4000,0,19,3981,2988,10,txn,function,0\n"
           "19000,22000,3000,1000,7,1993,1993,10,txn,function,0\n");
}

/* The histogram's rows hold every call. */
static void a_histogram_of_calls(void **state)
{
    (void)state;
    simprof("active --function=txn", experiment());
    expect(" 1,024  2,048      1  ####");
    expect(" 2,048  4,096      1  ####");
}

/* The oracle saw txn for 600007 + 100000 twelfths in thread 0 of the standard
 * experiment; the call of thread 0 covers 1,676 more.  */
static void the_oracle_beside_it(void **state)
{
    static char path[600];
    char elf[700];
    struct mkexp *m;

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle 0");
    mkexp_switch(m, 0, 1, 1, 0);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0x10), REASON_complete, 600007);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0x14), REASON_dmiss, 100000);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(sched, 0x14), REASON_dmiss, 5000);
    mkexp_probe(m, 0, 1000, 0, PROBE_ENTER, MKEXP_PC(txn, 0), 10);
    mkexp_probe(m, 0, 61010, 0, PROBE_LEAVE, MKEXP_PC(txn, 0), 10);
    mkexp_close(m, 1);
    simprof("active --function=txn --width=400", path);
    assert_int_equal(status, 0);
    /* 60,010 elapsed; the oracle cannot tell the probe's 10 from txn's */
    expect("with 58,334 cycles. Exclusive active time is 60,000, what probes "
           "cost in it 10: residual +1,676 cycles (2.9%)");
}

/* Sections: 1 "outer" around 2 "inner", which is left by a long jump the first
 * time and belongs to the same thread on another CPU the second; a third
 * never ends. The machine's own word differs by 5 for one outer call. */
static const char *sections(void)
{
    static char path[600];
    char elf[700];
    struct mkexp *m;

    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "section 1 outer");
    mkexp_say(m, "section 2 inner");
    mkexp_thread(m, 10, THREAD_IS_APP, "worker");
    mkexp_switch(m, 0, 500, 1, 10);
    mkexp_switch(m, 0, 20000, 10, 1);
    mkexp_switch(m, 1, 21000, 2, 10);
    mkexp_judged(m, 0, 1000, 10, PROBE_BEGIN, 1, 1, 500);
    mkexp_judged(m, 0, 1100, 10, PROBE_BEGIN, 2, 1, 600);
    mkexp_judged(m, 0, 1500, 10, PROBE_END, 1, 1, 1005);
    mkexp_judged(m, 0, 19000, 10, PROBE_BEGIN, 1, 1, 18500);
    mkexp_judged(m, 0, 19500, 10, PROBE_BEGIN, 2, 1, 19000);
    mkexp_judged(m, 1, 21500, 10, PROBE_END, 2, 1, 20000);
    mkexp_judged(m, 1, 22000, 10, PROBE_END, 1, 1, 20500);
    mkexp_judged(m, 1, 23000, 10, PROBE_BEGIN, 3, 1, 21500);
    mkexp_close(m, 1);
    return path;
}

static void sections_are_portions_of_their_own(void **state)
{
    const char *path = sections();

    (void)state;
    simprof("active --csv", path);
    /* outer: 500 - 2 and 3,000 - 1,000 - 3, of which inner 999 */
    expect("\n2,3500,1000,5,2495,1496,498,1997,10,outer,section\n");
    expect("\n1,2000,1000,1,999,999,999,999,10,inner,section\n");
    simprof("active --section=outer --csv", path);
    expect("\n1000,1500,500,0,2,498,498,10,outer,section,0,505,-5\n"
           "19000,22000,3000,1000,3,1997,998,10,outer,section,0,2000,0\n");
    simprof("active --section=outer --width=400", path);
    expect("ran 2,505 cycles in 2 calls; active and overhead are 2,500: "
           "residual -5 cycles (0.2%). 1 of the calls agree to the cycle; the "
           "most between the two in one is 5.");
    expect("1 calls had not ended");
    expect("0 ends without a begin and 1 begins without an end");
    simprof("active --section=3", path); /* the log does not name it */
    expect("No call of 3 was recorded whole");
    simprof("active --function=outer", path);
    assert_int_not_equal(status, 0);
    expect("\"outer\" is a section: --section=outer");
}

/* Calls belong to where they begin; what other probes cost is still known. */
static void a_part_of_the_calls(void **state)
{
    const char *path = sections();

    (void)state;
    simprof("active --csv --from=10000", path);
    expect("\n1,3000,1000,3,1997,998,1997,1997,10,outer,section\n");
    simprof("active --csv --to=10000", path);
    expect("\n1,500,0,2,498,498,498,498,10,outer,section\n");
    simprof("active --csv --cpu=1", path);
    if (strstr(text, "outer"))
        fail_msg("nothing begins on CPU 1:\n%s", text);
    simprof("active --csv --filters='kind==\"probe\" && cpu==0 && cycle<1050'",
            path);
    expect("\n1,500,0,2,498,498,498,498,10,outer,section\n");
    if (strstr(text, "inner"))
        fail_msg("inner began later:\n%s", text);
    simprof("active --csv --filters='events>3'", path);
    if (strstr(text, "outer"))
        fail_msg("a probe has no events:\n%s", text);
}

static void what_is_asked_wrongly_is_refused(void **state)
{
    (void)state;
    simprof("active --function=nothing", experiment());
    assert_int_not_equal(status, 0);
    expect("no probe says \"nothing\"");
    simprof("active --thread=me", experiment());
    assert_int_not_equal(status, 0);
    expect("--thread=me: must be the number of a thread");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_portion_in_every_thread),
        cmocka_unit_test(one_function_with_lists_and_calls),
        cmocka_unit_test(a_histogram_of_calls),
        cmocka_unit_test(the_oracle_beside_it),
        cmocka_unit_test(sections_are_portions_of_their_own),
        cmocka_unit_test(a_part_of_the_calls),
        cmocka_unit_test(what_is_asked_wrongly_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
