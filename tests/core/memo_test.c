/* memo_test.c - the timing memo: what it replays has the cycles, events and
 * charges of the stages, it does replay, and --memo=check sees an edge that is
 * wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/detailed/memo/memo_private.h"
#include "tests/lib/bench_board.h"
#include "pmu/pif/host_marks.h"

#define COUNT(w) (sizeof w / sizeof w[0])
#define ROUNDS 2000

/* Sums with loads, stores that are read back, a product whose time depends on
 * its operand, a branch that is seldom guessed, lines that miss. */
static const uint32_t words[] = {
    ADDI(9, 0, ROUNDS),
    MTCTR(9),
    ADDIS(5, 0, BENCH_DATA >> 16),
    ADDI(6, 0, 1),
    ADDI(7, 0, 0),
    /* loop */
    LWZ(3, 5, 0),
    ADD(3, 3, 6),
    STW(3, 5, 4),
    LWZ(4, 5, 4),
    MULLW(6, 4, 6),
    ADDI(6, 6, 77),
    ANDI_(8, 6, 4),
    BEQ(8),
    ADD(7, 7, 6),
    ADDI(5, 5, 12),
    BDNZ(-40),
    BLR,
};

static void open_board(struct bench_board *b, unsigned cpus)
{
    board_open(b, cpus, &timing_detailed, NULL);
    board_words(b, BENCH_CODE, words, COUNT(words));
    for (unsigned n = 0; n < cpus; n++)
        core_start(&b->core[n], BENCH_CODE, 0, 0);
}

static const struct memo *memo(const struct bench_board *b)
{
    return pipe_of(&b->core[0])->memo;
}

static void compare(const struct bench_board *a, const struct bench_board *b,
                    unsigned cpu)
{
    const struct core *x = &a->core[cpu], *y = &b->core[cpu];

    assert_int_equal(x->insns, y->insns);
    assert_int_equal(x->clock, y->clock);
    assert_int_equal(x->cpu.gpr[7], y->cpu.gpr[7]);
    assert_memory_equal(x->pmu.ev.total, y->pmu.ev.total,
                        sizeof x->pmu.ev.total);
    assert_int_equal(oracle_total(x->oracle), oracle_total(y->oracle));
    history_spell(pipe_of(x));
    history_spell(pipe_of(y));
    assert_int_equal(pipe_of(x)->history_at, pipe_of(y)->history_at);
    assert_memory_equal(pipe_of(x)->history, pipe_of(y)->history,
                        sizeof pipe_of(x)->history);
    assert_memory_equal(pipe_of(x)->predict.bht, pipe_of(y)->predict.bht,
                        pipe_of(x)->predict.bht_mask + 1);
}

/* How often host code found a wrong path as it was. */
static unsigned wrong;

static bool count_walk(struct core *c, unsigned step)
{
    bool same = memo_calls.walks(c, step);

    wrong += same;
    return same;
}

/* Most steps run as host code, unless the host has none. */
static bool runs_as_code(const struct bench_board *b)
{
    const char *why;
    struct stencil *has = stencils_read(STENCILS_OF_MEMO, &why);

    if (has)
        assert_true(memo(b)->coded > b->core[0].insns / 2);
    free(has);
    return has;
}

static void replays_what_the_stages_work_out(void **state)
{
    static struct bench_board a, b;

    (void)state;
    for (unsigned cpus = 1; cpus <= 2; cpus++) {
        open_board(&a, cpus);
        open_board(&b, cpus);
        for (unsigned n = 0; n < cpus; n++)
            memo_free(&b.core[n]);
        assert_non_null(memo(&a));
        assert_null(memo(&b));
        for (unsigned n = 0; n < cpus; n++)
            pipe_of(&a.core[n])->memo->calls.walks = count_walk;
        wrong = 0;
        assert_int_equal(board_run(&a), board_run(&b));
        for (unsigned n = 0; n < cpus; n++)
            compare(&a, &b, n);
        assert_true(memo(&a)->replayed > a.core[0].insns / 2);
        if (runs_as_code(&a))
            assert_true(wrong > ROUNDS / 4);
        board_close(&a);
        board_close(&b);
    }
}

struct rows {
    uint64_t n, sum;
};

/* How often host code asked for a line, and was told what it was. */
static unsigned missed;

static struct asked count_load(struct core *c, unsigned step, ea_t ea, pa_t pa,
                               unsigned size)
{
    struct asked a = memo_calls.load(c, step, ea, pa, size);

    missed += a.answered;
    return a;
}

static void misses_are_asked_for_by_host_code(void **state)
{
    static const uint32_t sums[] = {
        ADDI(9, 0, 1000), MTCTR(9),     ADDIS(5, 0, BENCH_DATA >> 16),
        ADDI(7, 0, 0),    LWZ(3, 5, 0), ADD(7, 7, 3),
        ADDI(5, 5, 32),   BDNZ(-12),    BLR,
    };
    static struct bench_board stages, replayed;

    (void)state;
#if !STENCILS_HOST
    skip();
#endif
    open_board(&stages, 1);
    open_board(&replayed, 1);
    board_words(&stages, BENCH_CODE, sums, COUNT(sums));
    board_words(&replayed, BENCH_CODE, sums, COUNT(sums));
    memo_free(&stages.core[0]);
    pipe_of(&replayed.core[0])->memo->calls.load = count_load;
    missed = 0;
    assert_int_equal(board_run(&replayed), board_run(&stages));
    compare(&stages, &replayed, 0);
    assert_in_range(missed, 500, 1000); /* of 1,000 lines */
    board_close(&stages);
    board_close(&replayed);
}

static unsigned branches, turned;

static bool count_branch(struct core *c, ea_t group, ea_t pc, uint32_t told,
                         ea_t at_fetch, ea_t target)
{
    bool same = memo_calls.branch(c, group, pc, told, at_fetch, target);

    branches += same;
    return same;
}

static bool count_lines(struct core *c, pa_t pa, ea_t pc, int32_t filled,
                        uint32_t ahead)
{
    bool same = memo_calls.lines(c, pa, pc, filled, ahead);

    turned += same;
    return same;
}

#define JUMPS 80u /* more than the BTAC has entries */
#define TIMES 600u

/* A loop of more branches than the BTAC holds, one that is taken every other
 * time, and one to another page. */
static void write_branches(struct bench_board *b)
{
    static const uint32_t away[] = {ADDI(7, 7, 2), B(-0x1000)};
    uint32_t w[2 * JUMPS + 16], n = 0, loop, leaves;

    w[n++] = ADDI(9, 0, TIMES);
    w[n++] = MTCTR(9);
    w[n++] = ADDI(7, 0, 0);
    w[n++] = ADDI(8, 0, 0);
    loop = n;
    for (unsigned k = 0; k < JUMPS; k++) {
        w[n++] = B(8);
        w[n++] = ADDI(7, 7, 100);
    }
    w[n++] = ADDI(8, 8, 1);
    w[n++] = ANDI_(4, 8, 1);
    w[n++] = BEQ(8);
    w[n++] = ADDI(7, 7, 1);
    leaves = n;
    w[n++] = B(0x1000);
    w[n] = BDNZ(-4 * (int)(n - loop));
    n++;
    w[n++] = BLR;
    board_words(b, BENCH_CODE, w, n);
    board_words(b, BENCH_CODE + 4 * leaves + 0x1000, away, COUNT(away));
}

static void branches_are_found_by_host_code(void **state)
{
    static struct bench_board stages, replayed;
    struct memo_calls *calls;

    (void)state;
#if !STENCILS_HOST
    skip();
#endif
    open_board(&stages, 1);
    open_board(&replayed, 1);
    write_branches(&stages);
    write_branches(&replayed);
    memo_free(&stages.core[0]);
    calls = &pipe_of(&replayed.core[0])->memo->calls;
    calls->branch = count_branch;
    calls->lines = count_lines;
    branches = turned = 0;
    assert_int_equal(board_run(&replayed), board_run(&stages));
    compare(&stages, &replayed, 0);
    assert_int_equal(replayed.core[0].cpu.gpr[7], TIMES / 2 + 2 * TIMES);
    assert_true(branches > JUMPS * TIMES / 2);
    assert_true(turned > TIMES);
    runs_as_code(&replayed);
    board_close(&stages);
    board_close(&replayed);
}

static void on_row(void *arg, uint32_t context, uint32_t pc, enum reason reason,
                   uint64_t twelfths)
{
    struct rows *r = arg;

    r->n++;
    r->sum = r->sum * 31 + ((uint64_t)context << 40 ^ (uint64_t)pc << 8 ^
                            (uint64_t)reason ^ twelfths << 20);
}

/* The context changes in the middle of what is replayed, by another's doing. */
static void charges_whom_the_stages_charge(void **state)
{
    static struct bench_board b;
    struct rows rows[2] = {{0, 0}, {0, 0}};

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        open_board(&b, 1);
        if (k)
            memo_free(&b.core[0]);
        for (cycle_t at = 9000; at < 20000; at += 1001) {
            core_run(&b.core[0], at);
            b.core[0].context++;
        }
        board_run(&b);
        oracle_drain(b.core[0].oracle, on_row, &rows[k]);
        board_close(&b);
    }
    assert_true(rows[0].n > 100);
    assert_int_equal(rows[0].n, rows[1].n);
    assert_int_equal(rows[0].sum, rows[1].sum);
}

struct heard {
    uint64_t n, sum;
};

static void on_sampled(void *arg, const struct insn_info *d, uint32_t passed)
{
    const uint64_t all[] = {
        d->pc,           d->data.ea,  d->context, d->op,     d->user,
        d->mispredicted, d->taken,    d->wrong,   d->slot,   d->completed,
        d->fetch,        d->dispatch, d->issue,   d->finish, d->latency,
        d->data_latency, d->dtlb,     d->imiss,   d->level,  d->oldest,
        d->complete,     passed,
    };
    struct heard *h = arg;

    h->n++;
    for (unsigned k = 0; k < COUNT(all); k++)
        h->sum = (h->sum ^ all[k]) * 0x9E3779B97F4A7C15u;
}

/* Samplers of instructions hear of the same ones, on wrong paths too; and the
 * stages are not asked for those that are sampled: of every third they are. */
static void sampled_instructions_are_those_of_the_stages(void **state)
{
    static struct bench_board b;
    const uint32_t period[] = {3, 50, 700};

    (void)state;
    for (unsigned p = 0; p < 3; p++) {
        struct heard heard[2] = {{0, 0}, {0, 0}};

        for (unsigned k = 0; k < 2; k++) {
            open_board(&b, 1);
            sampled_host(&b.core[0].pif.sampled, period[p], 0, on_sampled,
                         &heard[k]);
            pif_told(&b.core[0].pif);
            if (k)
                memo_free(&b.core[0]);
            board_run(&b);
            if (!k)
                assert_true(memo(&b)->replayed > b.core[0].insns * 4 / 5);
            if (!k && period[p] == 700)
                runs_as_code(&b);
            board_close(&b);
        }
        assert_true(heard[0].n > 20);
        assert_int_equal(heard[0].n, heard[1].n);
        assert_int_equal(heard[0].sum, heard[1].sum);
    }
}

static void on_sample(void *arg, struct core *c, const struct core_sample *s)
{
    struct heard *h = arg;

    h->n++;
    h->sum = h->sum * 31 + ((uint64_t)s->pc << 32 ^ s->at << 8 ^
                            (uint64_t)s->interrupted << 16 ^ s->events);
    if (pipe_of(c)->memo)
        assert_int_equal(pipe_of(c)->memo->replayed, 0);
}

/* Samples of cycles are the same, and no reason to hand anything over. */
static void samples_of_cycles_find_what_is_replayed(void **state)
{
    static struct bench_board b;
    const struct host_counter_spec spec[] = {{EV_cycles, 97, true, true},
                                             {EV_cycles, 31, true, true}};

    (void)state;
    for (unsigned counters = 1; counters <= 2; counters++) {
        struct heard heard[2] = {{0, 0}, {0, 0}};

        for (unsigned k = 0; k < 2; k++) {
            struct observer o = {.arg = &heard[k], .sample = on_sample};
            struct core *c = &b.core[0];

            open_board(&b, 1);
            observers_add(&b.observers, &o);
            host_counters_init(&c->host_counters, &c->pmu.ev, spec, counters,
                               1);
            if (k)
                memo_free(c);
            board_run(&b);
            if (!k)
                assert_true(memo(&b)->replayed > c->insns / 2);
            board_close(&b);
        }
        assert_true(heard[0].n > 50);
        assert_int_equal(heard[0].n, heard[1].n);
        assert_int_equal(heard[0].sum, heard[1].sum);
    }
}

/* Marks of instructions and of data count what they count without the memo,
 * and the shadow cache sees the same lookups. */
static void marks_count_what_the_stages_count(void **state)
{
    static struct bench_board b[2];
    static struct host_marks marks[2];
    struct widened wide[2][2] = {0};
    static const uint32_t kinds[] = {
        IND_COUNT, IND_COUNT | IND_TH0, IND_COUNT | IND_LIMIT,
        IND_COUNT | IND_TOGGLE, IND_COUNT | IND_STORES};

    (void)state;
    for (unsigned n = 0; n < COUNT(kinds); n++)
        for (unsigned data = 0; data < 2; data++) {
            const struct host_mark *m[2];

            for (unsigned k = 0; k < 2; k++) {
                uint32_t at = data ? BENCH_DATA + 1204 : BENCH_CODE + 4 * 6;

                open_board(&b[k], 1);
                host_marks_init(&marks[k], 32);
                assert_true(
                    host_marks_add(&marks[k], 0, at, data, kinds[n], 100));
                pif_host(&b[k].core[0].pif, &marks[k], wide[k],
                         PIFM_IE | (data ? PIFM_DE : 0) | PIFM_US | PIFM_SU |
                             PIFM_P0 | PIFM_P1);
                if (k)
                    memo_free(&b[k].core[0]);
                board_run(&b[k]);
                pif_gather(&b[k].core[0].pif, data);
                m[k] = host_marks_word(&marks[k], 0, at, data);
            }
            assert_true(memo(&b[0])->replayed > b[0].core[0].insns / 2);
            if (!data && kinds[n] == IND_COUNT)
                runs_as_code(&b[0]);
            compare(&b[0], &b[1], 0);
            assert_true(m[0]->count || m[0]->before);
            assert_int_equal(m[0]->count, m[1]->count);
            assert_int_equal(m[0]->before, m[1]->before);
            assert_int_equal(m[0]->hits, m[1]->hits);
            for (unsigned side = 0; side < 2; side++)
                assert_memory_equal(
                    &b[0].core[0].pif.unit[PIF_HOST].side[side].stats,
                    &b[1].core[0].pif.unit[PIF_HOST].side[side].stats,
                    sizeof(struct shadow_stats));
            assert_int_equal(b[0].core[0].pif.unit[PIF_HOST].windowed,
                             b[1].core[0].pif.unit[PIF_HOST].windowed);
            for (unsigned k = 0; k < 2; k++) {
                board_close(&b[k]);
                host_marks_free(&marks[k]);
            }
        }
}

/* A store over the loop's sum: what was recorded of it is gone. */
static void forgets_what_is_stored_over(void **state)
{
    static struct bench_board b;
    const uint32_t nop = NOP;
    struct core *c = &b.core[0];

    (void)state;
    open_board(&b, 1);
    core_run(c, 20000);
    memo_leave(c);
    assert_true(memo(&b)->store->nodes > COUNT(words));
    board_words(&b, BENCH_CODE + 4 * 6, &nop, 1);
    decode_cache_forget(&b.decoded, BENCH_CODE + 4 * 6, 4);
    core_run(c, c->clock + 1);
    assert_true(memo(&b)->store->nodes < COUNT(words));
    board_close(&b);
}

/* What one processor has met another one replays, even after the first has
 * left. */
static void one_learns_for_all(void **state)
{
    static struct bench_board b;
    struct core *c = b.core;
    uint64_t learnt;

    (void)state;
    board_open(&b, 2, &timing_detailed, NULL);
    board_words(&b, BENCH_CODE, words, COUNT(words));
    assert_ptr_equal(memo(&b)->store, pipe_of(&c[1])->memo->store);
    core_start(&c[0], BENCH_CODE, 0, 0);
    core_run(&c[0], CYCLE_NEVER - 1);
    memo_leave(&c[0]);
    memo_flush(&c[0]);
    learnt = c[0].insns - memo(&b)->replayed;
    memo_free(&c[0]);
    cache_invalidate_all(&pipe_of(&c[0])->tags.dcache);
    core_start(&c[1], BENCH_CODE, 0, 1u << 20);
    core_run(&c[1], CYCLE_NEVER - 1);
    memo_flush(&c[1]);
    assert_true(c[1].insns - pipe_of(&c[1])->memo->replayed < learnt / 2);
    board_close(&b);
}

/* Two processors in turns, one of them in serial mode; `empties`: what they
 * share is emptied by one or the other in between. */
static void in_turns(struct bench_board *b, bool memo, bool empties)
{
    open_board(b, 2);
    for (unsigned n = 0; !memo && n < 2; n++)
        memo_free(&b->core[n]);
    timing_detailed.hid0(&b->core[1], pipe_of(&b->core[1])->hid0 ^ HID0_SIED);
    for (cycle_t at = 500; at < 20000; at += 37) {
        core_run(&b->core[0], at);
        core_run(&b->core[1], at);
        if (memo && empties && at % 11 == 0)
            share_empty(&b->core[at % 2]);
    }
    board_run(b);
}

static void may_be_emptied_under_another(void **state)
{
    static struct bench_board a, b;

    (void)state;
    in_turns(&b, false, false);
    for (unsigned empties = 0; empties < 2; empties++) {
        in_turns(&a, true, empties);
        assert_int_equal(memo(&a)->store->settings, 2);
        for (unsigned n = 0; n < 2; n++)
            compare(&a, &b, n);
        board_close(&a);
    }
    board_close(&b);
}

static void a_wrong_edge_is_found(void **state)
{
    static struct bench_board b;
    struct core *c = &b.core[0];
    const struct memo_store *s;

    (void)state;
    open_board(&b, 1);
    core_run(c, 20000);
    memo_leave(c);
    c->with.memo = MEMO_CHECK;
    core_run(c, 30000);
    assert_int_equal(c->state, CORE_RUNNING);
    s = memo(&b)->store;
    for (size_t k = 0; k < s->slots; k++)
        if (s->slot[k].node && s->slot[k].node->edge)
            s->slot[k].node->edge->complete++;
    core_run(c, 40000);
    assert_int_equal(c->state, CORE_STOPPED);
    assert_non_null(strstr(c->why, "the timing memo is wrong"));
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays_what_the_stages_work_out),
        cmocka_unit_test(misses_are_asked_for_by_host_code),
        cmocka_unit_test(branches_are_found_by_host_code),
        cmocka_unit_test(charges_whom_the_stages_charge),
        cmocka_unit_test(sampled_instructions_are_those_of_the_stages),
        cmocka_unit_test(samples_of_cycles_find_what_is_replayed),
        cmocka_unit_test(marks_count_what_the_stages_count),
        cmocka_unit_test(forgets_what_is_stored_over),
        cmocka_unit_test(one_learns_for_all),
        cmocka_unit_test(may_be_emptied_under_another),
        cmocka_unit_test(a_wrong_edge_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
