/* cut_test.c - G-N6: every file of an experiment, cut at every byte, still
 * gives all its complete records, and the other files all of theirs; of a run
 * that did not come to its end that is no damage, of one that did it always is,
 * also where the cut is between two records. Reports can be made of what is
 * left, whatever was cut. timeout: 240 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/profile/exact_cycles.h"
#include "tools/analysis/active/active_input.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/profile/interrupts.h"
#include "tools/analysis/profile/mark_counts.h"
#include "tools/analysis/profile/sampled.h"
#include "tools/analysis/hardware/memlines.h"
#include "tools/analysis/hardware/pipeline.h"
#include "tools/analysis/profile/totals.h"

#define FILE_MAX (1 << 16)

struct bytes {
    unsigned char byte[FILE_MAX];
    size_t size;
};

static const char *path_of(const char *name)
{
    static char path[1024];

    snprintf(path, sizeof path, "%s/a.exp/%s", scratch_dir(), name);
    return path;
}

static void load(const char *name, struct bytes *b)
{
    FILE *f = fopen(path_of(name), "rb");

    assert_non_null(f);
    b->size = fread(b->byte, 1, FILE_MAX, f);
    assert_true(b->size < FILE_MAX);
    fclose(f);
}

static void store(const char *name, const struct bytes *b, size_t size)
{
    FILE *f;

    unlink(path_of(name)); /* a new file: truncating one waits for the disk */
    f = fopen(path_of(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->byte, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* Records of every kind, a few; ended, or as a killed run leaves it. */
static void make(bool ended)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0x10),
                                     MKEXP_PC(worker, 0x14), 0};
    static const uint32_t branches[] = {MKEXP_PC(txn, 4), MKEXP_PC(worker, 0),
                                        0};
    struct bytes log;
    char command[700];
    struct mkexp *m;

    snprintf(command, sizeof command, "rm -rf '%s/a.exp'", scratch_dir());
    assert_int_equal(system(command), 0);
    m = mkexp_new(path_of(""));
    mkexp_program(m, path_of("program"));
    mkexp_say(m, "profile 0 cycles 1000");
    mkexp_say(m, "sampled 100");
    mkexp_thread(m, 10, THREAD_IS_APP, "worker 0");
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle 0");
    for (unsigned i = 0; i < 4; i++) {
        mkexp_switch(m, i % 2, 100 * i, 1, 10);
        mkexp_profile(m, i % 2, 100 * i, 10, 0, 1000, 0, stack);
        mkexp_access(m, i % 2, 100 * i + 1, 10, 0, 1000, 0x1234, stack);
        mkexp_idle(m, i % 2, 100 * i, IDLE_KIND_TO, 10, stack);
        mkexp_stat(m, i % 2, STAT_TO_IDLE, i);
        mkexp_irq(m, i % 2, 100 * i, 10, 0x900, stack[0], 2);
        mkexp_probe(m, i % 2, 100 * i, 10, PROBE_ENTER, stack[0], 1);
        mkexp_mark(m, i % 2, stack[0] + 4 * i, i);
        mkexp_trap(m, i % 2, 100 * i, 10, stack[0], stack);
        mkexp_traced(m, i % 2, 100 * i, 10, stack[0], 12);
        mkexp_followed(m, i % 2, 100 * i, 10, stack[0], stack[1]);
        mkexp_branches(m, i % 2, 100 * i, 10, MKEXP_PC(txn, 8), branches);
        mkexp_unsampled(m, i % 2, 100 * i, 10, UNSAMPLED_NONE);
        mkexp_precapture(m, i % 2, 100 * i, 10, PRECAPTURE_LATE);
        mkexp_tick(m, i % 2, 100 * i, 10, stack[0]);
        mkexp_pipe(m, i % 2, 100 * i, 10, stack[0], i + 1);
        mkexp_memline(m, i % 2, 100 * i, 10, 0x40 * i);
        mkexp_disk(m, i % 2, 1000 + 100 * i, 10, DISK_REQUEST_WRITE,
                   DISK_STATUS_DONE, 512);
        mkexp_lock(m, i % 2, 1000 + 100 * i, 10, i ? LOCK_GIVEN : LOCK_TAKEN,
                   0x4000, 10);
        mkexp_poll(m, i % 2, 1000 + 100 * i, 10, 11, 900, 100, 200, false);
        mkexp_process(m, 100 * i, 1000);
        mkexp_frame(m, i + 1, i, stack[0]);
        mkexp_state(m, i % 2, 1000 + 100 * i, 10, STATE_LOCK, 10, i);
        mkexp_wake(m, i % 2, 1000 + 100 * i, 10, 10, i + 1);
        mkexp_oracle(m, i % 2, MKEXP_END, stack[0] + 4 * i, 2,
                     MKEXP_END / 2 * 12);
    }
    mkexp_close(m, ended);
    load("log", &log);
    log.byte[log.size] = '\0';
    assert_true(!strstr((char *)log.byte, "\nend ") == !ended);
}

/* ---- what is left -------------------------------------------------------- */

/* Complete records of a file of this size; *inside: it ends within one. */
static size_t complete(const struct bytes *b, size_t size, bool *inside)
{
    size_t n = 0, at = REC_FILE_HEADER;

    while (at + 2 <= size &&
           at + b->byte[at] + 256u * b->byte[at + 1] <= size && b->byte[at]) {
        at += b->byte[at] + 256u * b->byte[at + 1];
        n++;
    }
    *inside = size != at;
    return n;
}

static size_t records(struct recording *r, unsigned kind)
{
    struct record record;
    struct recfile f;
    size_t n = 0;

    if (!recording_records(r, kind, &f))
        return 0;
    while (recfile_next(&f, &record))
        n++;
    recording_done(r, &f);
    return n;
}

static uint64_t by_function(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

/* What reports are made of; exclusive values add up all the same. */
static void report(struct recording *r)
{
    struct samples s;
    struct totals t;
    struct idle d;
    struct interrupts i;
    struct mark_counts m;
    struct sampled_rows rows;
    struct active_input a;
    struct pipeline p;
    struct memlines l;
    uint64_t sum = 0;

    samples_read(&s, r, &(struct samples_choice){.unfold = true});
    totals_read(&t, &s, by_function, NULL);
    for (size_t k = 0; k < t.rows; k++)
        sum += t.row[k].exclusive[s.metric.count - 1];
    assert_int_equal(sum, s.metric.list[s.metric.count - 1].total);
    totals_free(&t);
    samples_free(&s);
    idle_read(&d, r, false);
    idle_free(&d);
    interrupts_read(&i, r, INTERRUPTS_BY_FUNCTION, -1);
    interrupts_free(&i);
    mark_counts_read(&m, r);
    mark_counts_free(&m);
    sampled_read(&rows, r, false, -1);
    sampled_free(&rows);
    pipeline_read(&p, r, -1, -1);
    pipeline_free(&p);
    memlines_read(&l, r, -1);
    memlines_free(&l);
    active_input_records(&a, r, NULL);
    active_input_free(&a);
}

/* Cut one file at every byte. full: records by kind of the whole. */
static void cut(const char *name, const size_t full[RECFILE_KINDS])
{
    static struct bytes whole;
    unsigned kind = 0;
    bool damaged;

    load(name, &whole);
    for (unsigned k = 1; k < RECFILE_KINDS; k++)
        if (!strcmp(recfile_name(k), name))
            kind = k;
    for (size_t size = 0; size <= whole.size; size++) {
        struct recording r;
        char why[256];
        bool inside;
        size_t left = complete(&whole, size, &inside);

        store(name, &whole, size);
        assert_true(recording_open(&r, path_of(""), why, sizeof why));
        for (unsigned k = 1; k < RECFILE_KINDS; k++) {
            size_t want = k == kind ? left : full[k];
            size_t got = records(&r, k);

            if (got != want)
                fail_msg("%s cut at %zu: %zu records of %s, not %zu", name,
                         size, got, recfile_name(k), want);
        }
        damaged = problems_damage(&r.problems);
        if (kind && !r.ended && damaged)
            fail_msg("%s cut at %zu of a killed run: %s", name, size,
                     r.problems.list[0].text);
        if (r.ended && damaged != (size < whole.size))
            fail_msg("%s cut at %zu of an ended run: damage %d", name, size,
                     damaged);
        report(&r);
        recording_close(&r);
    }
}

static void cut_all(bool ended)
{
    static const char archive[] = "archives/" MKEXP_ARCHIVE;
    size_t full[RECFILE_KINDS];
    struct dirent *e;
    DIR *dir;
    unsigned files = 0;

    make(ended);
    for (unsigned k = 1; k < RECFILE_KINDS; k++) {
        static struct bytes b;
        bool inside;

        load(recfile_name(k), &b);
        full[k] = complete(&b, b.size, &inside);
        if (full[k] < 2)
            fail_msg("%s: fewer than two records; tests/lib/mkexp.c makes them",
                     recfile_name(k));
    }
    dir = opendir(path_of(""));
    while ((e = readdir(dir)))
        if (e->d_type == DT_REG && strcmp(e->d_name, "program")) {
            cut(e->d_name, full);
            files++;
        }
    closedir(dir);
    assert_int_equal(files, RECFILE_KINDS - 1 + 2); /* log and map */
    cut(archive, full);
}

static void a_killed_run(void **state)
{
    (void)state;
    cut_all(false);
}

static void an_ended_run(void **state)
{
    (void)state;
    cut_all(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_run),
        cmocka_unit_test(an_ended_run),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
