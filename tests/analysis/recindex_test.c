/* recindex_test.c - the time index of a record file: whatever the interval,
 * the file and the index, the records are those that a reader of everything
 * finds in it. timeout: 120 s */
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
#include "tests/lib/simprof.h"
#include "tools/analysis/experiment/recording.h"

#define RECORDS 20000
#define LENGTH 80000u /* the run has 100000 cycles */
#define INDEX "profile.rec.index"

static uint32_t dice(uint32_t sides)
{
    return ((uint32_t)rand() << 15 ^ (uint32_t)rand()) % sides;
}

/* Two CPUs whose records come in bursts, so times go forth and back. */
static const char *make(unsigned seed, unsigned records, int ended)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0x20),
                                     MKEXP_PC(worker, 0x10),
                                     MKEXP_PC(thread_start, 8), 0};
    static char path[512];
    char elf[600];
    uint64_t at[2] = {0, 0};
    struct mkexp *m;

    srand(seed);
    strcpy(path, scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 3 cycles 100 uk");
    for (unsigned i = 0; i < records; i++) {
        unsigned cpu = i / 500 % 2;

        at[cpu] += dice(2 * LENGTH / records * 2);
        mkexp_profile(m, cpu, at[cpu], i, 3, 100 + i % 7, 0, stack);
        mkexp_oracle(m, cpu, at[cpu], stack[0], 0, i % 12 * 12);
    }
    mkexp_close(m, ended);
    return path;
}

static const char *experiment(unsigned seed, unsigned records)
{
    return make(seed, records, 1);
}

struct found {
    uint64_t count, sum, read;
    size_t blocks;
};

/* The records of a kind in an interval; r may be told of it, or not. */
static struct found find(const char *path, unsigned kind, bool tell,
                         uint64_t from, uint64_t to)
{
    struct found found = {0};
    struct record record;
    struct recording r;
    struct recfile f;
    char why[512];

    assert_true(recording_open(&r, path, why, sizeof why));
    if (tell)
        recording_within(&r, from, to);
    assert_true(recording_records(&r, kind, &f));
    found.blocks = f.blocks;
    while (recfile_next(&f, &record)) {
        bool in = kind == REC_ORACLE
                      ? record.cycle > from && record.cycle <= to
                      : record.cycle >= from && record.cycle < to;

        assert_true(in || !tell);
        if (!in)
            continue;
        found.count++;
        found.sum =
            found.sum * 31 + record.cycle * 7 + record.thread +
            (kind == REC_PROFILE ? record_get_profile_events(&record)
                                 : record_get_oracle_reason(&record) << 24);
    }
    found.read = f.records;
    recording_done(&r, &f);
    recording_close(&r);
    return found;
}

static void expect_same(const char *path, unsigned kind, uint64_t from,
                        uint64_t to, bool indexed)
{
    struct found all = find(path, kind, false, from, to);
    struct found some = find(path, kind, true, from, to);

    assert_int_equal(some.count, all.count);
    assert_int_equal(some.sum, all.sum);
    assert_int_equal(some.blocks > 0, indexed);
    if (indexed)
        assert_true(some.read <= all.read);
}

static void any_interval_is_as_if_all_was_read(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 3; seed++) {
        const char *path = experiment(seed, 2 * RECORDS);

        expect_same(path, REC_PROFILE, 1, 2, false); /* makes it */
        expect_same(path, REC_ORACLE, 1, 2, false);
        for (unsigned i = 0; i < 100; i++) {
            uint64_t from = dice(LENGTH * 2), length = dice(LENGTH);

            length = i % 3 ? length % 1000 : length;
            expect_same(path, REC_PROFILE, from, from + length, true);
            expect_same(path, REC_ORACLE, from, from + length, true);
        }
        expect_same(path, REC_PROFILE, 0, UINT64_MAX - 1, true);
        expect_same(path, REC_PROFILE, UINT64_MAX - 1, UINT64_MAX, true);
    }
}

static void a_short_interval_reads_few_records(void **state)
{
    const char *path = experiment(7, 4 * RECORDS);
    struct found found;

    (void)state;
    find(path, REC_PROFILE, true, 0, 1);
    found = find(path, REC_PROFILE, true, LENGTH / 2, LENGTH / 2 + 1000);
    assert_in_range(found.read, 1, 4 * RECORDS / 5);
    assert_true(found.count <= found.read);
    found = find(path, REC_PROFILE, true, UINT64_MAX - 9, UINT64_MAX - 1);
    assert_int_equal(found.read, 0);
}

static void small_files_get_none(void **state)
{
    const char *path = experiment(8, 300);
    char index[600];

    (void)state;
    expect_same(path, REC_PROFILE, 500, 90000, false);
    snprintf(index, sizeof index, "%s/" INDEX, path);
    assert_int_equal(access(index, F_OK), -1);
}

/* A run that was killed says nowhere when it ended: the records do, or their
 * index. */
static void a_killed_run_is_surveyed_once(void **state)
{
    const char *path = make(14, RECORDS, 0);
    uint64_t end = 0, latest = 0;

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct recording r;
        struct recfile f;
        uint32_t version;
        char why[512];

        assert_true(recording_open(&r, path, why, sizeof why));
        assert_false(r.ended);
        assert_true(!i || r.end == end);
        end = r.end;
        assert_int_equal(recfile_open(&f, r.dir, REC_PROFILE, r.cpus, &version),
                         RECFILE_OK);
        assert_true(recfile_latest(&f, &latest));
        assert_in_range(latest, LENGTH / 2, end);
        recfile_close(&f);
        recording_close(&r);
    }
}

static size_t slurp(const char *path, unsigned char *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(bytes, 1, room, f);
    fclose(f);
    assert_true(n < room);
    return n;
}

static void spill(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

/* Every byte changed, every length: the answer is the same, for a damaged
 * index is none, and is made again. */
static void a_damaged_index_is_not_believed(void **state)
{
    static unsigned char good[1 << 16], bad[1 << 16];
    const char *path = experiment(9, RECORDS);
    struct found whole = find(path, REC_PROFILE, true, 1000, 2000), found;
    char index[600];
    size_t size;

    (void)state;
    snprintf(index, sizeof index, "%s/" INDEX, path);
    size = slurp(index, good, sizeof good);
    for (size_t i = 0; i < size; i += i < 200 ? 1 : 13) {
        memcpy(bad, good, size);
        bad[i] ^= (unsigned char)(1 << i % 8);
        spill(index, bad, size);
        found = find(path, REC_PROFILE, true, 1000, 2000);
        assert_int_equal(found.blocks, 0);
        assert_int_equal(found.sum, whole.sum);
        spill(index, good, i);
        found = find(path, REC_PROFILE, true, 1000, 2000);
        assert_int_equal(found.blocks, 0);
        assert_int_equal(found.sum, whole.sum);
        assert_int_equal(slurp(index, bad, sizeof bad), size);
        assert_memory_equal(bad, good, size);
    }
}

static void an_index_of_another_file_is_not_believed(void **state)
{
    static unsigned char bytes[8 << 20];
    char from[600], to[600], first[512];
    size_t size;

    (void)state;
    strcpy(first, experiment(10, RECORDS));
    find(first, REC_PROFILE, true, 1000, 2000);
    snprintf(from, sizeof from, "%s/profile.rec", experiment(11, RECORDS));
    snprintf(to, sizeof to, "%s/profile.rec", first);
    size = slurp(from, bytes, sizeof bytes);
    assert_int_equal(slurp(to, bytes, sizeof bytes), size); /* as long */
    slurp(from, bytes, sizeof bytes);
    spill(to, bytes, size);
    expect_same(first, REC_PROFILE, 1000, 90000, false);
    expect_same(first, REC_PROFILE, 1000, 90000, true);
    /* it grew */
    memcpy(bytes + size, bytes + 32, 64 * 10);
    spill(to, bytes, size + 64 * 10);
    expect_same(first, REC_PROFILE, 1000, 90000, false);
    /* it is cut in the middle of a record */
    spill(to, bytes, size - 4);
    expect_same(first, REC_PROFILE, 0, 90000, false);
    expect_same(first, REC_PROFILE, 0, UINT64_MAX - 1, true);
}

/* Garbage in the middle: the index is of what makes sense, and passes over
 * the garbage as the reader does. */
static void a_damaged_file_has_an_index_too(void **state)
{
    static unsigned char bytes[8 << 20];
    const char *path = experiment(12, 2 * RECORDS);
    char file[600];
    size_t size;

    (void)state;
    snprintf(file, sizeof file, "%s/profile.rec", path);
    size = slurp(file, bytes, sizeof bytes);
    for (unsigned i = 0; i < 400; i++) {
        size_t at = 32 + dice((uint32_t)size - 200);

        for (unsigned k = 0; k < dice(150); k++)
            bytes[at + k] = (unsigned char)rand();
    }
    spill(file, bytes, size);
    find(path, REC_PROFILE, true, 0, 1);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t from = dice(LENGTH * 2);

        expect_same(path, REC_PROFILE, from, from + dice(LENGTH / 4), true);
    }
}

/* Where nothing can be written all is read, every time, and that is said. */
static void without_an_index_all_is_read(void **state)
{
    const char *path = experiment(13, RECORDS);
    const struct simprof *s;
    char index[600];

    (void)state;
    snprintf(index, sizeof index, "%s/" INDEX, path);
    assert_int_equal(mkdir(index, 0777), 0); /* no file can be put there */
    for (int i = 0; i < 2; i++) {
        s = simprof_run("lines --from=1000 --to=50000", path);
        assert_true(simprof_has(s->err, "profile.rec: every record was read; "
                                        "a time index could not be kept"));
    }
    rmdir(index);
    s = simprof_run("lines --from=1000 --to=50000", path);
    assert_true(simprof_has(s->err, "every record was read; a time index is "
                                    "kept for the next time"));
    s = simprof_run("lines -v --from=1000 --to=50000", path);
    assert_true(simprof_has(s->err, "profile.rec: read by its time index, "));
    assert_true(simprof_has(s->err, " of 20000 records were read"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_interval_is_as_if_all_was_read),
        cmocka_unit_test(a_short_interval_reads_few_records),
        cmocka_unit_test(small_files_get_none),
        cmocka_unit_test(a_killed_run_is_surveyed_once),
        cmocka_unit_test(a_damaged_index_is_not_believed),
        cmocka_unit_test(an_index_of_another_file_is_not_believed),
        cmocka_unit_test(a_damaged_file_has_an_index_too),
        cmocka_unit_test(without_an_index_all_is_read),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    scratch_clean(NULL);
    return failed;
}
