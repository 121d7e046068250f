/* watch_test.c - an instruction that is watched: observers hear in front of
 * each time it runs, with the registers of then, in every timing model; cycles,
 * instructions and results are those without. Also where it is stored anew.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/lib/bench_board.h"

#define LOOPS 5000
#define WATCHED (BENCH_CODE + 8)

/* Sums up r4 from LOOPS to 1, and stores the watched word again. */
static const uint32_t code[] = {
    ADDI(4, 0, LOOPS),
    MTCTR(4),
    ADD(3, 3, 4),
    ADDI(4, 4, -1),
    BDNZ(-8),
    ADDIS(6, 0, BENCH_CODE >> 16),
    LWZ(5, 6, 8),
    STW(5, 6, 8),
    SYNC,
    ISYNC,
    ADD(3, 3, 3),
    BLR,
};

struct heard {
    struct observer o;
    uint32_t times, sum;
    cycle_t last;
};

static void watched(void *arg, struct core *c)
{
    struct heard *h = arg;

    assert_int_equal(c->cpu.pc, WATCHED);
    assert_int_equal(c->cpu.gpr[3], h->sum);
    assert_int_equal(c->cpu.gpr[4], LOOPS - h->times);
    assert_true(!h->times || c->observed_cycle > h->last);
    h->last = c->observed_cycle;
    h->sum += c->cpu.gpr[4];
    h->times++;
}

struct result {
    cycle_t end;
    uint64_t insns;
    uint32_t sum;
};

static struct result run(const struct timing *t, struct heard *h)
{
    static struct bench_board b;
    struct result r;

    board_open(&b, 1, t, NULL);
    board_words(&b, BENCH_CODE, code, sizeof code / sizeof *code);
    if (h) {
        *h = (struct heard){.o = {.watched = watched}};
        h->o.arg = h;
        observers_add(&b.observers, &h->o);
        assert_true(core_watch(&b.core[0], WATCHED));
        assert_true(core_watch(&b.core[0], WATCHED));
    }
    core_start(&b.core[0], BENCH_CODE, 0x30000, 0);
    b.core[0].cpu.gpr[3] = 0;
    r.end = board_run(&b);
    r.insns = b.core[0].insns;
    r.sum = b.core[0].cpu.gpr[3];
    if (h) { /* the word was stored to, and is still watched */
        decode_cache_at(&b.decoded, WATCHED);
        assert_true(b.decoded.insns[WATCHED / 4].flags & INSN_OBSERVES);
    }
    board_close(&b);
    return r;
}

static void it_is_heard_and_changes_nothing(void **state)
{
    const struct timing *t;

    (void)state;
    for (unsigned k = 0; (t = timing_at(k)); k++) {
        struct heard h;
        struct result without = run(t, NULL), with = run(t, &h);

        assert_int_equal(h.times, LOOPS);
        assert_int_equal(h.sum, LOOPS * (LOOPS + 1) / 2);
        assert_int_equal(with.sum, 2 * h.sum);
        assert_int_equal(with.sum, without.sum);
        assert_int_equal(with.end, without.end);
        assert_int_equal(with.insns, without.insns);
    }
}

static void there_is_room_for_some(void **state)
{
    static struct bench_board b;

    (void)state;
    board_open(&b, 1, timing_at(0), NULL);
    for (unsigned n = 0; n < DECODE_WATCHES; n++)
        assert_true(core_watch(&b.core[0], BENCH_CODE + 4 * n));
    assert_false(core_watch(&b.core[0], BENCH_DATA));
    assert_true(core_watch(&b.core[0], BENCH_CODE));
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_heard_and_changes_nothing),
        cmocka_unit_test(there_is_room_for_some),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
