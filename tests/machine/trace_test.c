/* trace_test.c - the trace port takes what makes sense and counts the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "include/record.h"
#include "include/board.h"
#include "sim/dev/trace.h"

#define RAM 65536u
#define CPUS 3

static uint8_t ram[RAM];
static struct trace trace;
static struct trace_record last;
static unsigned taken;
static uint32_t context[CPUS];

static void on_record(void *arg, const struct trace_record *r)
{
    assert_ptr_equal(arg, &trace);
    last = *r;
    taken++;
}

static uint32_t get_context(void *arg, unsigned cpu)
{
    (void)arg;
    return context[cpu];
}

static void set_context(void *arg, unsigned cpu, uint32_t value)
{
    (void)arg;
    context[cpu] = value;
}

static struct trace_setup setup(void)
{
    return (struct trace_setup){CPUS,      ram,         RAM,        &trace,
                                on_record, get_context, set_context};
}

static int start(void **state)
{
    struct trace_setup s = setup();

    (void)state;
    memset(ram, 0, sizeof ram);
    memset(context, 0, sizeof context);
    taken = 0;
    trace_init(&trace, &s);
    return 0;
}

static void poke(uint32_t pa, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        ram[pa + i] = (uint8_t)(word >> (24 - 8 * i));
}

static bool put(uint32_t offset, uint32_t value)
{
    struct io_access a = {offset, 4, 1, 777};

    return trace_store(&trace, &a, value);
}

/* A record of `count` words 1, 2, 3... at pa. */
static void record(uint32_t pa, unsigned kind, unsigned count)
{
    poke(pa, kind << 16 | count);
    poke(pa + 4, 0xABCD);
    for (unsigned i = 0; i < count && pa + 12 + 4 * i <= RAM; i++)
        poke(pa + 8 + 4 * i, i + 1);
}

static void refused(uint32_t pa, enum trace_fault fault)
{
    uint64_t before = trace.ignored;

    trace.ignored = 0;
    assert_true(put(TRACE_RECORD, pa)); /* the guest does not notice */
    assert_int_equal(trace.ignored, 1);
    assert_int_equal(trace.fault, fault);
    assert_int_equal(taken, 0);
    trace.ignored = before + 1;
}

static void a_record_passes_with_its_window_as_its_cpu(void **state)
{
    (void)state;
    record(0x1000, REC_SWITCH, SWITCH_LEAST);
    assert_true(put(2 * BOARD_TRACE_STRIDE + TRACE_RECORD, 0x1000));
    assert_int_equal(taken, 1);
    assert_int_equal(last.kind, REC_SWITCH);
    assert_int_equal(last.cpu, 2); /* stored by CPU 1 */
    assert_int_equal(last.thread, 0xABCD);
    assert_int_equal(last.at, 777);
    assert_int_equal(last.count, SWITCH_LEAST);
    assert_ptr_equal(last.words, ram + 0x1008);
    assert_int_equal(trace.ignored, 0);
}

static void every_kind_passes_with_its_words(void **state)
{
    (void)state;
    record(0, REC_IDLE, IDLE_WORDS + 3);
    poke(8 + 16, 3);
    record(0x100, REC_THREAD, 5);
    record(0x200, REC_STAT, 3);
    record(RAM - 8 - 4 * SWITCH_LEAST, REC_SWITCH, SWITCH_LEAST);
    put(TRACE_RECORD, 0);
    put(TRACE_RECORD, 0x100);
    put(TRACE_RECORD, 0x200);
    put(TRACE_RECORD, RAM - 8 - 4 * SWITCH_LEAST); /* the very end */
    assert_int_equal(taken, 4);
    assert_int_equal(trace.ignored, 0);
}

static void wild_addresses_are_ignored(void **state)
{
    static const uint32_t wild[] = {RAM,        RAM - 4,    RAM - 1,
                                    2,          0xFFFFFFFC, 0xFFFFFFFF,
                                    0xFE002000, 0x80000000};

    (void)state;
    record(0, REC_STAT, 3);
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
        refused(wild[i], TRACE_WILD);
}

static void kinds_that_are_not_the_guests_are_ignored(void **state)
{
    static const unsigned kinds[] = {0, REC_IRQ, REC_ORACLE, 255, 65535};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        record(0, kinds[i], 3);
        refused(0, TRACE_KIND);
    }
}

static void what_is_too_long_is_ignored(void **state)
{
    (void)state;
    record(0, REC_THREAD, REC_MAX_WORDS);
    put(TRACE_RECORD, 0);
    assert_int_equal(taken, 1);
    taken = 0;
    record(0, REC_THREAD, REC_MAX_WORDS + 1);
    refused(0, TRACE_LONG);
    record(0, REC_THREAD, 65535);
    refused(0, TRACE_LONG);
    record(RAM - 16, REC_STAT, 3); /* a word more than there is memory */
    refused(RAM - 16, TRACE_LONG);
}

static void words_that_do_not_fit_the_kind_are_ignored(void **state)
{
    (void)state;
    record(0, REC_IDLE, IDLE_WORDS + 3);
    poke(8 + 16, 4); /* a frame more than there are words */
    refused(0, TRACE_SHAPE);
    record(0, REC_IDLE, IDLE_WORDS - 1);
    refused(0, TRACE_SHAPE);
    record(0, REC_SWITCH, SWITCH_LEAST - 1);
    refused(0, TRACE_SHAPE);
    record(0, REC_STAT, 4);
    refused(0, TRACE_SHAPE);
    record(0, REC_THREAD, 1);
    refused(0, TRACE_SHAPE);
}

static void the_first_fault_is_the_one_remembered(void **state)
{
    (void)state;
    record(0, 99, 3);
    put(BOARD_TRACE_STRIDE + TRACE_RECORD, 0);
    put(TRACE_RECORD, 3);
    assert_int_equal(trace.ignored, 2);
    assert_int_equal(trace.fault, TRACE_KIND);
    assert_int_equal(trace.fault_cpu, 1);
    assert_int_equal(trace.fault_at, 777);
    assert_int_equal(trace.fault_pa, 0);
}

static void without_an_experiment_all_is_dropped_unseen(void **state)
{
    struct trace_setup s = setup();
    struct io_access a = {TRACE_ENABLED, 4, 0, 1};
    uint32_t value;

    (void)state;
    assert_true(trace_load(&trace, &a, &value));
    assert_int_equal(value, 1);
    s.record = NULL;
    trace_init(&trace, &s);
    assert_true(trace_load(&trace, &a, &value));
    assert_int_equal(value, 0);
    assert_true(put(TRACE_RECORD, 3)); /* nonsense too */
    assert_int_equal(trace.ignored, 0);
    assert_true(put(TRACE_CONTEXT, 5)); /* the oracle still listens */
    assert_int_equal(context[0], 5);
}

static void the_context_belongs_to_the_windows_cpu(void **state)
{
    struct io_access a = {BOARD_TRACE_STRIDE + TRACE_CONTEXT, 4, 0, 1};
    uint32_t value;

    (void)state;
    assert_true(put(BOARD_TRACE_STRIDE + TRACE_CONTEXT, 0x1234));
    assert_int_equal(context[0], 0);
    assert_int_equal(context[1], 0x1234);
    assert_true(trace_load(&trace, &a, &value));
    assert_int_equal(value, 0x1234);
}

static void only_words_of_cpus_that_are_there_are_answered(void **state)
{
    static const struct io_access bad[] = {
        {TRACE_CONTEXT, 1, 0, 1},
        {TRACE_CONTEXT, 2, 0, 1},
        {TRACE_CONTEXT + 1, 4, 0, 1},
        {0x0C, 4, 0, 1},
        {CPUS * BOARD_TRACE_STRIDE + TRACE_CONTEXT, 4, 0, 1},
    };
    struct io_access record_word = {TRACE_RECORD, 4, 0, 1};
    struct io_access enabled = {TRACE_ENABLED, 4, 0, 1};
    uint32_t value;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(trace_load(&trace, &bad[i], &value));
        assert_false(trace_store(&trace, &bad[i], 0));
    }
    assert_false(trace_load(&trace, &record_word, &value));
    assert_false(trace_store(&trace, &enabled, 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        TEST(a_record_passes_with_its_window_as_its_cpu),
        TEST(every_kind_passes_with_its_words),
        TEST(wild_addresses_are_ignored),
        TEST(kinds_that_are_not_the_guests_are_ignored),
        TEST(what_is_too_long_is_ignored),
        TEST(words_that_do_not_fit_the_kind_are_ignored),
        TEST(the_first_fault_is_the_one_remembered),
        TEST(without_an_experiment_all_is_dropped_unseen),
        TEST(the_context_belongs_to_the_windows_cpu),
        TEST(only_words_of_cpus_that_are_there_are_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
