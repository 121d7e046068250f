/* lsu_test.c - what accesses cost, by itself: outcomes in, cycles out. The tags
 * are never looked at: whatever they hold, the cycles are the same, and nothing
 * of them changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"

#define FRAMES 1024u
#define FRAME 7u

static struct bench_board b;
static struct line *tags[2]; /* of both CPUs, as they were */

/* Two CPUs whose tags hold what is not so: every frame has line `junk`. */
static void open_with(pa_t junk)
{
    board_open(&b, 2, &timing_detailed, NULL);
    for (unsigned n = 0; n < 2; n++) {
        struct cache *c = &pipe_of(&b.core[n])->tags.dcache;

        core_start(&b.core[n], BENCH_CODE, 0, 0);
        assert_int_equal(c->sets * c->ways, FRAMES);
        for (unsigned k = 0; k < FRAMES; k++)
            c->line[k] = (struct line){junk, (uint8_t)(junk % 4), k};
        tags[n] = malloc(FRAMES * sizeof *tags[n]);
        assert_non_null(tags[n]);
        memcpy(tags[n], c->line, FRAMES * sizeof *tags[n]);
    }
}

static void close_and_compare(void)
{
    for (unsigned n = 0; n < 2; n++) {
        assert_memory_equal(tags[n], pipe_of(&b.core[n])->tags.dcache.line,
                            FRAMES * sizeof *tags[n]);
        free(tags[n]);
    }
    board_close(&b);
}

static int start(void **state)
{
    (void)state;
    open_with(0x1000);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    close_and_compare();
    return 0;
}

/* CPU 0 runs `word`, issued in `issue`, of n accesses that met the outcomes in
 * its pipe; it completes when it has finished. Returns when that is. */
static cycle_t run(uint32_t word, cycle_t issue, unsigned n)
{
    static struct insn i;
    struct core *c = &b.core[0];
    struct slot s;

    memset(&s, 0, sizeof s);
    isa_decode(&i, word);
    s.i = &i;
    s.chip = &c->with.chip->row[i.class];
    s.pc = BENCH_CODE;
    s.dispatch = issue - 1;
    s.issue = issue;
    s.finish = issue + s.chip->latency;
    c->cpu.step.accesses = (uint8_t)n;
    for (unsigned k = 0; k < n; k++)
        c->cpu.step.access[k] = (struct access){
            BENCH_DATA + 64 * k, BENCH_DATA + 64 * k, 4, ACCESS_LOAD, false};
    lsu_finish(c, &s);
    s.complete = s.finish;
    lsu_commit(c, &s);
    return s.finish;
}

static struct access_outcome *met(unsigned k, enum line_answer answer)
{
    struct access_outcome *o = &pipe_of(&b.core[0])->outcome[k];

    *o = (struct access_outcome){.line.answer = (uint8_t)answer,
                                 .line.frame = FRAME,
                                 .line.op = BUS_READ,
                                 .line.asked = answer == LINE_MISS};
    return o;
}

static uint64_t total(enum event e)
{
    return b.core[0].pmu.ev.total[e];
}

/* Issued in 100: address in 100, cache in 101, usable from 102. */
static void a_hit_takes_two_cycles(void **state)
{
    (void)state;
    met(0, LINE_HIT);
    assert_int_equal(run(LWZ(3, 5, 0), 100, 1), 102);
    assert_int_equal(total(EV_dcache_miss), 0);
}

/* The line is on its way: its double words come 3 cycles apart from 200 on,
 * the critical one, number 2, first; number 1 is the last of four. */
static void a_hit_on_a_line_that_still_comes_waits_for_its_word(void **state)
{
    (void)state;
    cache_arrive(&pipe_of(&b.core[0])->tags.dcache, FRAME, 2, 200, 3);
    met(0, LINE_HIT)->line.word = 1;
    assert_int_equal(run(LWZ(3, 5, 0), 100, 1), 200 + 3 * 3 + 1);
}

/* Asked in 101; the bus runs at a third, so from 102; 8 bus cycles of 3. */
static void a_miss_waits_for_memory(void **state)
{
    (void)state;
    met(0, LINE_MISS);
    assert_int_equal(run(LWZ(3, 5, 0), 100, 1), 102 + 24 + 1);
    assert_int_equal(total(EV_dcache_miss), 1);
    assert_int_equal(total(EV_load_exclusive), 1);
    assert_int_equal(pipe_of(&b.core[0])->tags.dcache.arrival[FRAME].ready,
                     126);
}

/* The other CPU's line is pushed when its last store has committed, in 500:
 * over the bus from 501 on, at its edge. */
static void a_pushed_line_comes_when_its_owner_has_committed(void **state)
{
    struct access_outcome *o = met(0, LINE_MISS);

    (void)state;
    o->line.by = (struct snooped){
        .seen = 2, .hit = 2, .pushed = 2, .shared = true, .frame = 9};
    pipe_of(&b.core[1])->tags.dcache.arrival[9].written = 500;
    assert_int_equal(run(LWZ(3, 5, 0), 100, 1), 504 + 1);
    assert_int_equal(total(EV_load_shared), 1);
    assert_int_equal(b.core[1].pmu.ev.total[EV_snoop_push], 1);
}

/* A group of 8 entries, in two lines that are there, and then a hit. */
static void a_search_takes_a_cycle_an_entry(void **state)
{
    struct access_outcome *o = met(0, LINE_HIT);

    (void)state;
    o->search = (struct search_outcome){
        .searched = true, .missed = true, .lines = 2, .entries = 8};
    o->search.line[0].answer = o->search.line[1].answer = LINE_HIT;
    assert_int_equal(run(LWZ(3, 5, 0), 100, 1), 102 + 8);
    assert_int_equal(total(EV_dtlb_miss), 1);
    assert_int_equal(total(EV_dtable_cycles), 8);
}

/* Two misses at once; the third load waits for the first one's register. */
static void two_fills_are_outstanding_at_most(void **state)
{
    cycle_t done[3];

    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        met(0, LINE_MISS)->line.frame = (uint16_t)(FRAME + k);
        done[k] = run(LWZ(3, 5, 0), 100 + k, 1);
    }
    assert_int_equal(done[0], 127);
    assert_int_equal(done[1], 127 + 12); /* four beats behind it */
    /* its last beat came in 126 + 9; address from there, then as the first */
    assert_int_equal(done[2], 135 + 24 + 1);
}

static void a_castout_counts_and_takes_a_buffer(void **state)
{
    (void)state;
    met(0, LINE_MISS)->line.castout = true;
    run(LWZ(3, 5, 0), 100, 1);
    assert_int_equal(total(EV_castout_write), 1);
    assert_true(pipe_of(&b.core[0])->castout[0] > 126);
}

/* A store commits behind its completion, and a load from the same low bits of
 * another address waits for that; one from others does not. */
static void a_load_waits_for_a_store_with_its_low_bits(void **state)
{
    cycle_t stored;

    (void)state;
    pipe_of(&b.core[0])->tags.dcache.arrival[FRAME].ready = 300;
    met(0, LINE_HIT)->line.found = MESI_E;
    run(STW(3, 5, 0), 100, 1);
    stored = pipe_of(&b.core[0])->committed;
    assert_int_equal(stored, 300);
    met(0, LINE_HIT)->line.frame = FRAME + 1;
    assert_int_equal(run(LWZ(3, 5, 0), 110, 1), stored + 1 + 1);
    assert_int_equal(total(EV_lsu_stall_collision), stored + 1 - 111);
}

/* The same outcomes from the same state: the same cycles, events, calendars and
 * arrivals, whatever the tags. */
static void tags_do_not_matter(void **state)
{
    static struct bus first;
    static struct arrival arrival[FRAMES];
    uint64_t events[EV_COUNT];
    cycle_t finish[2][3];

    (void)state;
    for (unsigned pass = 0; pass < 2; pass++) {
        open_with(pass ? 0x20003 : 0);
        met(0, LINE_MISS)->line.castout = true;
        met(1, LINE_HIT)->line.frame = 20;
        met(2, LINE_SINGLE);
        finish[pass][0] = run(LMW(29, 5, 0), 100, 3);
        finish[pass][1] = run(STW(3, 5, 0), 101, 1);
        finish[pass][2] = run(LWZ(3, 5, 0), 102, 1);
        if (!pass) {
            first = b.bus;
            memcpy(events, b.core[0].pmu.ev.total, sizeof events);
            memcpy(arrival, pipe_of(&b.core[0])->tags.dcache.arrival,
                   sizeof arrival);
        } else {
            assert_memory_equal(&first.address, &b.bus.address,
                                sizeof first.address);
            assert_memory_equal(&first.data, &b.bus.data, sizeof first.data);
            assert_memory_equal(events, b.core[0].pmu.ev.total, sizeof events);
            assert_memory_equal(arrival,
                                pipe_of(&b.core[0])->tags.dcache.arrival,
                                sizeof arrival);
        }
        close_and_compare();
    }
    assert_memory_equal(finish[0], finish[1], sizeof finish[0]);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_hit_takes_two_cycles),
        CASE(a_hit_on_a_line_that_still_comes_waits_for_its_word),
        CASE(a_miss_waits_for_memory),
        CASE(a_pushed_line_comes_when_its_owner_has_committed),
        CASE(a_search_takes_a_cycle_an_entry),
        CASE(two_fills_are_outstanding_at_most),
        CASE(a_castout_counts_and_takes_a_buffer),
        CASE(a_load_waits_for_a_store_with_its_low_bits),
        cmocka_unit_test(tags_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
