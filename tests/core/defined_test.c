/* defined_test.c - what the core says of each instruction
 * (sim/core/insn_info.c), and to which one it gives an event.
 *
 * On random programs with exceptions, mispredicted branches, misses and
 * unaligned strings, for every event that belongs to an instruction: with a
 * condition that always holds it is the event itself, and over a partition of
 * the addresses it adds up. Nothing simulated differs from a run without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"
#include "tests/lib/random_code.h"

#define MIDDLE RANDOM_MIDDLE

static void define(struct predicate *d, const char *text)
{
    struct expr_error e;

    if (!predicate_parse(d, text, &e))
        fail_msg("%s: %s", text, e.why);
}

/* The program runs with n definitions, all counted. Returns its end. */
static cycle_t run(struct bench_board *b, const struct timing *timing,
                   uint64_t seed, const struct predicate *d, unsigned n)
{
    struct core *c = &b->core[0];
    cycle_t end;
    unsigned k;

    board_open(b, 1, timing, NULL);
    random_program(b, seed);
    derived_define(&c->pmu, d, n);
    for (k = 0; k < n; k++)
        derived_count(&c->pmu, derived_defined(k));
    core_start(c, BENCH_CODE, 0x100000, 0);
    if (seed % 2) /* else floating-point exceptions */
        c->cpu.msr |= MSR_FP;
    end = board_run(b);
    assert_string_equal(c->why, "returned from its entry function");
    return end;
}

static uint64_t total(const struct bench_board *b, enum event id)
{
    return b->core[0].pmu.ev.total[id];
}

/* Three definitions of event `id`: all, in the lower half, elsewhere. */
static void define_three(struct predicate *d, enum event id)
{
    char text[200];
    const char *name = event_name(id);

    snprintf(text, sizeof text, "A = %s", name);
    define(&d[0], text);
    snprintf(text, sizeof text, "B = %s and pc in %#x..%#x", name, BENCH_CODE,
             MIDDLE);
    define(&d[1], text);
    snprintf(text, sizeof text, "C = %s and not pc in %#x..%#x", name,
             BENCH_CODE, MIDDLE);
    define(&d[2], text);
}

struct tally {
    unsigned events, moved, split;
};

static void check_two(const struct timing *timing, uint64_t seed,
                      const enum event *id, unsigned n,
                      const struct bench_board *plain, cycle_t end,
                      struct tally *t)
{
    static struct bench_board b;
    static struct predicate d[PREDICATE_MAX];
    unsigned k, e;

    for (k = 0; k < n; k++)
        define_three(&d[3 * k], id[k]);
    assert_int_equal(run(&b, timing, seed, d, 3 * n), end);
    for (e = 0; e < EV_COUNT; e++)
        if (event_kind((enum event)e) != KIND_DEFINED &&
            total(&b, (enum event)e) != total(plain, (enum event)e))
            fail_msg("%s moves when %s is defined", event_name((enum event)e),
                     event_name(id[0]));
    for (k = 0; k < n; k++) {
        uint64_t all = total(&b, derived_defined(3 * k));
        uint64_t low = total(&b, derived_defined(3 * k + 1));
        uint64_t rest = total(&b, derived_defined(3 * k + 2));

        if (all != total(&b, id[k]) || low + rest != all)
            fail_msg("%s: %llu, defined %llu = %llu + %llu", event_name(id[k]),
                     (unsigned long long)total(&b, id[k]),
                     (unsigned long long)all, (unsigned long long)low,
                     (unsigned long long)rest);
        t->events++;
        t->moved += all > 0;
        t->split += low > 0 && rest > 0;
    }
    board_close(&b);
}

static struct tally partition(const struct timing *timing, uint64_t seed)
{
    static struct bench_board plain;
    cycle_t end = run(&plain, timing, seed, NULL, 0);
    struct tally t = {0};
    enum event id[2];
    unsigned e, n = 0;

    for (e = 0; e < EV_COUNT; e++) {
        if (event_owned((enum event)e) &&
            event_kind((enum event)e) != KIND_DEFINED)
            id[n++] = (enum event)e;
        if (n == 2 || (n && e + 1 == EV_COUNT)) {
            check_two(timing, seed, id, n, &plain, end, &t);
            n = 0;
        }
    }
    board_close(&plain);
    return t;
}

static void every_owned_event_adds_up_over_its_instructions(void **state)
{
    struct tally t;
    uint64_t seed;

    (void)state;
    for (seed = 1; seed <= 4; seed++) {
        t = partition(&timing_detailed, seed);
        assert_true(t.events >= 74);
        /* not table searches, nor what takes a second CPU */
        assert_true(t.moved >= 50);
        assert_true(t.split >= 45);
    }
}

static void in_fast_mode_the_two_that_count_add_up(void **state)
{
    struct tally t;

    (void)state;
    t = partition(&timing_fast, 7);
    assert_int_equal(t.moved, 2); /* completed, dispatched */
    assert_int_equal(t.split, 2);
}

/* ---- properties ---------------------------------------------------------- */

/* Counts of up to 8 definitions over one random program. */
static void count(const struct timing *timing, const char *const *text,
                  unsigned n, uint64_t *counts)
{
    static struct bench_board b;
    static struct predicate d[PREDICATE_MAX];
    unsigned k;

    for (k = 0; k < n; k++)
        define(&d[k], text[k]);
    run(&b, timing, 42, d, n);
    for (k = 0; k < n; k++)
        counts[k] = total(&b, derived_defined(k));
    for (; n < PREDICATE_MAX; n++)
        counts[n] = total(&b, EV_br_mispredict);
    board_close(&b);
}

static void who_dispatched_completed_raised_or_was_wrong(void **state)
{
    static const char *const text[] = {
        "ALL = insn_dispatched",
        "DONE = insn_dispatched and completed",
        "WRONG = insn_dispatched and wrong",
        "RAISED = insn_dispatched and not wrong and not completed",
        "COMPLETED = insn_completed",
        "NONE = insn_completed and not (completed and not wrong)",
        "TRAPS = insn_dispatched and op == \"tw\" and not wrong",
    };
    uint64_t n[PREDICATE_MAX];

    (void)state;
    count(&timing_detailed, text, 7, n);
    assert_int_equal(n[0], n[1] + n[2] + n[3]);
    assert_int_equal(n[1], n[4]);
    assert_int_equal(n[5], 0);
    assert_true(n[2] > 100);
    assert_true(n[3] > 10);
    assert_in_range(n[6], 1, n[3]);
}

static void branches_taken_and_mispredicted_are_told(void **state)
{
    static const char *const text[] = {
        "B = branch_completed and branch",
        "ANY = branch_completed",
        "CLASS = branch_completed and class == \"BRANCH\"",
        "TAKEN = branch_completed and taken",
        "NOT = branch_completed and not taken",
        "M = branch_completed and mispredicted",
        "ODD = insn_completed and taken and not branch",
    };
    uint64_t n[PREDICATE_MAX];

    (void)state;
    count(&timing_detailed, text, 7, n);
    assert_int_equal(n[0], n[1]);
    assert_int_equal(n[2], n[1]);
    assert_int_equal(n[3] + n[4], n[1]);
    assert_true(n[3] > 100 && n[4] > 100);
    assert_int_equal(n[5], n[7]); /* br_mispredict itself */
    assert_int_equal(n[6], 0);
}

static void loads_stores_and_their_addresses_are_told(void **state)
{
    static const char *const text[] = {
        "L = insn_completed and load",
        "LD = load_completed and load",
        "SD = insn_completed and store",
        "Q = store_queued and store",
        "NOWHERE = insn_completed and op == \"lwz\" and ea in 0..0x40100",
        "ELSEWHERE = insn_completed and class == \"SIMPLE\" and ea != 0",
        "ALU = insn_completed and class == \"SIMPLE\" and (load or store)",
    };
    uint64_t n[PREDICATE_MAX];

    (void)state;
    count(&timing_detailed, text, 7, n);
    assert_int_equal(n[0], n[1]);
    assert_true(n[0] > 500 && n[2] > 300);
    assert_int_equal(n[4], 0);
    assert_int_equal(n[5], 0);
    assert_int_equal(n[6], 0);
}

static void latencies_tell_misses_from_hits(void **state)
{
    static const char *const text[] = {
        "MISSED = dcache_miss and load and data_latency < 20",
        "MISSES = dcache_miss and load and data_latency >= 20",
        "LATER = dcache_miss and load and latency < data_latency",
        "HITS = insn_completed and op == \"lwz\" and data_latency == 0",
        "ADD = insn_completed and op == \"add\" and data_latency > 0",
        "DIV = insn_completed and op == \"divw\" and latency < 20",
        "DIVS = insn_completed and op == \"divw\" and latency >= 20",
        "SLOT = insn_dispatched and (slot == 0 or slot > 4)",
    };
    uint64_t n[PREDICATE_MAX];

    (void)state;
    count(&timing_detailed, text, 8, n);
    /* memory: 8 bus cycles of 3 to the first beat */
    assert_int_equal(n[0], 0);
    assert_true(n[1] > 50);
    assert_int_equal(n[2], 0);
    assert_int_equal(n[3], 0);
    assert_int_equal(n[4], 0);
    assert_int_equal(n[5], 0);
    assert_true(n[6] > 20);
    assert_int_equal(n[7], 0);
}

static void fast_mode_knows_its_own_times(void **state)
{
    static const char *const text[] = {
        "ALL = insn_completed and latency == 1 and completed and not wrong",
        "ANY = insn_completed",
        "L = insn_completed and load and data_latency == 1",
        "LOADS = insn_completed and load",
        "TAKEN = insn_completed and taken",
        "SLOW = insn_completed and (data_latency > 1 or latency != 1)",
    };
    uint64_t n[PREDICATE_MAX];

    (void)state;
    count(&timing_fast, text, 6, n);
    assert_int_equal(n[0], n[1]);
    assert_int_equal(n[2], n[3]);
    assert_true(n[3] > 500 && n[4] > 300);
    assert_int_equal(n[5], 0);
}

/* ---- the wrong path ------------------------------------------------------ */

/* A branch that is always mispredicted: it waits for a divide, and goes where
 * the history never went. What dispatches meanwhile lies at its back. */
static const uint32_t divides[] = {
    ADDI(3, 0, 7),  ADDI(4, 0, 1),   DIVW(5, 3, 4), CMPWI(0, 5, 7),
    BEQ(20),      /* taken, guessed not */
    ADD(6, 7, 8), /* wrong from here on */
    ADD(9, 10, 11), ADD(12, 13, 14), NOP,           BLR, /* right again */
};

static void wrong_instructions_own_their_events(void **state)
{
    static const char *const text[] = {
        "W = insn_dispatched and wrong",
        "MINE = insn_dispatched and wrong and pc in 0x10014..0x10024",
        "BRANCH = insn_dispatched and pc == 0x10010",
        "GUILTY = br_mispredict and pc == 0x10010",
    };
    static struct bench_board b;
    struct core *c = &b.core[0];
    struct predicate d[4];
    unsigned k;

    (void)state;
    board_open(&b, 1, &timing_detailed, NULL);
    board_words(&b, BENCH_CODE, divides, sizeof divides / 4);
    for (k = 0; k < 4; k++)
        define(&d[k], text[k]);
    derived_define(&c->pmu, d, 4);
    for (k = 0; k < 4; k++)
        derived_count(&c->pmu, derived_defined(k));
    board_warm(&pipe_of(c)->tags.icache, BENCH_CODE, sizeof divides, MESI_S);
    core_start(c, BENCH_CODE, 0x100000, 0);
    board_run(&b);
    assert_int_equal(total(&b, EV_br_mispredict), 1);
    assert_true(total(&b, EV_defined_0) >= 4);
    assert_int_equal(total(&b, EV_defined_1), 4);
    assert_int_equal(total(&b, EV_defined_0), total(&b, EV_insn_dispatched) -
                                                  total(&b, EV_insn_completed));
    assert_int_equal(total(&b, EV_defined_2), 1);
    assert_int_equal(total(&b, EV_defined_3), 1);
    board_close(&b);
}

struct samples {
    unsigned count, wrong;
};

static void note_sample(void *arg, struct core *c, const struct core_sample *s)
{
    struct samples *n = arg;

    (void)c;
    n->count++;
    n->wrong += s->pc >= 0x10014 && s->pc < 0x10024;
}

/* Every dispatch is a sample of its own instruction. */
static void wrong_instructions_own_their_samples(void **state)
{
    static const struct host_counter_spec every = {
        .event = EV_insn_dispatched, .period = 1, .kernel = true};
    static struct bench_board b;
    struct core *c = &b.core[0];
    struct samples n = {0};
    struct observer o = {.arg = &n, .sample = note_sample};

    (void)state;
    board_open(&b, 1, &timing_detailed, NULL);
    board_words(&b, BENCH_CODE, divides, sizeof divides / 4);
    observers_add(&b.observers, &o);
    host_counters_init(&c->host_counters, &c->pmu.ev, &every, 1, 1);
    board_warm(&pipe_of(c)->tags.icache, BENCH_CODE, sizeof divides, MESI_S);
    core_start(c, BENCH_CODE, 0x100000, 0);
    board_run(&b);
    sample_attend(c, CYCLE_NEVER); /* what came with the last ones */
    assert_int_equal(n.count, total(&b, EV_insn_dispatched));
    assert_int_equal(n.wrong, 4);
    board_close(&b);
}

/* A user program calls the system: when the call is through the processor is
 * in supervisor state, and still it was the user's. */
static void a_system_call_counts_for_the_user(void **state)
{
    static const uint32_t setup[] = {ADDIS(3, 0, 2), MTSPR(26, 3),
                                     ADDI(3, 0, MSR_PR), MTSPR(27, 3),
                                     0x4C000064u /* rfi */};
    static const uint32_t user[] = {ADD(4, 4, 4), 0x44000002u /* sc */};
    static const uint32_t back = BLR;
    static const struct host_counter_spec spec[] = {
        {.event = EV_defined_0, .user = true},
        {.event = EV_sc_completed, .user = true},
        {.event = EV_defined_1, .user = true},
        {.event = EV_insn_completed, .user = true},
    };
    static struct bench_board b;
    static struct predicate d[2];
    struct core *c = &b.core[0];
    unsigned k;

    (void)state;
    board_open(&b, 1, &timing_detailed, NULL);
    board_words(&b, BENCH_CODE, setup, sizeof setup / 4);
    board_words(&b, 0x20000, user, 2);
    board_words(&b, 0xC00, &back, 1);
    define(&d[0], "A = sc_completed");
    define(&d[1], "B = insn_completed");
    derived_define(&c->pmu, d, 2);
    for (k = 0; k < 2; k++)
        derived_count(&c->pmu, derived_defined(k));
    host_counters_init(&c->host_counters, &c->pmu.ev, spec, 4, 1);
    core_start(c, BENCH_CODE, 0x100000, 0);
    board_run(&b);
    for (k = 0; k < 4; k += 2) {
        assert_true(host_counters_value(&c->host_counters, k, c->clock) >= 1);
        assert_int_equal(
            host_counters_value(&c->host_counters, k, c->clock),
            host_counters_value(&c->host_counters, k + 1, c->clock));
    }
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_owned_event_adds_up_over_its_instructions),
        cmocka_unit_test(in_fast_mode_the_two_that_count_add_up),
        cmocka_unit_test(who_dispatched_completed_raised_or_was_wrong),
        cmocka_unit_test(branches_taken_and_mispredicted_are_told),
        cmocka_unit_test(loads_stores_and_their_addresses_are_told),
        cmocka_unit_test(latencies_tell_misses_from_hits),
        cmocka_unit_test(fast_mode_knows_its_own_times),
        cmocka_unit_test(wrong_instructions_own_their_events),
        cmocka_unit_test(wrong_instructions_own_their_samples),
        cmocka_unit_test(a_system_call_counts_for_the_user),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
