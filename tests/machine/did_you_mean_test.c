/* did_you_mean_test.c - which names are near one that does not exist, and in
 * which order they are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "lib/base/did_you_mean.h"

/* What is said of `wanted` where the names of a list, ended by NULL, are. */
static const char *said(const char *wanted, const char *const *name)
{
    static char out[DID_YOU_MEAN_TEXT];
    struct did_you_mean n;

    did_you_mean_begin(&n, wanted);
    while (*name)
        did_you_mean_offer(&n, *name++);
    return did_you_mean_text(&n, out);
}

static void slips_of_a_few_letters_are_near(void **state)
{
    static const char *const name[] = {"cycles", "insn_completed",
                                       "dcache_miss", "icache_miss", NULL};

    (void)state;
    assert_string_equal(said("cylces", name), "; did you mean cycles?");
    assert_string_equal(said("CYCLES", name), "; did you mean cycles?");
    assert_string_equal(said("dcache_mis", name),
                        "; did you mean dcache_miss or icache_miss?");
    assert_string_equal(said("bus", name), "");
    assert_string_equal(said("", name), "");
}

/* What begins with it, what holds it, what it holds. */
static void parts_of_names_are_near(void **state)
{
    static const char *const name[] = {"my_lock",  "lock",  "lock_take",
                                       "unlocked", "other", NULL};

    (void)state;
    assert_string_equal(said("lock", name),
                        "; did you mean lock, lock_take, my_lock or unlocked?");
    assert_string_equal(said("lock_taken_twice", name),
                        "; did you mean lock_take or lock?");
}

/* However they were offered, and each once. */
static void the_best_five_are_told(void **state)
{
    static const char *const up[] = {"a1", "a2", "a3", "a4", "a5",
                                     "a6", "a6", "ab", NULL};
    static const char *const down[] = {"ab", "a6", "a5", "a4", "a3",
                                       "a3", "a2", "a1", NULL};

    (void)state;
    assert_string_equal(said("aa", up), "; did you mean a1, a2, a3, a4 or a5?");
    assert_string_equal(said("aa", down),
                        "; did you mean a1, a2, a3, a4 or a5?");
}

static void names_of_any_length_fit(void **state)
{
    static char wide[3000];
    const char *name[] = {wide, NULL};

    (void)state;
    memset(wide, 'x', sizeof wide - 1);
    assert_true(strlen(said("xxxx", name)) < DID_YOU_MEAN_TEXT);
    assert_true(strlen(said(wide, name)) < DID_YOU_MEAN_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_of_a_few_letters_are_near),
        cmocka_unit_test(parts_of_names_are_near),
        cmocka_unit_test(the_best_five_are_told),
        cmocka_unit_test(names_of_any_length_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
