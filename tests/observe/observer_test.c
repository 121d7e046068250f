/* observer_test.c - a listener of our own (sim/observe/observer.h), which no
 * other file knows: it hears everything, in the promised order, and the machine
 * is the same with it and without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "include/board.h"
#include "sim/core/timing.h"
#include "sim/machine/machine.h"
#include "tests/lib/bench_board.h"

#define START 0x1000
#define LOOPS 30000
#define SC 0x44000002u
#define RFI_WORD 0x4C000064u
#define STB(s, a, imm) (38u << 26 | (s) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define LBZ(d, a, imm) (34u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define ANDI(d, s, imm) (28u << 26 | (s) << 21 | (d) << 16 | (imm))

static const struct timing *timing;

/* sc, whose handler comes back at once; a byte from the console; then a loop
 * of LOOPS times two instructions. */
static const uint32_t code[] = {
    SC,
    ADDIS(5, 0, 0xFE00), /* the console */
    LBZ(6, 5, 5),
    ANDI(6, 6, 1),
    BEQ(-8),
    LBZ(7, 5, 0),
    ADDI(4, 0, LOOPS),
    MTCTR(4),
    ADDI(3, 3, 1),
    BDNZ(-4),
    ADDI(3, 0, 7),
    BLR,
};

/* What a listener hears: a letter each, and numbers. */
struct heard {
    struct machine *m;
    struct observer o;
    char story[4096]; /* of what is rare */
    size_t used;
    uint64_t before, after, beats, intervals;
    cycle_t interval_end, ended;
    bool stops, leaves;
};

static void tell(struct heard *h, char letter)
{
    if (h->used < sizeof h->story - 1)
        h->story[h->used++] = letter;
}

static bool before(void *arg, struct core *c, const struct insn *i, cycle_t at)
{
    struct heard *h = arg;

    (void)c;
    (void)i;
    (void)at;
    h->before++;
    return h->stops && h->before % 2; /* and goes on when asked again */
}

static bool after(void *arg, struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    struct heard *h = arg;

    (void)c;
    (void)pc;
    assert_true(done >= at);
    h->after++;
    if (h->leaves && h->after == 10)
        machine_observe(h->m, &h->o, false);
    return false;
}

static void entered(void *arg, struct core *c, enum exc e, ea_t pc, cycle_t at)
{
    (void)at;
    assert_int_equal(e, EXC_SC);
    assert_int_equal(pc, START);
    assert_int_equal(c->cpu.pc, 0xC00);
    tell(arg, 'x');
}

static void interval(void *arg, struct core *c, cycle_t end)
{
    struct heard *h = arg;

    (void)c;
    assert_int_equal(end, h->interval_end + 10000);
    h->interval_end = end;
    h->intervals++;
}

static void input(void *arg, cycle_t at, uint8_t byte)
{
    struct heard *h = arg;

    assert_int_equal(at, h->beats * MACHINE_BEAT);
    assert_int_equal(byte, 'k');
    tell(h, 'i');
}

static void beat(void *arg, cycle_t at)
{
    struct heard *h = arg;

    assert_int_equal(at, ++h->beats * MACHINE_BEAT);
    tell(h, 'b');
}

static void settled(void *arg, cycle_t at)
{
    assert_int_equal(at, ((struct heard *)arg)->beats * MACHINE_BEAT);
    tell(arg, 's');
}

static void end(void *arg, cycle_t at)
{
    ((struct heard *)arg)->ended = at;
    tell(arg, 'e');
}

static struct observer all(struct heard *h)
{
    return (struct observer){.arg = h,
                             .before = before,
                             .after = after,
                             .entered = entered,
                             .interval = interval,
                             .input = input,
                             .beat = beat,
                             .settled = settled,
                             .end = end};
}

static enum machine_input receive(void *arg, cycle_t at, bool asleep,
                                  uint8_t *byte)
{
    bool *over = arg;

    (void)at;
    (void)asleep;
    if (*over)
        return INPUT_END;
    *over = true;
    *byte = 'k';
    return INPUT_BYTE;
}

/* A machine with the program, run to its end with up to two listeners. */
static struct machine *run(struct heard *first, struct heard *second)
{
    static struct machine m;
    static uint8_t bytes[sizeof code];
    bool over = false;
    struct image image = {.name = "test",
                          .build_id = "00",
                          .entry = START,
                          .count = 1,
                          .bytes = bytes,
                          .size = sizeof bytes};
    struct machine_setup s = {.timing = timing,
                              .cpus = 1,
                              .ram = RAM_MIN,
                              .args = "",
                              .image = &image,
                              .host = {.arg = &over, .receive = receive}};
    char why[256];

    for (size_t i = 0; i < sizeof code; i++)
        bytes[i] = (uint8_t)(code[i / 4] >> (24 - 8 * (i % 4)));
    image.segment[0] = (struct image_segment){START,       START, sizeof code,
                                              sizeof code, 0,     "r-x"};
    params_default(&s.params);
    assert_true(machine_init(&m, &s, why, sizeof why));
    for (unsigned k = 0; k < 4; k++)
        m.ram.bytes[0xC00 + k] = (uint8_t)(RFI_WORD >> (24 - 8 * k));
    for (unsigned k = 0; k < 2; k++) {
        struct heard *h = k ? second : first;

        if (h) {
            h->m = &m;
            machine_observe(&m, &h->o, true);
        }
    }
    if (first)
        core_intervals(&m.core[0], 10000);
    machine_run(&m);
    assert_int_equal(m.end, MACHINE_RETURN);
    assert_int_equal(m.status, 7);
    assert_true(m.exact);
    machine_free(&m);
    return &m;
}

/* sc, rfi, and the rest of the program; the wait for the byte may be long. */
#define LEAST (2u + sizeof code / 4 - 1 + 2 * (LOOPS - 1))

static void it_hears_everything_and_changes_nothing(void **state)
{
    struct machine alone = *run(NULL, NULL);
    struct heard h = {.o = all(&h)};
    const struct machine *m = run(&h, NULL);

    (void)state;
    assert_int_equal(m->cycles, alone.cycles);
    assert_int_equal(m->core[0].insns, alone.core[0].insns);
    assert_memory_equal(m->core[0].cpu.gpr, alone.core[0].cpu.gpr,
                        sizeof alone.core[0].cpu.gpr);
    assert_true(m->core[0].insns >= LEAST);
    assert_int_equal(h.after, m->core[0].insns);
    assert_int_equal(h.before, m->core[0].insns);
    assert_int_equal(h.ended, m->cycles);
    assert_int_equal(h.beats, (m->cycles - 1) / MACHINE_BEAT);
    assert_int_equal(h.intervals, m->cycles / 10000);
    /* An exception; a beat, its byte, the beat is settled; others; the end. */
    assert_memory_equal(h.story, "xbisbs", 6);
    assert_string_equal(h.story + h.used - 3, "bse");
}

/* Stopped in front of every instruction, and going on each time. */
static void stopping_changes_nothing(void **state)
{
    struct machine alone = *run(NULL, NULL);
    struct heard h = {.o = all(&h), .stops = true};
    const struct machine *m = run(&h, NULL);

    (void)state;
    assert_int_equal(h.before, 2 * m->core[0].insns);
    assert_int_equal(h.after, m->core[0].insns);
    assert_int_equal(m->cycles, alone.cycles);
    assert_int_equal(m->core[0].insns, alone.core[0].insns);
    assert_int_equal(m->turns, alone.turns);
}

/* The one that came last is asked first, and while it stops the machine the
 * other is not asked. */
static void the_last_to_come_is_asked_first(void **state)
{
    struct heard a = {.o = all(&a)}, b = {.o = all(&b), .stops = true};

    (void)state;
    run(&a, &b);
    assert_int_equal(b.before, 2 * b.after);
    assert_int_equal(a.before, a.after);
    assert_int_equal(a.after, b.after);
    assert_string_equal(a.story, b.story);
}

static void it_may_leave_while_it_is_asked(void **state)
{
    struct heard a = {.o = all(&a)}, b = {.o = all(&b), .leaves = true};
    const struct machine *m;

    (void)state;
    m = run(&a, &b);
    assert_int_equal(b.after, 10);
    assert_int_equal(b.ended, 0);
    assert_int_equal(a.after, m->core[0].insns);
    assert_int_equal(a.ended, m->cycles);
}

/* Who does not look at instructions does not make the machine go one by one. */
static void
listeners_that_look_at_no_instruction_leave_batches_alone(void **state)
{
    struct observers s = {0};
    struct observer rare = {.end = end}, each = {.after = after};

    (void)state;
    observers_add(&s, &rare);
    assert_false(s.steps);
    observers_add(&s, &each);
    assert_true(s.steps);
    observers_add(&s, &rare); /* again: to the front, once */
    assert_ptr_equal(s.first, &rare);
    assert_ptr_equal(rare.next, &each);
    assert_null(each.next);
    observers_drop(&s, &each);
    assert_false(s.steps);
    observers_drop(&s, &each); /* harmless */
    observers_drop(&s, &rare);
    assert_null(s.first);
}

static int fast(void **state)
{
    (void)state;
    timing = &timing_fast;
    return 0;
}

static int detailed(void **state)
{
    (void)state;
    timing = &timing_detailed;
    return 0;
}

#define BOTH(test)                                                             \
    {#test ", fast", test, fast, NULL, NULL},                                  \
    {                                                                          \
#test ", detailed", test, detailed, NULL, NULL                         \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(it_hears_everything_and_changes_nothing),
        BOTH(stopping_changes_nothing),
        BOTH(the_last_to_come_is_asked_first),
        BOTH(it_may_leave_while_it_is_asked),
        cmocka_unit_test(
            listeners_that_look_at_no_instruction_leave_batches_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
