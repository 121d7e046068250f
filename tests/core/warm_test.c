/* warm_test.c - warm mode leaves what detailed mode would find: the same lines
 * in the data cache, in the same states and the same order of use, the same
 * pages in the TLBs and the same branch history; by programs whose wrong paths
 * fetch no page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"

#define STEPS 4000
#define LOOP (BENCH_CODE + 6 * 4)

/* r4 walks 256 KB by a generator, half of it by loads, half by stores; a branch
 * depends on it. */
static const uint32_t program[] = {
    ADDIS(5, 0, 4), ADDIS(3, 0, 0x41C6), ORI(3, 3, 0x4E6D), ADDI(4, 0, 1),
    ADDI(6, 0, STEPS), MTCTR(6),
    /* the loop */
    MULLW(4, 4, 3), ADDI(4, 4, 0x3039), ANDI_(7, 4, 0xFFFC), ADD(8, 5, 7),
    LWZ(9, 8, 0), ANDI_(10, 4, 0x4000), BEQ(8), STW(4, 8, 64), ADD(11, 11, 9),
    BDNZ(-36), BLR};

static void run(struct bench_board *b, const struct timing *t, unsigned cpus)
{
    static const char *const small[] = {"dcache_kb=8", "icache_kb=1", NULL};

    board_open(b, cpus, t, small);
    board_words(b, BENCH_CODE, program, sizeof program / 4);
    for (unsigned n = 0; n < cpus; n++)
        core_start(&b->core[n], BENCH_CODE, 0, 0);
    board_run(b);
}

/* Is a target of that address in the BTAC? */
static bool knows(const struct pipe *p, ea_t target)
{
    for (unsigned k = 0; k < p->predict.btac_size; k++)
        if (p->predict.btac[k].used && p->predict.btac[k].target == target)
            return true;
    return false;
}

/* Is each line of a older or younger than the others of its set as in b? */
static void compare_caches(const struct cache *a, const struct cache *b)
{
    unsigned valid = 0;

    for (unsigned k = 0; k < a->sets * a->ways; k++) {
        unsigned set = k / a->ways * a->ways;

        assert_int_equal(a->line[k].state, b->line[k].state);
        if (a->line[k].state == MESI_I) {
            assert_int_equal(a->line[k].tag, TAG_NONE);
            assert_int_equal(a->line[k].used, 0);
            continue;
        }
        valid++;
        assert_int_equal(a->line[k].tag, b->line[k].tag);
        for (unsigned n = set; n < set + a->ways; n++)
            assert_int_equal(a->line[k].used < a->line[n].used,
                             b->line[k].used < b->line[n].used);
    }
    assert_true(valid > a->sets);
}

static void the_data_cache_and_the_history_are_those_of_detailed(void **state)
{
    static struct bench_board a, b;
    const struct pipe *x, *y;

    (void)state;
    run(&a, &timing_detailed, 1);
    run(&b, &timing_warm, 1);
    x = pipe_of(&a.core[0]);
    y = pipe_of(&b.core[0]);
    compare_caches(&x->tags.dcache, &y->tags.dcache);
    assert_memory_equal(x->predict.bht, y->predict.bht,
                        x->predict.bht_mask + 1);
    assert_true(knows(x, LOOP) && knows(y, LOOP));
    assert_non_null(cache_find(&y->tags.icache, BENCH_CODE));
    assert_int_equal(a.core[0].insns, b.core[0].insns);
    board_close(&a);
    board_close(&b);
}

/* It costs no cycle: those are fast mode's. */
static void its_cycles_are_those_of_fast(void **state)
{
    static struct bench_board a, b;

    (void)state;
    run(&a, &timing_fast, 1);
    run(&b, &timing_warm, 1);
    assert_int_equal(a.core[0].clock, b.core[0].clock);
    assert_int_equal(b.bus.transactions, 0);
    assert_int_equal(b.core[0].pmu.ev.total[EV_dcache_miss], 0);
    board_close(&a);
    board_close(&b);
}

/* Two processors that store to the same lines: at most one has one modified,
 * and no other has it then. */
static void caches_of_several_processors_agree(void **state)
{
    static struct bench_board b;
    unsigned modified = 0, shared = 0;

    (void)state;
    run(&b, &timing_warm, 2);
    for (unsigned n = 0; n < 2; n++) {
        const struct cache *mine = &pipe_of(&b.core[n])->tags.dcache;
        const struct cache *other = &pipe_of(&b.core[!n])->tags.dcache;

        for (unsigned k = 0; k < mine->sets * mine->ways; k++) {
            const struct line *l = &mine->line[k], *theirs;

            theirs = l->state ? cache_find(other, l->tag) : NULL;
            modified += l->state == MESI_M;
            shared += theirs != NULL;
            if (theirs)
                assert_int_equal(l->state, MESI_S);
        }
    }
    assert_true(modified > 10 && shared > 10);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_data_cache_and_the_history_are_those_of_detailed),
        cmocka_unit_test(its_cycles_are_those_of_fast),
        cmocka_unit_test(caches_of_several_processors_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
