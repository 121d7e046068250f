/* reader_test.c - the reader of experiments takes nothing on trust: every
 * intact record comes out, whatever stands around it, and what is wrong is
 * said. timeout: 60 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/experiment/recording.h"

/* ---- helpers ------------------------------------------------------------- */

static const char *fresh(char path[600])
{
    snprintf(path, 600, "%s", scratch_path());
    mkexp_standard(path);
    return path;
}

static unsigned char *load(const char *exp, const char *file, size_t *size)
{
    static unsigned char bytes[1 << 16];
    char path[700];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", exp, file);
    f = fopen(path, "rb");
    assert_non_null(f);
    *size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    return bytes;
}

static void store(const char *exp, const char *file, const void *bytes,
                  size_t size)
{
    char path[700];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", exp, file);
    unlink(path); /* a new file: truncating one waits for the disk */
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

struct found {
    uint64_t records, skipped, places, nonsense, tail;
    uint64_t sum; /* of the cycles */
};

static struct found read_kind(const char *exp, unsigned kind)
{
    struct found found = {0};
    uint32_t version;
    struct record r;
    struct recfile f;
    int dir = open(exp, O_RDONLY | O_DIRECTORY);

    assert_int_equal(recfile_open(&f, dir, kind, 2, &version), RECFILE_OK);
    while (recfile_next(&f, &r)) {
        found.records++;
        found.sum += r.cycle;
    }
    found.skipped = f.skipped;
    found.places = f.places;
    found.nonsense = f.nonsense;
    found.tail = f.tail;
    recfile_close(&f);
    close(dir);
    return found;
}

static bool complains(const struct recording *r, const char *word)
{
    for (size_t i = 0; i < r->problems.count; i++)
        if (strstr(r->problems.list[i].text, word))
            return true;
    return false;
}

/* ---- records ------------------------------------------------------------- */

static void sound_file_gives_every_record(void **state)
{
    char exp[600];
    struct found f = read_kind(fresh(exp), REC_SWITCH);

    (void)state;
    assert_int_equal(f.records, 16);
    assert_int_equal(f.skipped + f.nonsense + f.tail, 0);
}

/* Records of 32 bytes and of 40 behind a header of 32. */
static void cut_at_every_byte_gives_all_complete_records(void **state)
{
    static const unsigned kinds[] = {REC_ORACLE, REC_SWITCH, REC_THREAD,
                                     REC_STAT, REC_IDLE};
    static unsigned char whole[1 << 16];
    char exp[600];

    (void)state;
    fresh(exp);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const char *name = recfile_name(kinds[k]);
        size_t size, end = REC_FILE_HEADER, complete = 0;

        memcpy(whole, load(exp, name, &size), sizeof whole);
        for (size_t cut = REC_FILE_HEADER; cut <= size; cut++) {
            struct found f;

            while (end < size &&
                   cut >= end + whole[end] + 256u * whole[end + 1]) {
                end += whole[end] + 256u * whole[end + 1];
                complete++;
            }
            store(exp, name, whole, cut);
            f = read_kind(exp, kinds[k]);
            assert_int_equal(f.records, complete);
            assert_int_equal(f.tail, cut - end);
            assert_int_equal(f.skipped + f.nonsense, 0);
        }
        assert_int_equal(end, size);
    }
}

static void garbage_in_the_middle_is_stepped_over(void **state)
{
    static unsigned char whole[1 << 16];
    char exp[600];
    struct found before, after;
    size_t size;

    (void)state;
    before = read_kind(fresh(exp), REC_SWITCH);
    memcpy(whole, load(exp, "switch.rec", &size), sizeof whole);
    memset(whole + 32 + 2 * 40, 0xA5, 80); /* records 2 and 3 */
    store(exp, "switch.rec", whole, size);
    after = read_kind(exp, REC_SWITCH);
    assert_int_equal(after.records, before.records - 2);
    assert_int_equal(after.sum, before.sum - 30000 - 30100);
    assert_int_equal(after.skipped, 80);
    assert_int_equal(after.places, 1);
}

static void one_broken_size_costs_one_record(void **state)
{
    static unsigned char whole[1 << 16];
    char exp[600];
    struct found f;
    size_t size;

    (void)state;
    fresh(exp);
    memcpy(whole, load(exp, "oracle.rec", &size), sizeof whole);
    whole[32 + 3 * 32] ^= 0x48;
    store(exp, "oracle.rec", whole, size);
    f = read_kind(exp, REC_ORACLE);
    assert_int_equal(f.records, 7);
    assert_int_equal(f.skipped, 32);
}

static void a_cpu_that_is_not_there_is_nonsense(void **state)
{
    static unsigned char whole[1 << 16];
    char exp[600];
    struct found f;
    size_t size;

    (void)state;
    fresh(exp);
    memcpy(whole, load(exp, "switch.rec", &size), sizeof whole);
    whole[32 + 40 + 3] = 2; /* of CPUs 0 and 1 */
    store(exp, "switch.rec", whole, size);
    f = read_kind(exp, REC_SWITCH);
    assert_int_equal(f.records, 15);
    assert_int_equal(f.nonsense, 1);
}

static void a_stack_deeper_than_its_record_is_nonsense(void **state)
{
    static unsigned char whole[1 << 16];
    char exp[600];
    struct found f;
    size_t size;

    (void)state;
    fresh(exp);
    memcpy(whole, load(exp, "idle.rec", &size), sizeof whole);
    whole[32 + 16 + 4 * 4] = 200; /* depth of the first sample */
    store(exp, "idle.rec", whole, size);
    f = read_kind(exp, REC_IDLE);
    assert_int_equal(f.records, 3);
    assert_int_equal(f.nonsense, 1);
}

/* Of every kind with a count: that of the traps, too. */
static void a_trap_deeper_than_its_record_is_nonsense(void **state)
{
    size_t size;
    struct found f;
    char exp[600];
    unsigned char *bytes;

    (void)state;
    snprintf(exp, sizeof exp, "%s", scratch_path());
    mkexp_full(exp);
    bytes = load(exp, "trap.rec", &size);
    bytes[REC_FILE_HEADER + REC_HEADER + 4 * RECORD_AT_trap_depth] = 3;
    store(exp, "trap.rec", bytes, size);
    f = read_kind(exp, REC_TRAP);
    assert_int_equal(f.records, 5);
    assert_int_equal(f.nonsense, 1);
}

/* The file of a simrun to come: each record is 4 words longer. */
static size_t lengthen(const unsigned char *old, size_t size,
                       unsigned char *longer)
{
    size_t used = REC_FILE_HEADER;

    memcpy(longer, old, REC_FILE_HEADER);
    longer[16] = (unsigned char)(old[16] + 4);
    for (size_t at = REC_FILE_HEADER; at < size;) {
        unsigned n = old[at] + 256u * old[at + 1];

        memcpy(longer + used, old + at, n);
        memset(longer + used + n, 0xFF, 16);
        longer[used] = (unsigned char)((n + 16) & 0xFF);
        longer[used + 1] = (unsigned char)((n + 16) >> 8);
        used += n + 16;
        at += n;
    }
    return used;
}

static void words_that_came_later_are_skipped(void **state)
{
    static const unsigned kinds[] = {REC_STAT,   REC_IRQ,    REC_PROBE,
                                     REC_MARK,   REC_TRACED, REC_SWITCH,
                                     REC_PROFILE};
    static unsigned char longer[1 << 16];
    struct found before, after;
    size_t size, used;
    char exp[600];

    (void)state;
    snprintf(exp, sizeof exp, "%s", scratch_path());
    mkexp_full(exp);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const char *name = recfile_name(kinds[k]);
        const unsigned char *old = load(exp, name, &size);

        before = read_kind(exp, kinds[k]);
        used = lengthen(old, size, longer);
        store(exp, name, longer, used);
        after = read_kind(exp, kinds[k]);
        assert_true(before.records >= 6);
        assert_int_equal(after.records, before.records);
        assert_int_equal(after.sum, before.sum);
        assert_int_equal(after.skipped + after.nonsense + after.tail, 0);
        longer[16] = 0; /* and not said to be longer: damage */
        store(exp, name, longer, used);
        after = read_kind(exp, kinds[k]);
        assert_int_equal(after.records, 0);
    }
}

static void a_field_that_a_record_is_too_short_for_has_its_default(void **state)
{
    static const unsigned char payload[4 * PROBE_WORDS] = {PROBE_LEAVE};
    struct record r = {
        .kind = REC_PROBE, .words = PROBE_LEAST, .payload = payload};

    (void)state;
    assert_int_equal(record_get_probe_event(&r), PROBE_LEAVE);
    assert_true(record_get_probe_ran(&r) == PROBE_UNKNOWN);
    r.words = PROBE_WORDS;
    assert_true(record_get_probe_ran(&r) == 0);
}

/* More than one buffer: 40000 records of 32 bytes, some of them broken. */
static void long_files_are_read_through_to_the_end(void **state)
{
    char exp[600];
    struct mkexp *m;
    struct found f;
    FILE *file;
    char path[700];

    (void)state;
    snprintf(exp, sizeof exp, "%s/long.exp", scratch_dir());
    m = mkexp_new(exp);
    for (unsigned i = 0; i < 40000; i++)
        mkexp_oracle(m, i % 2, 1000, MKEXP_PC(txn, 0), 2, 12);
    mkexp_close(m, 0);
    f = read_kind(exp, REC_ORACLE);
    assert_int_equal(f.records, 40000);
    snprintf(path, sizeof path, "%s/oracle.rec", exp);
    file = fopen(path, "r+b");
    assert_non_null(file);
    for (unsigned i = 0; i < 40000; i += 1000) {
        fseek(file, 32 + (long)i * 32, SEEK_SET);
        fwrite("\1\1\1\1\1\1\1\1", 1, 8, file);
    }
    fclose(file);
    f = read_kind(exp, REC_ORACLE);
    assert_int_equal(f.records, 40000 - 40);
    assert_int_equal(f.places, 40);
    assert_int_equal(f.skipped, 40 * 32);
}

/* ---- experiments --------------------------------------------------------- */

static void open_and_expect(const char *exp, struct recording *r)
{
    char why[1024] = "";

    if (!recording_open(r, exp, why, sizeof why))
        fail_msg("%s", why);
}

static void sound_experiment_has_no_problems(void **state)
{
    struct recording r;
    char exp[600];

    (void)state;
    open_and_expect(fresh(exp), &r);
    assert_int_equal(r.problems.count, 0);
    assert_int_equal(r.cpus, 2);
    assert_int_equal(r.clock_hz, 200000000);
    assert_true(r.ended);
    assert_int_equal(r.end, MKEXP_END);
    assert_string_equal(r.reason[1], "nap");
    assert_string_equal(threads_find(&r.threads, 3, 5)->name, "sampler 0");
    assert_null(threads_find(&r.threads, 99, 5));
    recording_close(&r);
}

static void what_is_no_experiment_is_refused(void **state)
{
    struct recording r;
    char path[600], why[1024];

    (void)state;
    assert_false(recording_open(&r, "/nowhere/x.exp", why, sizeof why));
    assert_non_null(strstr(why, "/nowhere/x.exp: "));
    assert_false(recording_open(&r, "/dev/null", why, sizeof why));
    assert_non_null(strstr(why, "not a directory"));
    snprintf(path, sizeof path, "%s/empty", scratch_dir());
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(recording_open(&r, path, why, sizeof why));
    assert_non_null(strstr(why, "no experiment"));
}

static void another_format_version_is_refused(void **state)
{
    static const char log[] = "simrun-experiment 77\ncpus 2\n";
    struct recording r;
    char exp[600], why[1024];

    (void)state;
    store(fresh(exp), "log", log, sizeof log - 1);
    assert_false(recording_open(&r, exp, why, sizeof why));
    assert_non_null(strstr(why, "/log: format version 77"));
}

static void a_missing_file_is_named(void **state)
{
    struct recording r;
    struct recfile f;
    char exp[600], path[700];

    (void)state;
    fresh(exp);
    snprintf(path, sizeof path, "%s/switch.rec", exp);
    unlink(path);
    snprintf(path, sizeof path, "%s/map", exp);
    unlink(path);
    open_and_expect(exp, &r);
    assert_true(complains(&r, "map: "));
    assert_false(recording_records(&r, REC_SWITCH, &f));
    assert_true(complains(&r, "switch.rec: missing"));
    assert_true(recording_records(&r, REC_IDLE, &f));
    recording_done(&r, &f);
    recording_close(&r);
}

static void a_missing_archive_is_named(void **state)
{
    struct recording r;
    char exp[600], path[700];

    (void)state;
    fresh(exp);
    snprintf(path, sizeof path, "%s/archives/" MKEXP_ARCHIVE, exp);
    unlink(path);
    open_and_expect(exp, &r);
    assert_true(complains(&r, "archives/" MKEXP_ARCHIVE));
    assert_int_equal(loadmap_find(&r.map, MKEXP_PC(txn, 0), 0).function,
                     LOADMAP_UNKNOWN);
    recording_close(&r);
}

static void archives_are_sought_nowhere_else(void **state)
{
    static const char map[] =
        "segment 0 0x10000 0x800 0x100 r-x ../../etc/passwd\n"
        "segment 0 0x10000 0x800 0x100 r-x /etc/passwd\n";
    struct recording r;
    char exp[600];

    (void)state;
    store(fresh(exp), "map", map, sizeof map - 1);
    open_and_expect(exp, &r);
    assert_int_equal(r.map.images, 0);
    assert_true(complains(&r, "map: 2 lines make no sense"));
    recording_close(&r);
}

static void without_a_log_the_records_still_speak(void **state)
{
    struct recording r;
    char exp[600], path[700];

    (void)state;
    fresh(exp);
    snprintf(path, sizeof path, "%s/log", exp);
    unlink(path);
    open_and_expect(exp, &r);
    assert_true(complains(&r, "log: "));
    assert_int_equal(r.cpus, 2);
    assert_int_equal(r.end, MKEXP_END);
    assert_string_equal(r.reason[1], "nap");
    recording_close(&r);
}

static void a_killed_run_is_no_damage(void **state)
{
    struct recording r;
    struct recfile f;
    struct record record;
    char exp[600];
    size_t size;
    unsigned char *bytes;

    (void)state;
    fresh(exp);
    bytes = load(exp, "log", &size);
    *strstr((char *)bytes, "\nend ") = '\0';
    store(exp, "log", bytes, strlen((char *)bytes) + 1);
    bytes = load(exp, "switch.rec", &size);
    store(exp, "switch.rec", bytes, size - 7);
    open_and_expect(exp, &r);
    assert_false(r.ended);
    assert_int_equal(r.settled, MKEXP_END);
    assert_true(recording_records(&r, REC_SWITCH, &f));
    while (recfile_next(&f, &record))
        continue;
    assert_int_equal(f.records, 15);
    recording_done(&r, &f);
    assert_true(complains(&r, "ends inside a record"));
    assert_false(problems_damage(&r.problems));
    recording_close(&r);
}

/* Whatever is left of the text files, the records come out. */
static void a_log_or_map_cut_anywhere_costs_no_record(void **state)
{
    static const char *const text[] = {"log", "map"};
    static unsigned char whole[1 << 16];
    char exp[600];

    (void)state;
    fresh(exp);
    for (int i = 0; i < 2; i++) {
        size_t size;

        memcpy(whole, load(exp, text[i], &size), sizeof whole);
        for (size_t cut = 0; cut <= size; cut++) {
            struct recording r;
            struct recfile f;
            struct record record;

            store(exp, text[i], whole, cut);
            open_and_expect(exp, &r);
            assert_true(recording_records(&r, REC_SWITCH, &f));
            while (recfile_next(&f, &record))
                continue;
            assert_int_equal(f.records, 16);
            recording_done(&r, &f);
            recording_close(&r);
        }
    }
}

static void garbage_lines_in_the_log_are_counted(void **state)
{
    struct recording r;
    char exp[600];
    size_t size;
    unsigned char *bytes;

    (void)state;
    fresh(exp);
    bytes = load(exp, "log", &size);
    bytes[40] = 0x01;
    store(exp, "log", bytes, size);
    open_and_expect(exp, &r);
    assert_true(complains(&r, "log: 1 lines are not text"));
    assert_int_equal(r.cpus, 2);
    recording_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_file_gives_every_record),
        cmocka_unit_test(cut_at_every_byte_gives_all_complete_records),
        cmocka_unit_test(garbage_in_the_middle_is_stepped_over),
        cmocka_unit_test(one_broken_size_costs_one_record),
        cmocka_unit_test(a_cpu_that_is_not_there_is_nonsense),
        cmocka_unit_test(a_stack_deeper_than_its_record_is_nonsense),
        cmocka_unit_test(a_trap_deeper_than_its_record_is_nonsense),
        cmocka_unit_test(words_that_came_later_are_skipped),
        cmocka_unit_test(
            a_field_that_a_record_is_too_short_for_has_its_default),
        cmocka_unit_test(long_files_are_read_through_to_the_end),
        cmocka_unit_test(sound_experiment_has_no_problems),
        cmocka_unit_test(what_is_no_experiment_is_refused),
        cmocka_unit_test(another_format_version_is_refused),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(a_missing_archive_is_named),
        cmocka_unit_test(archives_are_sought_nowhere_else),
        cmocka_unit_test(without_a_log_the_records_still_speak),
        cmocka_unit_test(a_killed_run_is_no_damage),
        cmocka_unit_test(a_log_or_map_cut_anywhere_costs_no_record),
        cmocka_unit_test(garbage_lines_in_the_log_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
