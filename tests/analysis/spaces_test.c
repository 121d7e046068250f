/* spaces_test.c - one address in several processes: which function it is
 * depends on whose it is, and when (tools/analysis/experiment/spaces.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/experiment/recording.h"

#define AT 0x50040u /* in what each process has at 0x50000 */

/* Process 10, threads 10 and 11, has thread_start there, from 5000 on txn;
 * process 20 has txn from 2000 on. */
static void make(const char *path)
{
    static const uint32_t pcs[] = {AT, 0};
    struct mkexp *m = mkexp_new(path);
    char elf[400];

    snprintf(elf, sizeof elf, "%s.elf", path);
    mkexp_program(m, elf);
    mkexp_space(m, 1, AT & ~0xFFu, FN_thread_start);
    mkexp_space(m, 2, AT & ~0xFFu, FN_txn);
    mkexp_task(m, 10, 10, "first");
    mkexp_task(m, 11, 10, "thread");
    mkexp_task(m, 20, 20, "second");
    mkexp_owns(m, 5000, 10, 2); /* another processor may tell it later */
    mkexp_owns(m, 1000, 10, 1);
    mkexp_owns(m, 2000, 20, 2);
    mkexp_profile(m, 0, 1500, 10, 0, 1000, 0, pcs);
    mkexp_profile(m, 1, 3000, 20, 0, 1000, 0, pcs);
    mkexp_profile(m, 0, 4000, 11, 0, 1000, 0, pcs);
    mkexp_profile(m, 0, 6000, 11, 0, 1000, 0, pcs);
    mkexp_close(m, 1);
}

static void whose_address_decides(void **state)
{
    static const struct {
        uint32_t thread;
        uint64_t at;
        const char *name;
    } want[] = {
        {10, 500, "<Unknown>"},     {10, 1000, "thread_start"},
        {11, 4999, "thread_start"}, {10, 5000, "txn"},
        {11, 9000, "txn"},          {20, 1999, "<Unknown>"},
        {20, 2000, "txn"},          {99, 3000, "<Unknown>"},
        {0, 999, "<Unknown>"},      {0, 1500, "thread_start"},
        {0, 2000, "txn"},
    };
    struct recording r;
    const char *path = scratch_path();
    char why[200];

    (void)state;
    make(path);
    assert_true(recording_open(&r, path, why, sizeof why));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        loadmap_thread(&r.map, want[i].thread);
        assert_string_equal(
            loadmap_name(&r.map, loadmap_find(&r.map, AT, want[i].at).function),
            want[i].name);
        assert_string_equal(
            loadmap_name(
                &r.map,
                loadmap_find(&r.map, MKEXP_PC(worker, 8), want[i].at).function),
            "worker");
    }
    recording_close(&r);
}

static void the_record_that_was_read_last_says_whose(void **state)
{
    static const char *const want[] = {"thread_start", "txn", "thread_start",
                                       "txn"};
    const char *path = scratch_path();
    char why[200];
    struct recording r;
    struct recfile f;
    struct record k;
    unsigned n = 0;

    (void)state;
    make(path);
    assert_true(recording_open(&r, path, why, sizeof why));
    assert_true(recording_records(&r, REC_PROFILE, &f));
    for (; recfile_next(&f, &k); n++)
        assert_string_equal(
            loadmap_name(&r.map, loadmap_find(&r.map, AT, k.cycle).function),
            want[n]);
    assert_int_equal(n, 4);
    recording_done(&r, &f);
    assert_int_equal(r.map.thread, 0);
    recording_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whose_address_decides),
        cmocka_unit_test(the_record_that_was_read_last_says_whose),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
