/* access_test.c - what an access meets, by itself: tags and states in, outcome
 * and states out. No instruction runs and no cycle passes; that none did is
 * asserted of every case.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "isa/mmu.h"
#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"

#define WAY (32u * 1024 / 4) /* bytes: lines so far apart share a set */
#define DCBZ(a, b) (31u << 26 | (a) << 16 | (b) << 11 | 1014 << 1)
#define DCBF(a, b) (31u << 26 | (a) << 16 | (b) << 11 | 86 << 1)
#define PAGE_WRITABLE 2u
#define PAGE_R 0x100u
#define PAGE_W 0x40u

static struct bench_board b;
static struct access_outcome o[STEP_ACCESSES];

static int start(void **state)
{
    (void)state;
    board_open(&b, 3, &timing_detailed, NULL);
    for (unsigned n = 0; n < 3; n++)
        core_start(&b.core[n], BENCH_CODE, 0, 0);
    memset(o, 0xEE, sizeof o);
    return 0;
}

/* Nothing that has a cycle in it was touched. */
static int stop(void **state)
{
    (void)state;
    assert_int_equal(b.bus.transactions, 0);
    assert_int_equal(b.bus.address.count, 0);
    for (unsigned n = 0; n < 3; n++) {
        const struct core *c = &b.core[n];
        const struct cache *dcache = &pipe_of(c)->tags.dcache;

        assert_int_equal(c->clock, 0);
        for (unsigned e = 0; e < EV_COUNT; e++)
            assert_int_equal(c->pmu.ev.total[e], 0);
        for (unsigned k = 0; k < dcache->sets * dcache->ways; k++)
            assert_int_equal(
                dcache->arrival[k].ready | dcache->arrival[k].written, 0);
    }
    board_close(&b);
    return 0;
}

static struct line *line_of(unsigned cpu, pa_t pa)
{
    return cache_find(&pipe_of(&b.core[cpu])->tags.dcache, pa);
}

static enum mesi state_of(unsigned cpu, pa_t pa)
{
    const struct line *l = line_of(cpu, pa);

    return l ? (enum mesi)l->state : MESI_I;
}

static void put(unsigned cpu, pa_t pa, enum mesi state)
{
    struct cache *c = &pipe_of(&b.core[cpu])->tags.dcache;

    cache_place(c, cache_victim(c, pa), pa, state);
}

/* CPU 0 has run `word`, which accessed pa. */
static const struct line_outcome *does(uint32_t word, enum access_kind kind,
                                       pa_t pa)
{
    struct core *c = &b.core[0];
    struct insn i;

    isa_decode(&i, word);
    c->cpu.step.accesses = 1;
    c->cpu.step.access[0] = (struct access){pa, pa, 4, (uint8_t)kind, false};
    access_data(c, &i, o);
    return &o[0].line;
}

static const struct line_outcome *loads(pa_t pa)
{
    return does(LWZ(3, 5, 0), ACCESS_LOAD, pa);
}

static const struct line_outcome *stores(pa_t pa)
{
    return does(STW(3, 5, 0), ACCESS_STORE, pa);
}

/* ---- loads --------------------------------------------------------------- */

static void a_line_that_only_memory_has_is_read_and_exclusive(void **state)
{
    const struct line_outcome *l = loads(0x1008);

    (void)state;
    assert_int_equal(l->answer, LINE_MISS);
    assert_int_equal(l->op, BUS_READ);
    assert_true(l->asked);
    assert_int_equal(l->by.seen, 6);
    assert_int_equal(l->by.hit, 0);
    assert_false(l->castout);
    assert_int_equal(l->word, 1);
    assert_int_equal(state_of(0, 0x1008), MESI_E);
    assert_ptr_equal(line_of(0, 0x1000),
                     &pipe_of(&b.core[0])->tags.dcache.line[l->frame]);
    assert_false(o[0].search.searched);
}

static void what_is_there_hits_and_asks_no_one(void **state)
{
    const struct line_outcome *l;

    (void)state;
    put(0, 0x1000, MESI_S);
    l = loads(0x1018);
    assert_int_equal(l->answer, LINE_HIT);
    assert_int_equal(l->found, MESI_S);
    assert_int_equal(l->word, 3);
    assert_false(l->asked);
    assert_int_equal(state_of(0, 0x1000), MESI_S);
}

static void a_modified_line_is_pushed_and_shared(void **state)
{
    const struct line_outcome *l;

    (void)state;
    put(2, 0x1000, MESI_M);
    l = loads(0x1000);
    assert_int_equal(l->answer, LINE_MISS);
    assert_int_equal(l->by.hit, 4);
    assert_int_equal(l->by.pushed, 4);
    assert_true(l->by.shared);
    assert_int_equal(l->by.frame, cache_frame(&pipe_of(&b.core[2])->tags.dcache,
                                              line_of(2, 0x1000)));
    assert_int_equal(state_of(0, 0x1000), MESI_S);
    assert_int_equal(state_of(2, 0x1000), MESI_S);
}

/* Of the four in the set the one used longest ago goes, and is modified. */
static void the_way_that_makes_room_is_cast_out_if_modified(void **state)
{
    const struct line_outcome *l;

    (void)state;
    for (unsigned k = 0; k < 4; k++)
        put(0, k * WAY, k == 1 ? MESI_M : MESI_E);
    loads(0);
    l = loads(4 * WAY);
    assert_true(l->castout);
    assert_int_equal(l->frame, 1);
    assert_null(line_of(0, WAY));
    l = loads(5 * WAY);
    assert_false(l->castout);
    assert_int_equal(l->frame, 2);
}

static void with_the_cache_off_no_line_is_touched(void **state)
{
    (void)state;
    pipe_of(&b.core[0])->hid0 &= ~HID0_DCE;
    put(0, 0x1000, MESI_E);
    assert_int_equal(loads(0x1000)->answer, LINE_SINGLE);
    assert_int_equal(stores(0x2000)->answer, LINE_SINGLE);
    assert_null(line_of(0, 0x2000));
}

/* ---- stores and cache operations ----------------------------------------- */

static void a_store_to_a_shared_line_kills_the_other_copies(void **state)
{
    const struct line_outcome *l;

    (void)state;
    put(0, 0x1000, MESI_S);
    put(1, 0x1000, MESI_S);
    l = stores(0x1000);
    assert_int_equal(l->answer, LINE_HIT);
    assert_int_equal(l->found, MESI_S);
    assert_true(l->asked);
    assert_int_equal(l->op, BUS_KILL);
    assert_int_equal(l->by.hit, 2);
    assert_int_equal(state_of(0, 0x1000), MESI_M);
    assert_int_equal(state_of(1, 0x1000), MESI_I);
}

static void a_store_to_an_exclusive_line_asks_no_one(void **state)
{
    (void)state;
    put(0, 0x1000, MESI_E);
    assert_false(stores(0x1000)->asked);
    assert_int_equal(state_of(0, 0x1000), MESI_M);
}

static void a_store_that_misses_reads_for_ownership(void **state)
{
    const struct line_outcome *l;

    (void)state;
    put(1, 0x1000, MESI_M);
    l = stores(0x1000);
    assert_int_equal(l->answer, LINE_MISS);
    assert_int_equal(l->op, BUS_RWITM);
    assert_int_equal(l->by.pushed, 2);
    assert_int_equal(state_of(0, 0x1000), MESI_M);
    assert_int_equal(state_of(1, 0x1000), MESI_I);
}

static void a_conditional_store_that_failed_asks_for_nothing(void **state)
{
    (void)state;
    b.core[0].cpu.step.conditional_failed = true;
    assert_int_equal(does(STWCX_(3, 5, 6), ACCESS_STORE, 0x1000)->answer,
                     LINE_NONE);
    assert_null(line_of(0, 0x1000));
    assert_int_equal(stores(0x1000)->answer, LINE_MISS); /* it is stwcx.'s */
}

static void dcbz_makes_its_line_and_dcbf_sends_it_away(void **state)
{
    const struct line_outcome *l;

    (void)state;
    put(1, 0x1000, MESI_S);
    l = does(DCBZ(0, 5), ACCESS_DCBZ, 0x1000);
    assert_int_equal(l->answer, LINE_ZEROED);
    assert_int_equal(l->op, BUS_KILL);
    assert_int_equal(state_of(0, 0x1000), MESI_M);
    assert_int_equal(state_of(1, 0x1000), MESI_I);
    l = does(DCBF(0, 5), ACCESS_DCBF, 0x1000);
    assert_int_equal(l->answer, LINE_OUT);
    assert_true(l->castout);
    assert_int_equal(state_of(0, 0x1000), MESI_I);
}

/* ---- translation --------------------------------------------------------- */

static void translated(void)
{
    b.core[0].cpu.sdr1 = BENCH_TABLE;
    b.core[0].cpu.msr |= MSR_DR;
}

/* The entry is the first of its group: one line, one entry. */
static void a_page_that_the_tlb_lacks_is_searched_once(void **state)
{
    const struct search_outcome *s = &o[0].search;
    pa_t entry = board_map(&b, 0x1000, PAGE_R | PAGE_WRITABLE);

    (void)state;
    translated();
    loads(0x1000);
    assert_true(s->searched);
    assert_true(s->missed);
    assert_false(s->stored);
    assert_int_equal(s->lines, 1);
    assert_int_equal(s->entries, 1);
    assert_int_equal(s->line[0].answer, LINE_MISS);
    assert_int_equal(state_of(0, entry), MESI_E);
    loads(0x1080);
    assert_false(s->searched);
}

/* isa/ has set R in the table and says so in the step. */
static void a_mark_in_the_table_is_a_store_there(void **state)
{
    const struct search_outcome *s = &o[0].search;
    pa_t entry = board_map(&b, 0x1000, PAGE_R | PAGE_WRITABLE);
    struct step *step = &b.core[0].cpu.step;

    (void)state;
    translated();
    step->marks = 1;
    step->mark[0] = (struct access){0x1000, entry, 4, ACCESS_MARK, false};
    loads(0x1000);
    assert_true(s->stored);
    assert_int_equal(s->mark.answer, LINE_HIT); /* the search brought it */
    assert_int_equal(state_of(0, entry), MESI_M);
}

static void a_store_to_a_write_through_page_leaves_our_copy(void **state)
{
    const struct line_outcome *l;

    (void)state;
    board_map(&b, 0x1000, PAGE_R | PAGE_W | PAGE_WRITABLE);
    translated();
    put(0, 0x1000, MESI_S);
    put(1, 0x1000, MESI_S);
    l = stores(0x1000);
    assert_int_equal(l->answer, LINE_THROUGH);
    assert_int_equal(l->op, BUS_FLUSH);
    assert_int_equal(state_of(0, 0x1000), MESI_S);
    assert_int_equal(state_of(1, 0x1000), MESI_I);
}

/* ---- fetch --------------------------------------------------------------- */

static void a_fetched_line_is_shared_until_it_is_invalidated(void **state)
{
    struct core *c = &b.core[0];
    unsigned frame;

    (void)state;
    put(1, BENCH_CODE, MESI_M);
    access_fetch(c, BENCH_CODE, BENCH_CODE, false, o);
    assert_int_equal(o->line.answer, LINE_MISS);
    assert_int_equal(o->line.by.pushed, 2);
    assert_int_equal(state_of(1, BENCH_CODE), MESI_S);
    assert_true(access_fetched(c, BENCH_CODE + 28, &frame));
    assert_int_equal(frame, o->line.frame);
    access_fetch(c, BENCH_CODE, BENCH_CODE, false, o);
    assert_int_equal(o->line.answer, LINE_HIT);
    does(31u << 26 | 5u << 11 | 982 << 1, ACCESS_ICBI, BENCH_CODE);
    assert_int_equal(o->line.answer, LINE_ICBI);
    assert_false(access_fetched(c, BENCH_CODE, &frame));
    access_fetch(c, BENCH_CODE, BENCH_CODE, true, o);
    assert_int_equal(o->line.answer, LINE_SINGLE);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_line_that_only_memory_has_is_read_and_exclusive),
        CASE(what_is_there_hits_and_asks_no_one),
        CASE(a_modified_line_is_pushed_and_shared),
        CASE(the_way_that_makes_room_is_cast_out_if_modified),
        CASE(with_the_cache_off_no_line_is_touched),
        CASE(a_store_to_a_shared_line_kills_the_other_copies),
        CASE(a_store_to_an_exclusive_line_asks_no_one),
        CASE(a_store_that_misses_reads_for_ownership),
        CASE(a_conditional_store_that_failed_asks_for_nothing),
        CASE(dcbz_makes_its_line_and_dcbf_sends_it_away),
        CASE(a_page_that_the_tlb_lacks_is_searched_once),
        CASE(a_mark_in_the_table_is_a_store_there),
        CASE(a_store_to_a_write_through_page_leaves_our_copy),
        CASE(a_fetched_line_is_shared_until_it_is_invalidated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
