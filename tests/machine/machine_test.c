/* machine_test.c - whole machines in one process: how they end, whose turn
 * it is, when input arrives, and that watching changes nothing. Programs are
 * a few words of machine code at 0x1000; encodings in bench_board.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "include/board.h"
#include "sim/observe/recorder.h"
#include "tests/lib/bench_board.h"
#include "tests/lib/scratch.h"
#include "sim/core/timing.h"

#define START 0x1000
#define MTMSR(s) (31u << 26 | (s) << 21 | 146 << 1)
#define LIS(d, imm) ADDIS(d, 0, imm)
#define STB(s, a, imm) (38u << 26 | (s) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define LBZ(d, a, imm) (34u << 26 | (d) << 21 | (a) << 16 | ((imm)&0xFFFF))
#define UART_HIGH 0xFE00
#define SPIN B(0)

/* A machine with its program, its console and a watcher. */
struct bench {
    struct image image;
    uint8_t bytes[1024];
    struct machine machine;
    char printed[256];
    unsigned count;
    const char *typed; /* rest of it */
    uint64_t input_at[16];
    unsigned inputs, pulses, stop_at_pulse;
};

static const struct timing *timing;
static char why[1024];

static void on_send(void *arg, uint8_t byte)
{
    struct bench *b = arg;

    b->printed[b->count++ % 255] = (char)byte;
}

static enum machine_input on_receive(void *arg, cycle_t at, bool asleep,
                                     uint8_t *byte)
{
    struct bench *b = arg;

    (void)asleep;
    if (!b->typed || !*b->typed)
        return INPUT_END;
    b->input_at[b->inputs++ % 16] = at;
    *byte = (uint8_t)*b->typed++;
    return INPUT_BYTE;
}

static bool on_pulse(void *arg, const struct machine *m)
{
    struct bench *b = arg;

    (void)m;
    return ++b->pulses == b->stop_at_pulse;
}

static struct machine_setup plain(unsigned cpus)
{
    struct machine_setup s = {
        .timing = timing, .cpus = cpus, .ram = RAM_MIN, .args = ""};

    params_default(&s.params);
    return s;
}

static struct bench *power_on(struct machine_setup s, const uint32_t *words,
                              unsigned count)
{
    struct bench *b = calloc(1, sizeof *b);

    assert_non_null(b);
    for (unsigned i = 0; i < 4 * count; i++)
        b->bytes[i] = (uint8_t)(words[i / 4] >> (24 - 8 * (i % 4)));
    b->image = (struct image){.name = "test",
                              .build_id = "00",
                              .entry = START,
                              .count = 1,
                              .bytes = b->bytes,
                              .size = sizeof b->bytes};
    b->image.segment[0] = (struct image_segment){
        START, START, sizeof b->bytes, 4 * count, 0, "r-x"};
    s.image = &b->image;
    s.host = (struct machine_host){b, on_send, on_receive, on_pulse};
    assert_true(machine_init(&b->machine, &s, why, sizeof why));
    return b;
}

static void power_down(struct bench *b)
{
    machine_free(&b->machine);
    free(b);
}

#define WORDS(w) w, sizeof w / sizeof w[0]

static void r3_of_the_entry_function_is_the_status(void **state)
{
    static const uint32_t code[] = {ADDI(3, 0, 0x1FE), BLR};
    struct bench *b = power_on(plain(1), WORDS(code));

    (void)state;
    machine_run(&b->machine);
    assert_int_equal(b->machine.end, MACHINE_RETURN);
    assert_int_equal(b->machine.status, 0xFE);
    assert_int_equal(machine_insns(&b->machine), 2);
    assert_true(b->machine.exact);
    power_down(b);
}

static void the_stack_starts_at_the_top_with_no_back_chain(void **state)
{
    static const uint32_t code[] = {LWZ(3, 1, 0), ADDI(4, 1, 0), BLR};
    struct bench *b = power_on(plain(1), WORDS(code));

    (void)state;
    machine_run(&b->machine);
    assert_int_equal(b->machine.status, 0);
    assert_int_equal(b->machine.core[0].cpu.gpr[4], RAM_MIN - 16);
    power_down(b);
}

static void power_off_ends_with_its_status_and_nothing_after_it(void **state)
{
    static const uint32_t code[] = {LIS(4, UART_HIGH),
                                    ORI(4, 4, 0x1000),
                                    ADDI(5, 0, 33),
                                    STW(5, 4, 0),
                                    LIS(6, UART_HIGH),
                                    STB(5, 6, 0),
                                    SPIN};
    struct bench *b = power_on(plain(2), WORDS(code));

    (void)state;
    machine_run(&b->machine);
    assert_int_equal(b->machine.end, MACHINE_POWER);
    assert_int_equal(b->machine.status, 33);
    assert_int_equal(b->count, 0); /* the byte behind it was not sent */
    assert_true(b->machine.exact);
    power_down(b);
}

static void an_access_nobody_answers_is_a_checkstop(void **state)
{
    static const uint32_t code[] = {LIS(4, 0xF000), LWZ(3, 4, 0), BLR};
    struct bench *b = power_on(plain(1), WORDS(code));

    (void)state;
    machine_run(&b->machine);
    assert_int_equal(b->machine.end, MACHINE_CHECKSTOP);
    assert_int_equal(b->machine.culprit, 0);
    assert_int_equal(b->machine.core[0].cpu.pc, START + 4);
    assert_non_null(b->machine.core[0].why);
    power_down(b);
}

static void a_nap_that_nothing_ends_ends_the_run(void **state)
{
    static const uint32_t code[] = {LIS(4, 4), MTMSR(4), SPIN};
    struct bench *b = power_on(plain(2), WORDS(code));

    (void)state;
    machine_run(&b->machine);
    assert_int_equal(b->machine.end, MACHINE_ASLEEP);
    assert_true(b->machine.exact);
    power_down(b);
}

static void limits_stop_a_run_that_would_not_end(void **state)
{
    static const uint32_t code[] = {SPIN};
    struct machine_setup s = plain(1);
    struct bench *b;

    (void)state;
    s.max_cycles = 100001;
    b = power_on(s, WORDS(code));
    machine_run(&b->machine);
    assert_int_equal(b->machine.end, MACHINE_CYCLES);
    assert_in_range(b->machine.cycles, 100001, 100050); /* the pipe drains */
    if (timing == &timing_fast)
        assert_int_equal(machine_insns(&b->machine), 100001);
    assert_true(b->machine.exact);
    power_down(b);

    s.max_cycles = 0;
    s.max_insns = 5;
    b = power_on(s, WORDS(code));
    machine_run(&b->machine);
    assert_int_equal(b->machine.end, MACHINE_INSNS);
    assert_in_range(b->machine.cycles, MACHINE_BEAT, MACHINE_BEAT + 50);
    power_down(b);
}

static void the_host_can_stop_a_run_at_a_pulse(void **state)
{
    static const uint32_t code[] = {SPIN};
    struct bench *b = power_on(plain(1), WORDS(code));

    (void)state;
    b->stop_at_pulse = 3;
    machine_run(&b->machine);
    assert_int_equal(b->machine.end, MACHINE_STOPPED);
    assert_int_equal(b->machine.cycles / MACHINE_BEAT, 3 * MACHINE_PULSE);
    assert_true(b->machine.exact);
    power_down(b);
}

/* Prints what it reads, 'q' ends it: polls LSR. */
static const uint32_t echo[] = {
    LIS(4, UART_HIGH), LBZ(5, 4, 5),     ANDI_(5, 5, 1), BEQ(-8), LBZ(3, 4, 0),
    STB(3, 4, 0),      CMPWI(0, 3, 'q'), BNE(-24),       BLR,
};

static void input_arrives_on_beats_one_at_a_time(void **state)
{
    struct bench *b = power_on(plain(1), WORDS(echo));

    (void)state;
    b->typed = "abq";
    machine_run(&b->machine);
    assert_string_equal(b->printed, "abq");
    assert_int_equal(b->machine.status, 'q');
    assert_int_equal(b->inputs, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(b->input_at[i], (i + 1) * MACHINE_BEAT);
    power_down(b);
}

static void input_is_not_asked_for_by_who_does_not_look(void **state)
{
    static const uint32_t code[] = {SPIN};
    struct machine_setup s = plain(1);
    struct bench *b;

    (void)state;
    s.max_cycles = 1000000;
    b = power_on(s, WORDS(code));
    b->typed = "abc";
    machine_run(&b->machine);
    assert_int_equal(b->inputs, 0);
    power_down(b);
}

/* CPU 0 lets CPU 1 go; each stores its number to its own word 256 times, in
 * a loop whose length differs; then CPU 0 returns. */
static const uint32_t both[] = {
    LIS(4, UART_HIGH),
    ORI(4, 4, 0x3000),
    ADDI(5, 0, START + 16),
    STW(5, 4, 4),
    ADDI(6, 0, 256),
    MTCTR(6),
    STW(3, 0, 0x100),
    ADDI(7, 7, 1),
    BDNZ(-8),
    BLR,
};

static uint64_t run_both(unsigned max_insns, bool watched)
{
    struct machine_setup s = plain(2);
    struct experiment *e = calloc(1, sizeof *e);
    struct recorder *r = calloc(1, sizeof *r);
    struct recorder_setup what = {0};
    struct bench *b;
    uint64_t sum;

    s.max_insns = max_insns;
    s.trace_port = watched;
    if (watched)
        assert_true(experiment_open(e, scratch_path(), NULL));
    b = power_on(s, WORDS(both));
    what.experiment = watched ? e : NULL;
    assert_true(recorder_open(r, &what, &b->machine, why, sizeof why));
    machine_run(&b->machine);
    assert_true(b->machine.exact);
    sum = b->machine.cycles << 32 ^ b->machine.core[0].insns << 16 ^
          b->machine.core[1].insns << 8 ^ b->machine.ram.bytes[0x103];
    power_down(b);
    if (watched)
        experiment_close(e);
    assert_string_equal(e->error, "");
    recorder_close(r);
    free(r);
    free(e);
    return sum;
}

static void watching_and_limits_change_nothing(void **state)
{
    uint64_t first = run_both(0, false);

    (void)state;
    assert_int_equal(run_both(0, false), first);
    assert_int_equal(run_both(0, true), first);
    assert_int_equal(run_both(1000000000, true), first);
}

/* With no quantum the order is by cycle, then by number. */
static void at_equal_cycles_the_lower_number_goes_first(void **state)
{
    static const uint32_t code[] = {SPIN};
    struct machine_setup s = plain(3);
    struct bench *b;
    struct machine *m;

    (void)state;
    if (timing == &timing_detailed)
        return; /* there a cycle is not an instruction */
    s.params.fast_quantum = 0;
    b = power_on(s, WORDS(code));
    m = &b->machine;
    for (unsigned i = 1; i < 3; i++) {
        core_start(&m->core[i], START, 0, 0);
        m->next[i] = core_next(&m->core[i]);
    }
    for (unsigned turn = 0; turn < 30; turn++) {
        machine_turn(m);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(m->next[i], turn / 3 + (i <= turn % 3));
    }
    power_down(b);
}

static void two_machines_live_side_by_side(void **state)
{
    struct bench *a = power_on(plain(1), WORDS(echo));
    struct bench *b = power_on(plain(1), WORDS(echo));

    (void)state;
    a->typed = "1q";
    b->typed = "22q";
    while (a->machine.end == MACHINE_RUNNING ||
           b->machine.end == MACHINE_RUNNING) {
        if (a->machine.end == MACHINE_RUNNING)
            machine_turn(&a->machine);
        if (b->machine.end == MACHINE_RUNNING)
            machine_turn(&b->machine);
    }
    assert_string_equal(a->printed, "1q");
    assert_string_equal(b->printed, "22q");
    power_down(a);
    power_down(b);
}

static void a_program_too_large_for_memory_is_refused(void **state)
{
    static struct machine m;
    struct machine_setup s = plain(1);
    struct image i = {.name = "big", .count = 1};

    (void)state;
    i.segment[0] = (struct image_segment){0x1000, 0x1000, RAM_MIN, 0, 0, "r-x"};
    s.image = &i;
    assert_false(machine_init(&m, &s, why, sizeof why));
    assert_non_null(strstr(why, "big"));
    machine_free(&m); /* harmless */
}

static void the_header_names_every_knob_and_escapes_arguments(void **state)
{
    static char text[RECORDER_HEADER];
    struct image i = {.name = "a.elf", .build_id = "12"};
    struct machine_setup s = plain(3);
    struct recorder_setup what = {0};
    unsigned count;
    const struct param_row *row = param_rows(&count);
    char line[64];

    (void)state;
    s.image = &i;
    s.args = "a \\b\nend 5";
    s.params.quantum = 77;
    recorder_header(&s, &what, text);
    assert_non_null(strstr(text, "\nargs a \\x5cb\\x0aend 5\n"));
    assert_non_null(strstr(text, "\ncpus 3\n"));
    assert_non_null(strstr(text, "\nknob quantum 77\n"));
    assert_memory_equal(text, "image a.elf.12\n", 15);
    for (; count--; row++) {
        snprintf(line, sizeof line, "\nknob %s ", row->name);
        assert_non_null(strstr(text, line));
    }
    assert_string_equal(text + strlen(text) - 8, "start 0\n");
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

int main(void)
{
#define TEST(name)                                                             \
    cmocka_unit_test_setup(name, fast), cmocka_unit_test_setup(name, detailed)
    const struct CMUnitTest tests[] = {
        TEST(r3_of_the_entry_function_is_the_status),
        TEST(the_stack_starts_at_the_top_with_no_back_chain),
        TEST(power_off_ends_with_its_status_and_nothing_after_it),
        TEST(an_access_nobody_answers_is_a_checkstop),
        TEST(a_nap_that_nothing_ends_ends_the_run),
        TEST(limits_stop_a_run_that_would_not_end),
        TEST(the_host_can_stop_a_run_at_a_pulse),
        TEST(input_arrives_on_beats_one_at_a_time),
        TEST(input_is_not_asked_for_by_who_does_not_look),
        TEST(watching_and_limits_change_nothing),
        TEST(at_equal_cycles_the_lower_number_goes_first),
        TEST(two_machines_live_side_by_side),
        TEST(a_program_too_large_for_memory_is_refused),
        TEST(the_header_names_every_knob_and_escapes_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
