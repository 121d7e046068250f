/* lives_test.c - when a program ran, by its threads' names and ends
 * (tools/analysis/experiment/lives.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/experiment/lives.h"

#define EVER UINT64_MAX

/* Process 10 is the shell to 1000, and then work, with a second thread from
 * 2000 on, which outlives the first one; its number 11 comes back at 9000, of
 * another process. 30 is never switched away from; 40 has all letters that a
 * Linux kernel keeps. */
static const char *made(void)
{
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);

    mkexp_task(m, 1, 0, "idle");
    mkexp_task(m, 10, 10, "shell");
    mkexp_renamed(m, 1000, 10, 10, "work");
    mkexp_renamed(m, 2000, 11, 10, "work");
    mkexp_renamed(m, 9000, 11, 20, "other");
    mkexp_renamed(m, 3000, 30, 30, "stays");
    mkexp_renamed(m, 4000, 40, 40, "fifteen_letters");
    mkexp_switch(m, 0, 3500, 10, 1);
    mkexp_ends(m, 0, 5000, 10, 1);
    mkexp_ends(m, 1, 6000, 11, 1);
    mkexp_ends(m, 1, 7000, 40, 1);
    mkexp_ends(m, 1, 9500, 11, 1);
    mkexp_close(m, 1);
    return path;
}

static void a_program_lives_from_its_first_thread_to_its_last(void **state)
{
    static const struct {
        const char *name;
        uint64_t from, to;
    } want[] = {
        {"shell", 0, 1000},
        {"work", 1000, 6000},
        {"10", 0, 6000},
        {"other", 9000, 9500},
        {"20", 9000, 9500},
        {"stays", 3000, EVER},
        {"fifteen_letters", 4000, 7000},
        {"fifteen_letters_and_more", 4000, 7000},
    };
    static const char *const none[] = {"wor", "work_and_more", "11", "",
                                       "fifteen_letter"};
    struct recording r;
    struct life life;
    char why[200];

    (void)state;
    assert_true(recording_open(&r, made(), why, sizeof why));
    recording_within(&r, 100, 200);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        if (!lives_find(&r, want[i].name, &life))
            fail_msg("%s: not there", want[i].name);
        if (life.from != want[i].from || life.to != want[i].to)
            fail_msg("%s: from %lu to %lu", want[i].name,
                     (unsigned long)life.from, (unsigned long)life.to);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (lives_find(&r, none[i], &life))
            fail_msg("%s: it is there", none[i]);
    recording_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_lives_from_its_first_thread_to_its_last),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
