/* table_test.c - what the hardware does to the page table, and what the table
 * does to accesses: R and C are stored through the data cache, on the bus,
 * where others see it; WIMG keeps lines out of the cache.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"

#define DATA 0x100000u
#define PAGE_R 0x100u
#define PAGE_C 0x80u
#define PAGE_W 0x40u
#define PAGE_I 0x20u
#define PAGE_G 0x8u
#define ALL 2u /* PP: all may write */

static uint32_t word_at(const struct bench_board *b, pa_t pa)
{
    const uint8_t *p = b->ram.bytes + pa;

    return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/* Core n runs `w` from a page of its own until it returns to where nobody
 * has mapped anything, which is an ISI. Returns where its entry is. */
static pa_t prepare(struct bench_board *b, unsigned n, const uint32_t *w,
                    unsigned words, uint32_t low)
{
    struct core *c = &b->core[n];
    ea_t entry = BENCH_CODE + n * 0x1000;
    pa_t mark = board_map(b, entry, low);

    board_words(b, entry, w, words);
    core_start(c, entry, 0, 0);
    c->cpu.sdr1 = BENCH_TABLE;
    c->cpu.gpr[5] = DATA;
    c->cpu.msr |= MSR_IR | MSR_DR;
    c->cpu.lr = 0xFE001100;
    c->cpu.sr[15] = 0x80000000u;
    return mark;
}

static void run(struct core *c)
{
    for (unsigned k = 0; k < 10000 && c->cpu.pc != 0x400; k++)
        core_run(c, core_next(c));
    assert_int_equal(c->cpu.pc, 0x400);
}

static const uint32_t load_store_twice[] = {LWZ(7, 5, 0), STW(7, 5, 0),
                                            LWZ(7, 5, 8), STW(7, 5, 8), BLR};

static struct line *data_line(const struct bench_board *b, unsigned n, pa_t pa)
{
    return cache_find(&pipe_of(&b->core[n])->tags.dcache, pa);
}

/* Run the loads and stores on a page with these low bits. */
static pa_t run_on(struct bench_board *b, uint32_t low)
{
    pa_t entry;

    board_open(b, 1, &timing_detailed, NULL);
    entry = board_map(b, DATA, low);
    prepare(b, 0, load_store_twice, 5, PAGE_R | ALL);
    run(&b->core[0]);
    return entry;
}

/* ---- R and C ------------------------------------------------------------- */

/* The load's search stores R; the first store's, C; nobody else searches. */
static void r_and_c_are_stored_through_the_cache(void **state)
{
    struct bench_board b;
    const uint64_t *total = b.core[0].pmu.ev.total;
    pa_t entry = run_on(&b, ALL);

    (void)state;
    assert_int_equal(word_at(&b, entry), DATA | PAGE_R | PAGE_C | ALL);
    assert_int_equal(total[EV_dtlb_miss], 1);
    assert_int_equal(total[EV_dtable_search], 2);
    assert_non_null(data_line(&b, 0, entry));
    assert_int_equal(data_line(&b, 0, entry)->state, MESI_M);
    board_close(&b);
}

static void an_entry_that_is_marked_is_not_stored_to(void **state)
{
    struct bench_board b;
    pa_t entry = run_on(&b, PAGE_R | PAGE_C | ALL);

    (void)state;
    assert_int_equal(b.core[0].pmu.ev.total[EV_dtable_search], 1);
    assert_int_equal(data_line(&b, 0, entry)->state, MESI_E);
    board_close(&b);
}

/* CPU 1 has searched too: its copy of the entry's line goes when CPU 0 sets
 * C, by a kill on the bus. */
static void setting_c_takes_the_line_from_the_others(void **state)
{
    static const uint32_t load[] = {LWZ(7, 5, 0), BLR};
    struct bench_board b;
    struct core *other = &b.core[1];
    pa_t entry;

    (void)state;
    board_open(&b, 2, &timing_detailed, NULL);
    entry = board_map(&b, DATA, PAGE_R | ALL);
    prepare(&b, 1, load, 2, PAGE_R | ALL);
    run(other);
    assert_non_null(data_line(&b, 1, entry));
    prepare(&b, 0, load_store_twice, 5, PAGE_R | ALL);
    run(&b.core[0]);
    assert_null(data_line(&b, 1, entry));
    assert_int_equal(word_at(&b, entry), DATA | PAGE_R | PAGE_C | ALL);
    assert_true(b.core[0].pmu.ev.total[EV_store_hit_shared] >= 1);
    assert_true(other->pmu.ev.total[EV_snoop_hit] >= 1);
    board_close(&b);
}

/* The second search takes its cycles. */
static void setting_c_takes_its_time(void **state)
{
    struct bench_board b;
    uint64_t marked, unmarked;

    (void)state;
    run_on(&b, ALL);
    marked = b.core[0].pmu.ev.total[EV_dtable_cycles];
    board_close(&b);
    run_on(&b, PAGE_R | PAGE_C | ALL);
    unmarked = b.core[0].pmu.ev.total[EV_dtable_cycles];
    board_close(&b);
    assert_true(marked >= unmarked + 2);
}

static void a_fetch_sets_r(void **state)
{
    struct bench_board b;
    pa_t code;

    (void)state;
    board_open(&b, 1, &timing_detailed, NULL);
    board_map(&b, DATA, PAGE_R | PAGE_C | ALL);
    code = prepare(&b, 0, load_store_twice, 5, ALL);
    run(&b.core[0]);
    assert_int_equal(word_at(&b, code), BENCH_CODE | PAGE_R | ALL);
    assert_int_equal(b.core[0].pmu.ev.total[EV_itable_search], 1);
    assert_int_equal(data_line(&b, 0, code)->state, MESI_M);
    board_close(&b);
}

/* A wrong path reads nothing that would have to be marked first: both timing
 * models leave the same table. */
static void a_wrong_path_sets_nothing(void **state)
{
    static const uint32_t w[] = {ADDI(6, 0, 0),
                                 DIVW(8, 5, 5),
                                 MULLW(8, 8, 6),
                                 CMPWI(0, 8, 0),
                                 BC(12u, 2, 8) | 1u << 21,
                                 B(0x2000 - 20),
                                 BLR};
    struct bench_board b;
    pa_t elsewhere;

    (void)state;
    board_open(&b, 1, &timing_detailed, NULL);
    elsewhere = board_map(&b, BENCH_CODE + 0x2000, ALL);
    prepare(&b, 0, w, 7, PAGE_R | ALL);
    run(&b.core[0]);
    assert_int_equal(b.core[0].pmu.ev.total[EV_br_mispredict], 1);
    assert_int_equal(word_at(&b, elsewhere), (BENCH_CODE + 0x2000) | ALL);
    board_close(&b);
}

/* ---- WIMG ---------------------------------------------------------------- */

static void inhibited_memory_is_never_cached(void **state)
{
    struct bench_board b;

    (void)state;
    run_on(&b, PAGE_R | PAGE_C | PAGE_I | PAGE_G | ALL);
    assert_null(data_line(&b, 0, DATA));
    board_close(&b);
}

static void written_through_memory_is_never_modified(void **state)
{
    struct bench_board b;

    (void)state;
    run_on(&b, PAGE_R | PAGE_C | PAGE_W | ALL);
    assert_non_null(data_line(&b, 0, DATA));
    assert_int_equal(data_line(&b, 0, DATA)->state, MESI_E);
    board_close(&b);
}

static void inhibited_code_is_never_cached(void **state)
{
    struct bench_board b;

    (void)state;
    board_open(&b, 1, &timing_detailed, NULL);
    board_map(&b, DATA, PAGE_R | PAGE_C | ALL);
    prepare(&b, 0, load_store_twice, 5, PAGE_R | PAGE_I | ALL);
    run(&b.core[0]);
    assert_null(cache_find(&pipe_of(&b.core[0])->tags.icache, BENCH_CODE));
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(r_and_c_are_stored_through_the_cache),
        cmocka_unit_test(an_entry_that_is_marked_is_not_stored_to),
        cmocka_unit_test(setting_c_takes_the_line_from_the_others),
        cmocka_unit_test(setting_c_takes_its_time),
        cmocka_unit_test(a_fetch_sets_r),
        cmocka_unit_test(a_wrong_path_sets_nothing),
        cmocka_unit_test(inhibited_memory_is_never_cached),
        cmocka_unit_test(written_through_memory_is_never_modified),
        cmocka_unit_test(inhibited_code_is_never_cached),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
