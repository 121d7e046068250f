/* uart_test.c - the console device, register by register. Numbers are those
 * of the ns16550 data sheet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sim/dev/uart.h"

enum { DATA, IER, IIR, LCR, MCR, LSR, MSR, SCR, FCR = IIR };

static struct uart uart;
static char sent[64];
static unsigned sent_count, irq_changes;
static bool irq;
static uint64_t irq_at, now;

static void on_send(void *arg, uint8_t byte)
{
    (void)arg;
    sent[sent_count++] = (char)byte;
}

static void on_irq(void *arg, bool level, uint64_t at)
{
    assert_ptr_equal(arg, &uart);
    assert_int_not_equal(level, irq); /* only changes are told */
    irq = level;
    irq_at = at;
    irq_changes++;
}

static int start(void **state)
{
    (void)state;
    uart_init(&uart, &uart, on_send, on_irq);
    memset(sent, 0, sizeof sent);
    sent_count = irq_changes = 0;
    irq = false;
    now = 1000;
    return 0;
}

static unsigned get(unsigned reg)
{
    struct io_access a = {.offset = reg, .size = 1, .at = ++now};
    uint32_t value = 0xFFFFFFFF;

    assert_true(uart_load(&uart, &a, &value));
    assert_in_range(value, 0, 255);
    return value;
}

static void put(unsigned reg, uint32_t value)
{
    struct io_access a = {.offset = reg, .size = 1, .at = ++now};

    assert_true(uart_store(&uart, &a, value));
}

static void a_stored_byte_is_sent_and_the_transmitter_stays_empty(void **state)
{
    (void)state;
    assert_int_equal(get(LSR), 0x60);
    put(DATA, 'h');
    put(DATA, 'i');
    assert_int_equal(get(LSR), 0x60);
    assert_string_equal(sent, "hi");
}

static void a_received_byte_is_ready_until_it_is_read(void **state)
{
    (void)state;
    uart_receive(&uart, 'x', 5);
    assert_int_equal(get(LSR), 0x61);
    assert_int_equal(get(DATA), 'x');
    assert_int_equal(get(LSR), 0x60);
    assert_int_equal(irq_changes, 0); /* nobody enabled it */
}

static void receive_interrupts_follow_ier_and_the_data(void **state)
{
    (void)state;
    put(IER, 1);
    assert_int_equal(get(IIR), 0x01);
    uart_receive(&uart, 'x', 7777);
    assert_true(irq);
    assert_int_equal(irq_at, 7777);
    assert_int_equal(get(IIR), 0x04);
    assert_int_equal(get(IIR), 0x04); /* looking does not answer it */
    get(DATA);
    assert_false(irq);
    assert_int_equal(irq_at, now);
    assert_int_equal(get(IIR), 0x01);
}

static void disabling_receive_interrupts_lowers_the_line(void **state)
{
    (void)state;
    uart_receive(&uart, 'x', 1);
    put(IER, 1);
    assert_true(irq);
    put(IER, 0);
    assert_false(irq);
    assert_int_equal(get(DATA), 'x');
}

static void the_transmit_interrupt_is_answered_by_iir_or_a_byte(void **state)
{
    (void)state;
    put(IER, 2);
    assert_true(irq); /* empty now */
    assert_int_equal(get(IIR), 0x02);
    assert_false(irq);
    assert_int_equal(get(IIR), 0x01);
    put(DATA, 'a'); /* gone at once: empty again */
    assert_true(irq);
    put(IER, 2); /* writing the same again adds nothing */
    assert_int_equal(get(IIR), 0x02);
    assert_false(irq);
}

static void received_data_comes_before_an_empty_transmitter(void **state)
{
    (void)state;
    put(IER, 3);
    uart_receive(&uart, 'x', 1);
    assert_int_equal(get(IIR), 0x04);
    get(DATA);
    assert_true(irq);
    assert_int_equal(get(IIR), 0x02);
    assert_false(irq);
}

static void the_fifo_shows_in_iir_and_reports_a_lone_byte(void **state)
{
    (void)state;
    put(FCR, 0xC1); /* on, trigger at 14 */
    assert_int_equal(get(IIR), 0xC1);
    put(IER, 1);
    uart_receive(&uart, 'x', 1);
    assert_int_equal(get(IIR), 0xCC); /* character timeout */
    put(FCR, 0x01);                   /* trigger at 1 */
    assert_int_equal(get(IIR), 0xC4);
    put(FCR, 0x03); /* and cleared */
    assert_int_equal(get(LSR), 0x60);
    assert_false(irq);
}

static void loop_back_fills_the_fifo_and_overruns_it(void **state)
{
    (void)state;
    put(FCR, 0x81); /* trigger at 8 */
    put(MCR, 0x10);
    put(IER, 1);
    for (unsigned i = 0; i < 7; i++)
        put(DATA, 'a' + i);
    assert_int_equal(get(IIR), 0xCC);
    put(DATA, 'h');
    assert_int_equal(get(IIR), 0xC4);
    for (unsigned i = 8; i < 16; i++)
        put(DATA, 'a' + i);
    assert_int_equal(get(LSR), 0x61);
    put(DATA, 'X'); /* no room */
    put(IER, 5);
    assert_int_equal(get(IIR), 0xC6); /* line status first */
    assert_int_equal(get(LSR), 0x63);
    assert_int_equal(get(LSR), 0x61); /* reading cleared it */
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(get(DATA), 'a' + i);
    assert_int_equal(get(LSR), 0x60);
    assert_int_equal(sent_count, 0);
    put(MCR, 0);
    put(DATA, 'z');
    assert_string_equal(sent, "z");
}

static void without_the_fifo_there_is_room_for_one(void **state)
{
    (void)state;
    put(MCR, 0x10);
    put(DATA, 'a');
    put(DATA, 'b');
    assert_int_equal(get(LSR), 0x63);
    assert_int_equal(get(DATA), 'a');
    assert_int_equal(get(LSR), 0x60);
}

static void the_divisor_hides_behind_dlab(void **state)
{
    (void)state;
    put(IER, 1);
    put(LCR, 0x83);
    put(DATA, 12);
    put(IER, 34);
    assert_int_equal(get(DATA), 12);
    assert_int_equal(get(IER), 34);
    assert_int_equal(get(LCR), 0x83);
    put(LCR, 0x03);
    assert_int_equal(get(IER), 1);
    assert_int_equal(sent_count, 0);
}

static void scratch_and_modem_registers_hold(void **state)
{
    (void)state;
    put(SCR, 0x5A);
    assert_int_equal(get(SCR), 0x5A);
    put(MCR, 0x0B);
    assert_int_equal(get(MCR), 0x0B);
    assert_int_equal(get(MSR), 0xB0);
    put(MCR, 0x1A); /* loop back RTS and OUT2 */
    assert_int_equal(get(MSR), 0x90);
    put(MCR, 0x0B);
    uart_over(&uart);
    assert_int_equal(get(MSR), 0x38); /* the carrier went, told once */
    assert_int_equal(get(MSR), 0x30);
}

static void only_bytes_are_answered(void **state)
{
    struct io_access a = {.offset = 0, .size = 4, .at = 1};
    uint32_t value;

    (void)state;
    assert_false(uart_load(&uart, &a, &value));
    assert_false(uart_store(&uart, &a, 'x'));
    a.size = 2;
    assert_false(uart_store(&uart, &a, 'x'));
    assert_int_equal(sent_count, 0);
}

static void input_is_wanted_when_interrupts_are_on(void **state)
{
    (void)state;
    assert_false(uart_wants(&uart));
    put(IER, 1);
    assert_true(uart_wants(&uart));
    uart_receive(&uart, 'x', 1);
    assert_false(uart_wants(&uart)); /* this one first */
    get(DATA);
    assert_true(uart_wants(&uart));
    put(IER, 0);
    assert_false(uart_wants(&uart));
}

static void input_is_wanted_by_who_keeps_looking(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1000; i++) { /* a print loop */
        get(LSR);
        get(LSR);
        sent_count = 0;
        put(DATA, 'x');
        assert_false(uart_wants(&uart));
    }
    for (unsigned i = 0; i < UART_LOOKS; i++) {
        assert_false(uart_wants(&uart));
        get(LSR);
    }
    assert_true(uart_wants(&uart));
    uart_receive(&uart, 'x', 1);
    get(DATA);
    assert_false(uart_wants(&uart)); /* it has to look again */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        TEST(a_stored_byte_is_sent_and_the_transmitter_stays_empty),
        TEST(a_received_byte_is_ready_until_it_is_read),
        TEST(receive_interrupts_follow_ier_and_the_data),
        TEST(disabling_receive_interrupts_lowers_the_line),
        TEST(the_transmit_interrupt_is_answered_by_iir_or_a_byte),
        TEST(received_data_comes_before_an_empty_transmitter),
        TEST(the_fifo_shows_in_iir_and_reports_a_lone_byte),
        TEST(loop_back_fills_the_fifo_and_overruns_it),
        TEST(without_the_fifo_there_is_room_for_one),
        TEST(the_divisor_hides_behind_dlab),
        TEST(scratch_and_modem_registers_hold),
        TEST(only_bytes_are_answered),
        TEST(input_is_wanted_when_interrupts_are_on),
        TEST(input_is_wanted_by_who_keeps_looking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
