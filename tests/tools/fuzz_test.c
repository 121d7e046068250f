/* fuzz_test.c - 4000 broken experiments: no crash, no hang, no exit status
 * that is not documented. timeout: 240 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/lib/expfuzz.h"

static void broken_experiments_are_survived(void **state)
{
    uint64_t opened = expfuzz(1, 4000, 200);

    (void)state;
    assert_true(opened > 3000); /* most damage leaves something to read */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_experiments_are_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
