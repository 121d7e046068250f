/* pic_test.c - the interrupt controller against the OpenPIC rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sim/dev/pic.h"

static struct pic pic;
static bool pin[PIC_CPUS];
static unsigned changes;
static uint64_t pin_at, now;

static void on_pin(void *arg, unsigned cpu, bool level, uint64_t at)
{
    assert_ptr_equal(arg, &pic);
    assert_in_range(cpu, 0, pic.cpus - 1);
    assert_int_not_equal(pin[cpu], level);
    pin[cpu] = level;
    pin_at = at;
    changes++;
}

#define TICK 12 /* cycles a count of a timer */

static int start(void **state)
{
    (void)state;
    memset(pin, 0, sizeof pin);
    changes = 0;
    now = 100;
    pic_init(&pic, 4, TICK, &pic, on_pin);
    return 0;
}

static uint32_t get(unsigned cpu, uint32_t offset)
{
    struct io_access a = {offset, 4, cpu, ++now};
    uint32_t value = 0xDEADBEEF;

    assert_true(pic_load(&pic, &a, &value));
    return value;
}

static void put(unsigned cpu, uint32_t offset, uint32_t value)
{
    struct io_access a = {offset, 4, cpu, ++now};

    assert_true(pic_store(&pic, &a, value));
}

static uint32_t vpr(unsigned priority, unsigned vector)
{
    return PIC_LEVEL | PIC_HIGH | priority << PIC_PRIORITY_SHIFT | vector;
}

/* Source n: priority and vector 0x40 + n, to the CPUs of the mask. */
static void route(unsigned source, unsigned priority, uint32_t cpus)
{
    put(0, PIC_IDR + 0x20 * source, cpus);
    put(0, PIC_IVPR + 0x20 * source, vpr(priority, 0x40 + source));
}

static void listen(unsigned cpu)
{
    put(cpu, PIC_CTPR, 0);
}

static void after_power_on_nothing_gets_through(void **state)
{
    (void)state;
    for (unsigned i = 0; i < BOARD_IRQS; i++) {
        assert_int_equal(get(0, PIC_IVPR + 0x20 * i), PIC_MASK);
        pic_line(&pic, i, true, 1);
    }
    assert_int_equal(get(0, PIC_IVPR), PIC_MASK); /* rising, it is no edge */
    assert_int_equal(get(0, PIC_CTPR), 15);
    assert_int_equal(get(0, PIC_IACK), 0xFF); /* spurious */
    assert_int_equal(changes, 0);
}

static void the_feature_word_names_sources_and_cpus(void **state)
{
    (void)state;
    assert_int_equal(get(0, PIC_FRR), 15 << 16 | 3 << 8 | 2);
}

static void a_wire_raises_the_pin_of_its_cpu_alone(void **state)
{
    (void)state;
    route(2, 5, 1 << 3);
    listen(3);
    pic_line(&pic, 2, true, 4242);
    assert_true(pin[3]);
    assert_int_equal(pin_at, 4242);
    assert_int_equal(changes, 1);
    assert_int_equal(get(3, PIC_IACK), 0x42);
    assert_false(pin[3]); /* in service */
    assert_int_equal(get(3, PIC_IACK), 0xFF);
    pic_line(&pic, 2, false, 5000);
    put(3, PIC_EOI, 0);
    assert_false(pin[3]);
}

static void a_level_that_stays_interrupts_again_behind_eoi(void **state)
{
    (void)state;
    route(1, 5, 1);
    listen(0);
    pic_line(&pic, 1, true, 1);
    assert_int_equal(get(0, PIC_IACK), 0x41);
    put(0, PIC_EOI, 0);
    assert_true(pin[0]);
    pic_line(&pic, 1, false, 2);
    assert_false(pin[0]);
    assert_int_equal(get(0, PIC_IACK), 0xFF);
}

static void the_higher_priority_goes_first_then_the_lower_number(void **state)
{
    (void)state;
    route(3, 4, 1);
    route(5, 9, 1);
    route(4, 9, 1);
    listen(0);
    pic_line(&pic, 3, true, 1);
    pic_line(&pic, 5, true, 1);
    pic_line(&pic, 4, true, 1);
    assert_int_equal(get(0, PIC_IACK), 0x44);
    assert_int_equal(get(0, PIC_IACK), 0xFF); /* 5 is not above 4 */
    put(0, PIC_EOI, 0);                       /* 4 stays up: again first */
    pic_line(&pic, 4, false, 2);
    assert_int_equal(get(0, PIC_IACK), 0x45);
    pic_line(&pic, 5, false, 2);
    put(0, PIC_EOI, 0);
    assert_int_equal(get(0, PIC_IACK), 0x43);
}

static void at_equal_priority_an_ipi_goes_before_a_wire(void **state)
{
    (void)state;
    route(0, 6, 1);
    put(0, PIC_IPIVPR + 0x10, vpr(6, 0x81));
    put(0, PIC_IPIVPR + 0x20, vpr(6, 0x82));
    listen(0);
    pic_line(&pic, 0, true, 1);
    put(0, PIC_IPIDR + 0x20, 1);
    put(0, PIC_IPIDR + 0x10, 1);
    assert_int_equal(get(0, PIC_IACK), 0x81);
    put(0, PIC_EOI, 0);
    assert_int_equal(get(0, PIC_IACK), 0x82);
    put(0, PIC_EOI, 0);
    assert_int_equal(get(0, PIC_IACK), 0x40);
}

static void a_higher_one_nests_and_eoi_ends_the_inner_first(void **state)
{
    (void)state;
    route(1, 3, 1);
    route(2, 8, 1);
    listen(0);
    pic_line(&pic, 1, true, 1);
    assert_int_equal(get(0, PIC_IACK), 0x41);
    pic_line(&pic, 2, true, 2);
    assert_true(pin[0]);
    assert_int_equal(get(0, PIC_IACK), 0x42);
    assert_int_equal(get(0, PIC_IVPR + 0x20) & PIC_ACTIVITY, PIC_ACTIVITY);
    pic_line(&pic, 2, false, 3);
    put(0, PIC_EOI, 0); /* source 2 */
    assert_int_equal(get(0, PIC_IVPR + 0x40) & PIC_ACTIVITY, 0);
    assert_int_equal(get(0, PIC_IVPR + 0x20) & PIC_ACTIVITY, PIC_ACTIVITY);
    assert_false(pin[0]); /* source 1 is still in service */
    put(0, PIC_EOI, 0);
    assert_true(pin[0]); /* and its wire still up */
}

static void the_task_priority_holds_back_what_is_not_above_it(void **state)
{
    (void)state;
    route(0, 7, 1);
    put(0, PIC_CTPR, 7);
    pic_line(&pic, 0, true, 1);
    assert_false(pin[0]);
    put(0, PIC_CTPR, 6);
    assert_true(pin[0]);
    put(0, PIC_CTPR, 15);
    assert_false(pin[0]);
    put(0, PIC_IVPR, vpr(0, 0x40)); /* priority 0: never */
    put(0, PIC_CTPR, 0);
    assert_false(pin[0]);
}

static void the_mask_bit_holds_back_but_activity_shows(void **state)
{
    (void)state;
    route(0, 7, 1);
    listen(0);
    put(0, PIC_IVPR, PIC_MASK | vpr(7, 0x40));
    pic_line(&pic, 0, true, 1);
    assert_false(pin[0]);
    assert_int_equal(get(0, PIC_IVPR), PIC_MASK | PIC_ACTIVITY | vpr(7, 0x40));
    put(0, PIC_IVPR, vpr(7, 0x40));
    assert_true(pin[0]);
}

static void an_ipi_reaches_every_target_once(void **state)
{
    (void)state;
    put(0, PIC_IPIVPR + 0x10, vpr(10, 0x81));
    for (unsigned i = 0; i < 4; i++)
        listen(i);
    put(2, PIC_IPIDR + 0x10, 0xB); /* CPU 2 sends IPI 1 to 0, 1 and 3 */
    assert_true(pin[0] && pin[1] && !pin[2] && pin[3]);
    assert_int_equal(get(0, PIC_IPIVPR + 0x10) & PIC_ACTIVITY, PIC_ACTIVITY);
    assert_int_equal(get(1, PIC_IACK), 0x81);
    assert_false(pin[1]);
    assert_true(pin[0] && pin[3]);
    assert_int_equal(get(1, PIC_IACK), 0xFF);
    put(2, PIC_IPIDR + 0x10, 0x2); /* again while it is being served */
    assert_false(pin[1]);
    put(1, PIC_EOI, 0);
    assert_true(pin[1]); /* not lost */
    assert_int_equal(get(0, PIC_IACK), 0x81);
    assert_int_equal(get(3, PIC_IACK), 0x81);
    assert_int_equal(get(1, PIC_IACK), 0x81);
    for (unsigned i = 0; i < 4; i++)
        put(i, PIC_EOI, 0);
    assert_int_equal(get(0, PIC_IPIVPR + 0x10) & PIC_ACTIVITY, 0);
    assert_false(pin[0] || pin[1] || pin[2] || pin[3]);
}

static void an_ipi_to_oneself_works(void **state)
{
    (void)state;
    put(0, PIC_IPIVPR, vpr(2, 0x80));
    listen(3);
    put(3, PIC_IPIDR, 1 << 3);
    assert_true(pin[3]);
    assert_int_equal(get(3, PIC_IACK), 0x80);
}

static void windows_name_a_cpu_and_window_0_means_oneself(void **state)
{
    uint32_t window = PIC_CPU + 0x1000 * 2;

    (void)state;
    put(0, window + PIC_CTPR, 5);
    assert_int_equal(get(2, PIC_CTPR), 5);
    assert_int_equal(get(0, PIC_CTPR), 15);
    assert_int_equal(get(2, PIC_WHOAMI), 2);
    assert_int_equal(get(1, PIC_WHOAMI), 1);
    route(0, 7, 1 << 2);
    pic_line(&pic, 0, true, 1);
    assert_int_equal(get(0, window + PIC_IACK), 0x40); /* for CPU 2 */
    assert_false(pin[2]);
}

static void of_two_destinations_each_serves_in_turn(void **state)
{
    (void)state;
    route(0, 7, 0x6);
    listen(1);
    listen(2);
    for (unsigned n = 0; n < 4; n++) {
        unsigned cpu = 1 + n % 2;

        pic_line(&pic, 0, true, 1);
        assert_true(pin[cpu]);
        assert_false(pin[3 - cpu]);
        assert_int_equal(get(3 - cpu, PIC_IACK), 0xFF);
        assert_int_equal(get(cpu, PIC_IACK), 0x40);
        pic_line(&pic, 0, false, 2);
        put(cpu, PIC_EOI, 0);
    }
}

static void of_two_destinations_a_busy_one_is_passed_over(void **state)
{
    (void)state;
    route(0, 7, 0x3);
    put(0, PIC_CTPR, 9);
    put(1, PIC_CTPR, 9);
    pic_line(&pic, 0, true, 1);
    assert_false(pin[0] || pin[1]);
    listen(1); /* the first that comes to */
    assert_true(pin[1]);
    listen(0);
    assert_false(pin[0]); /* chosen it stays */
    put(0, PIC_IDR, 1);
    assert_true(pin[0] && !pin[1]); /* until it is no destination */
}

static void an_edge_interrupts_once(void **state)
{
    (void)state;
    put(0, PIC_IVPR, PIC_HIGH | 7u << PIC_PRIORITY_SHIFT | 0x40);
    listen(0);
    pic_line(&pic, 0, true, 1);
    assert_int_equal(get(0, PIC_IACK), 0x40);
    put(0, PIC_EOI, 0);
    assert_false(pin[0]); /* the wire is still up */
    pic_line(&pic, 0, false, 2);
    assert_false(pin[0]);
    pic_line(&pic, 0, true, 3);
    pic_line(&pic, 0, false, 4);
    assert_true(pin[0]); /* it came, though it is gone */
    assert_int_equal(get(0, PIC_IACK), 0x40);
    pic_line(&pic, 0, true, 5); /* another one while the first is served */
    put(0, PIC_EOI, 0);
    assert_true(pin[0]);
}

static void a_low_level_and_a_falling_edge(void **state)
{
    (void)state;
    pic_line(&pic, 0, true, 1);
    pic_line(&pic, 1, true, 1);
    put(0, PIC_IVPR, PIC_LEVEL | 7u << PIC_PRIORITY_SHIFT | 0x40);
    put(0, PIC_IVPR + 0x20, 6u << PIC_PRIORITY_SHIFT | 0x41);
    listen(0);
    assert_false(pin[0]);
    pic_line(&pic, 0, false, 2);
    pic_line(&pic, 1, false, 2);
    assert_int_equal(get(0, PIC_IACK), 0x40);
    pic_line(&pic, 0, true, 3);
    put(0, PIC_EOI, 0);
    assert_int_equal(get(0, PIC_IACK), 0x41);
    put(0, PIC_EOI, 0);
    assert_false(pin[0]);
}

#define TIMER(n, reg) (PIC_TIMER + 0x40 * (n) + PIC_TIMER_##reg)

static void a_timer_interrupts_each_time_it_is_zero(void **state)
{
    uint64_t begun;

    (void)state;
    assert_true(pic_due(&pic) == PIC_NEVER);
    put(0, TIMER(2, DEST), 2);
    put(0, TIMER(2, VPR), vpr(5, 0x72));
    listen(1);
    put(0, TIMER(2, BASE), 1000);
    begun = now;
    assert_int_equal(pic_due(&pic), begun + 1000 * TICK);
    now = begun + 10 * TICK - 1;
    assert_int_equal(get(0, TIMER(2, COUNT)), 990);
    for (unsigned n = 1; n < 4; n++) {
        pic_work(&pic);
        assert_true(pin[1] && !pin[0]);
        assert_int_equal(pin_at, begun + 1000u * n * TICK);
        now = pin_at;
        assert_int_equal(get(0, TIMER(2, COUNT)) >> 31, n % 2);
        assert_int_equal(get(1, PIC_IACK), 0x72);
        put(1, PIC_EOI, 0);
        assert_false(pin[1]);
    }
    put(0, TIMER(2, BASE), 0x80000000u | 1000);
    assert_true(pic_due(&pic) == PIC_NEVER);
}

static void the_timer_that_is_zero_first_is_due(void **state)
{
    (void)state;
    put(0, TIMER(0, BASE), 900);
    put(0, TIMER(3, BASE), 100);
    assert_int_equal(pic_due(&pic), now + 100 * TICK);
    put(0, TIMER(0, BASE), 0x80000000u);
    put(0, TIMER(3, BASE), 0); /* counts nothing */
    assert_true(pic_due(&pic) == PIC_NEVER);
    put(0, TIMER(1, BASE), 7);
    put(0, PIC_GCR, 0x80000000u);
    assert_true(pic_due(&pic) == PIC_NEVER);
}

static void the_spurious_vector_can_be_chosen(void **state)
{
    (void)state;
    put(0, PIC_SVR, 0x1234);
    assert_int_equal(get(0, PIC_SVR), 0x34);
    assert_int_equal(get(0, PIC_IACK), 0x34);
}

static void a_reset_forgets_everything_but_the_wires(void **state)
{
    (void)state;
    route(0, 7, 2);
    listen(1);
    put(0, PIC_IPIVPR, vpr(3, 0x80));
    pic_line(&pic, 0, true, 1);
    put(0, PIC_IPIDR, 2);
    assert_true(pin[1]);
    put(0, PIC_GCR, 0x80000000);
    assert_false(pin[1]);
    assert_int_equal(get(0, PIC_GCR), 0);
    assert_int_equal(get(0, PIC_IPIVPR), PIC_MASK);
    assert_int_equal(get(1, PIC_CTPR), 15);
    route(0, 7, 2);
    listen(1);
    assert_true(pin[1]); /* the wire is still up, the IPI is gone */
    assert_int_equal(get(1, PIC_IACK), 0x40);
}

static void a_stray_eoi_is_harmless(void **state)
{
    (void)state;
    put(0, PIC_EOI, 0);
    route(0, 7, 1);
    listen(0);
    pic_line(&pic, 0, true, 1);
    assert_int_equal(get(0, PIC_IACK), 0x40);
}

static void only_aligned_words_with_a_register_are_answered(void **state)
{
    static const struct io_access bad[] = {
        {PIC_FRR, 1, 0, 1},
        {PIC_FRR, 2, 0, 1},
        {PIC_FRR + 2, 4, 0, 1},
        {PIC_FRR + 4, 4, 0, 1},
        {PIC_TIMER + 0x40 * PIC_TIMERS, 4, 0, 1},
        {PIC_TIMER + 8, 4, 0, 1},
        {PIC_IVPR + 0x20 * BOARD_IRQS, 4, 0, 1},
        {PIC_IVPR + 4, 4, 0, 1},
        {PIC_IPIVPR + 8, 4, 0, 1},
        {PIC_CPU + 0x1000 * 4 + PIC_CTPR, 4, 0, 1}, /* CPU 4 of 4 */
        {PIC_CPU, 4, 0, 1},
        {0x3FFFC, 4, 0, 1},
    };
    uint32_t value;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(pic_load(&pic, &bad[i], &value));
        assert_false(pic_store(&pic, &bad[i], 0));
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        TEST(after_power_on_nothing_gets_through),
        TEST(the_feature_word_names_sources_and_cpus),
        TEST(a_wire_raises_the_pin_of_its_cpu_alone),
        TEST(a_level_that_stays_interrupts_again_behind_eoi),
        TEST(the_higher_priority_goes_first_then_the_lower_number),
        TEST(at_equal_priority_an_ipi_goes_before_a_wire),
        TEST(a_higher_one_nests_and_eoi_ends_the_inner_first),
        TEST(the_task_priority_holds_back_what_is_not_above_it),
        TEST(the_mask_bit_holds_back_but_activity_shows),
        TEST(an_ipi_reaches_every_target_once),
        TEST(an_ipi_to_oneself_works),
        TEST(windows_name_a_cpu_and_window_0_means_oneself),
        TEST(of_two_destinations_each_serves_in_turn),
        TEST(of_two_destinations_a_busy_one_is_passed_over),
        TEST(an_edge_interrupts_once),
        TEST(a_low_level_and_a_falling_edge),
        TEST(a_timer_interrupts_each_time_it_is_zero),
        TEST(the_timer_that_is_zero_first_is_due),
        TEST(the_spurious_vector_can_be_chosen),
        TEST(a_reset_forgets_everything_but_the_wires),
        TEST(a_stray_eoi_is_harmless),
        TEST(only_aligned_words_with_a_register_are_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
