/* tlb_test.c - what translation costs on the detailed core: 128 entries in
 * two ways, table searches through the data cache, tlbie.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"

#define TABLE 0x800000u /* 64 KB */
#define STRIDE 0x40000u /* 64 pages: the same set */
#define DATA 0x100000u
#define TLBIE(b) (31u << 26 | (b) << 11 | 306 << 1)

static void put32(struct bench_board *b, pa_t pa, uint32_t v)
{
    board_words(b, pa, &v, 1);
}

/* Map the page of ea to itself: first free entry of the primary group. */
static void map(struct bench_board *b, ea_t ea, uint32_t vsid)
{
    uint32_t index = ea >> 12 & 0xFFFF;
    pa_t at = TABLE | (((vsid & 0x7FFFF) ^ index) & 0x3FF) << 6;

    while (b->ram.bytes[at] & 0x80)
        at += 8;
    put32(b, at, 0x80000000u | vsid << 7 | index >> 10);
    put32(b, at + 4, (ea & ~0xFFFu) | 0x180 | 2); /* R, C, all may write */
}

#define SHADOW_TABLE 0x900000u
#define SHADOW_BLOCK 0x910000u

/* The page table is a segment with shadow storage: all of its words count. */
static void mark_the_table(struct bench_board *b)
{
    struct pif *p = &b->core[0].pif;

    p->unit[PIF_GUEST].source.segment[0] =
        (struct shadow_segment){TABLE, 0x10000, SHADOW_TABLE, true, true};
    for (pa_t at = 0; at < 0x10000; at += 32) {
        pa_t block = SHADOW_BLOCK + at / 32 * SHADOW_FULL_BYTES(32);

        put32(b, SHADOW_TABLE + at / 8, block | SHADOW_FULL);
        put32(b, block + SHADOW_TAG, TABLE + at);
        put32(b, block, IND_COUNT);
    }
    pif_mode(p, PIF_GUEST, true, PIFM_DE | PIFM_SU | PIFM_US | PIFM_P0);
}

/* Read `pages` pages that share a TLB set, ten times round. */
static void run_round(struct bench_board *b, unsigned pages, bool forget,
                      bool marked)
{
    uint32_t w[32];
    unsigned n = 0, top, k;
    struct core *c = &b->core[0];

    w[n++] = ADDI(4, 0, 10);
    w[n++] = MTCTR(4);
    top = n;
    for (k = 0; k < pages; k++) {
        w[n++] = ADDIS(6, 5, k * (STRIDE >> 16));
        w[n++] = LWZ(7, 6, 0);
        if (forget)
            w[n++] = TLBIE(6);
    }
    w[n] = BDNZ(-4 * (int)(n - top));
    w[n + 1] = BLR;
    board_open(b, 1, &timing_detailed, NULL);
    board_words(b, BENCH_CODE, w, n + 2);
    map(b, BENCH_CODE, 0);
    for (k = 0; k < pages; k++)
        map(b, DATA + k * STRIDE, 0);
    core_start(c, BENCH_CODE, 0, 0);
    c->cpu.sdr1 = TABLE;
    c->cpu.gpr[5] = DATA;
    c->cpu.msr |= MSR_IR | MSR_DR;
    c->cpu.lr = 0xFE001100; /* nobody maps it: the run ends in an ISI loop */
    c->cpu.sr[15] = 0x80000000u;
    if (marked)
        mark_the_table(b);
    for (k = 0; k < 10000 && c->cpu.pc != 0x400; k++)
        core_run(c, core_next(c));
}

static void two_pages_of_a_set_stay(void **state)
{
    struct bench_board b;
    const uint64_t *total = b.core[0].pmu.ev.total;

    (void)state;
    run_round(&b, 2, false, false);
    assert_int_equal(b.core[0].cpu.pc, 0x400);
    assert_int_equal(total[EV_dtlb_miss], 2);
    assert_int_equal(total[EV_dtable_search], 2);
    assert_int_equal(total[EV_itlb_miss], 1);
    board_close(&b);
}

static void third_page_of_a_set_always_misses(void **state)
{
    struct bench_board b;
    const uint64_t *total = b.core[0].pmu.ev.total;

    (void)state;
    run_round(&b, 3, false, false);
    assert_int_equal(total[EV_dtlb_miss], 30);
    assert_true(total[EV_dtable_cycles] >= 30);
    board_close(&b);
}

static void tlbie_forgets_the_set(void **state)
{
    struct bench_board b;
    const uint64_t *total = b.core[0].pmu.ev.total;

    (void)state;
    run_round(&b, 2, true, false);
    assert_int_equal(total[EV_dtlb_miss], 20);
    board_close(&b);
}

/* A line has its shadow from the moment that it comes, by a search as by a
 * load; the shadow of the line whose frame it takes goes. */
static void a_search_brings_the_shadow_of_its_lines_along(void **state)
{
    struct bench_board b;
    const struct cache *dcache;
    const struct shadow_side *side = &b.core[0].pif.unit[PIF_GUEST].side[1];
    unsigned lines = 0;

    (void)state;
    run_round(&b, 3, false, true);
    dcache = &pipe_of(&b.core[0])->tags.dcache;
    for (unsigned k = 0; k < dcache->sets * dcache->ways; k++) {
        const struct line *l = &dcache->line[k];
        pa_t pa = l->tag;

        if (l->state == MESI_I || pa - TABLE >= 0x10000)
            continue;
        lines++;
        assert_int_equal(side->frame[k].line, pa | 1);
        assert_int_equal(side->frame[k].format, SHADOW_FULL);
    }
    assert_true(lines >= 2);
    assert_true(side->stats.fills >= lines);
    assert_int_equal(side->stats.late, 0);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_pages_of_a_set_stay),
        cmocka_unit_test(third_page_of_a_set_always_misses),
        cmocka_unit_test(tlbie_forgets_the_set),
        cmocka_unit_test(a_search_brings_the_shadow_of_its_lines_along),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
