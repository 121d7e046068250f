/* states_test.c - G-N1 as simprof statistics prints it: what a clock counted in
 * the micro-states of a thread, 1 to 10 intervals each, as times of a profile.
 * timeout: 60 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"

#define THREAD 10
#define INTERVAL 1000u

#define CALL 0xc00u
#define TEXT 0x400u
#define DATA 0x300u
#define CLOCK_TICK 0x900u

/* So many intervals of each, the first from the middle of one on; before, the
 * thread left its program by that exception, 0: it has not come back. */
static const struct {
    uint32_t state, vector;
    unsigned intervals;
} passed[] = {
    {STATE_USER, 0, 1},
    {STATE_SYSTEM, CALL, 2},
    {STATE_SYSTEM, CLOCK_TICK, 3},
    {STATE_PAGE, TEXT, 4},
    {STATE_IO, DATA, 5},
    {STATE_PAGE, CALL, 6},
    {STATE_LOCK, 0, 7},
    {STATE_TIMER, 0, 8},
    {STATE_STOPPED, 0, 9},
    {STATE_RUNNABLE, 0, 10},
};

static void g_n1_ten_states_are_seven_times(void **state)
{
    const char *path = scratch_path(), *line;
    struct mkexp *m = mkexp_new(path);
    uint64_t at = INTERVAL / 2;

    (void)state;
    for (size_t n = 0; n < sizeof passed / sizeof passed[0]; n++) {
        if (passed[n].vector) {
            mkexp_state(m, 0, at, THREAD, STATE_USER, 0, 0);
            mkexp_waits(m, 0, at, THREAD, STATE_SYSTEM, OBJECT_EXCEPTION,
                        passed[n].vector, 0, 0);
        }
        if (passed[n].state != STATE_SYSTEM)
            mkexp_state(m, 0, at, THREAD, passed[n].state, 0, 0);
        at += passed[n].intervals * INTERVAL;
    }
    assert_true(at + 100 < MKEXP_END);
    mkexp_state(m, 0, at, THREAD, STATE_USER, 0, 0);
    mkexp_state(m, 0, at + 100, THREAD, STATE_ENDED, 0, 0);
    mkexp_close(m, 1);
    line = strstr(simprof_run("statistics --csv --clock=1000", path)->out,
                  ",thread,10,");
    assert_non_null(line);
    line = strchr(line + strlen(",thread,10,"), ',');
    assert_non_null(line);
    /* user, system, wait CPU, lock, text fault, data fault, other wait; apart;
     * lost */
    assert_string_equal(line, ",1000,5000,10000,7000,4000,5000,23000,0.2,0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(g_n1_ten_states_are_seven_times),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
