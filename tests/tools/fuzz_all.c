/* fuzz_all.c - 100000 broken experiments, other ones than fuzz_test.c has.
 * EXPFUZZ=SEED,COUNT in the environment chooses. timeout: 1200 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/expfuzz.h"

static void many_broken_experiments_are_survived(void **state)
{
    const char *chosen = getenv("EXPFUZZ");
    uint64_t first = 1000000, count = 100000;

    (void)state;
    if (chosen && sscanf(chosen, "%" SCNu64 ",%" SCNu64, &first, &count) != 2)
        fail_msg("EXPFUZZ=%s: must be SEED,COUNT", chosen);
    assert_true(expfuzz(first, count, 1000) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_broken_experiments_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
