/* recrows_test.c - what experiment_oracle wrote is read as it was, whole and in
 * parts: the parts of an interval fit into their time to the cycle, and each
 * row has its share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu/experiment/experiment.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/experiment/recfile.h"

#define INTERVAL 1000u
#define INTERVALS 40u
#define END (INTERVAL * INTERVALS - 300) /* the last one is shorter */
#define ROWS 60000u

struct row {
    uint32_t context, pc, reason;
    uint64_t end, twelfths;
};

static struct row written[ROWS];
static size_t rows;
static uint64_t seed = 1;

static uint32_t dice(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void note(void *arg, uint32_t context, uint32_t pc, enum reason reason,
                 uint64_t twelfths)
{
    assert_true(rows < ROWS);
    written[rows++] =
        (struct row){context, pc, (uint32_t)reason, *(uint64_t *)arg, twelfths};
}

/* Up to `end`, the interval's cycles at random places, by twelfths; the same
 * into two accounts, since a drain empties one. */
static void fill(struct oracle *o, struct oracle *twin, uint64_t cycles)
{
    for (uint64_t left = cycles * ORACLE_UNIT, n; left; left -= n) {
        uint32_t context = dice(4), reason = dice(REASON_COUNT);
        uint32_t pc = dice(8) ? 0x1000 + 4 * dice(900) : 4 * dice(1u << 30);

        n = dice(30) ? 1 + dice(40) : 1 + dice(4000);
        n = n > left ? left : n;
        oracle_add(o, context, pc, (enum reason)reason, n);
        oracle_add(twin, context, pc, (enum reason)reason, n);
    }
}

/* An experiment with the account of CPU 0, and two intervals of CPU 1. */
static void make(char *path)
{
    static struct experiment e;
    struct oracle *o = oracle_new(), *twin = oracle_new();

    rows = 0;
    strcpy(path, scratch_path());
    assert_true(experiment_open(&e, path, NULL));
    for (uint64_t at = 0, end; at < END; at = end) {
        end = at + INTERVAL < END ? at + INTERVAL : END;
        if (at == 5 * INTERVAL)
            oracle_add(o, 3, 0x44, REASON_nap, INTERVAL * ORACLE_UNIT),
                oracle_add(twin, 3, 0x44, REASON_nap, INTERVAL * ORACLE_UNIT);
        else
            fill(o, twin, end - at);
        experiment_oracle(&e, 0, o, end);
        oracle_drain(twin, note, &end);
    }
    experiment_close(&e);
    assert_string_equal(e.error, "");
    oracle_free(o);
    oracle_free(twin);
}

static void begin(struct recfile *f, int dir)
{
    uint32_t version;

    assert_int_equal(recfile_open(f, dir, REC_ORACLE, 2, &version), RECFILE_OK);
}

/* What lies after `from` up to `to`. */
static void begin_at(struct recfile *f, int dir, uint64_t from, uint64_t to)
{
    begin(f, dir);
    f->rows.interval = INTERVAL;
    recfile_within(f, from, to);
}

static void every_row_comes_back(void **state)
{
    char path[600];
    int dir;
    struct recfile f;
    struct record r;
    size_t n = 0;

    (void)state;
    make(path);
    dir = open(path, O_RDONLY | O_DIRECTORY);
    begin(&f, dir);
    for (; recfile_next(&f, &r); n++) {
        assert_true(n < rows);
        assert_int_equal(r.thread, written[n].context);
        assert_int_equal(r.cycle, written[n].end);
        assert_int_equal(record_get_oracle_pc(&r), written[n].pc);
        assert_int_equal(record_get_oracle_reason(&r), written[n].reason);
        assert_true(record_get_oracle_twelfths(&r) == written[n].twelfths);
    }
    assert_int_equal(n, rows);
    assert_true(f.skipped + f.nonsense + f.tail == 0);
    assert_true(f.size < 6 * rows); /* where one each would take 32 */
    recfile_close(&f);
    close(dir);
}

/* What there is of cycles from `from` to `to`, divided at steps: each step has
 * just as much as fits. */
static void expect_fits(int dir, uint64_t from, uint64_t to, uint64_t step)
{
    static uint64_t slot[INTERVAL * INTERVALS];
    struct recfile f;
    struct record r;

    memset(slot, 0, sizeof slot);
    begin_at(&f, dir, from, to);
    f.rows.step = step;
    while (recfile_next(&f, &r)) {
        assert_in_range(r.cycle, from + 1, to < END ? to : END);
        slot[(r.cycle - 1) / step] += record_get_oracle_twelfths(&r);
    }
    recfile_close(&f);
    for (uint64_t i = 0; i * step < END; i++) {
        uint64_t low = i * step, high = low + step;

        low = low > from ? low : from;
        high = high < to ? high : to;
        high = high < END ? high : END;
        assert_int_equal(slot[i], high > low ? (high - low) * ORACLE_UNIT : 0);
    }
}

static void parts_fit_into_their_time(void **state)
{
    static const uint64_t steps[] = {1, 7, 250, 300, 999, 1000, 1001, 2500};
    char path[600];
    int dir;

    (void)state;
    make(path);
    dir = open(path, O_RDONLY | O_DIRECTORY);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        expect_fits(dir, 0, UINT64_MAX, steps[i]);
        expect_fits(dir, 5300, 5301, steps[i]);
        expect_fits(dir, 1, END - 1, steps[i]);
        for (unsigned n = 0; n < 10; n++) {
            uint64_t from = dice(END - 1);

            expect_fits(dir, from, from + 1 + dice(3000), steps[i]);
        }
    }
    close(dir);
}

/* Rows within one interval, from `from` to `to`: each has about what its length
 * gives it, those without a part included. */
static void expect_fair(int dir, uint64_t from, uint64_t to)
{
    uint64_t begin = from / INTERVAL * INTERVAL;
    uint64_t all = begin + INTERVAL < END ? INTERVAL : END - begin;
    struct recfile f;
    struct record r;
    bool more;

    begin_at(&f, dir, from, to);
    more = recfile_next(&f, &r);
    for (size_t n = 0; n < rows; n++) {
        const struct row *w = &written[n];
        double fair = (double)w->twelfths * (double)(to - from) / (double)all;
        double part = 0;

        if (w->end != begin + all)
            continue;
        if (more && r.thread == w->context &&
            record_get_oracle_pc(&r) == w->pc &&
            record_get_oracle_reason(&r) == w->reason) {
            part = (double)record_get_oracle_twelfths(&r);
            assert_true(part > 0 && part <= (double)w->twelfths);
            more = recfile_next(&f, &r);
        }
        assert_true(part - fair < 4 && fair - part < 4);
    }
    assert_false(more);
    recfile_close(&f);
}

static void no_row_has_more_than_its_share(void **state)
{
    char path[600];
    int dir;

    (void)state;
    make(path);
    dir = open(path, O_RDONLY | O_DIRECTORY);
    for (unsigned n = 0; n < 300; n++) {
        uint64_t from = dice(END - 1), room = INTERVAL - from % INTERVAL;

        room = from + room < END ? room : END - from;
        expect_fair(dir, from, from + 1 + dice((uint32_t)room));
    }
    close(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_comes_back),
        cmocka_unit_test(parts_fit_into_their_time),
        cmocka_unit_test(no_row_has_more_than_its_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
