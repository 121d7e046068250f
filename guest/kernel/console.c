/* console.c - words for people, through the ns16550. */
#include <stdarg.h>

#include "guest/kernel/defs.h"

#define UART_RBR 0
#define UART_THR 0
#define UART_FCR 2
#define UART_LCR 3
#define UART_LSR 5
#define UART_MSR 6
#define LCR_8N1 0x03
#define FCR_ENABLE 0x01
#define LSR_DR 0x01
#define LSR_THRE 0x20
#define MSR_CARRIER 0x80
#define ASKS 20 /* in a row: the board then knows that input is wanted */

static struct spinlock line; /* lines of two CPUs do not mix */

static volatile uint8_t *uart(unsigned reg)
{
    return (volatile uint8_t *)(BOARD_UART + reg);
}

void console_init(void)
{
    *uart(UART_LCR) = LCR_8N1;
    *uart(UART_FCR) = FCR_ENABLE;
}

void console_put(char ch)
{
    while (!(*uart(UART_LSR) & LSR_THRE))
        continue;
    *uart(UART_THR) = (uint8_t)ch;
    __asm__ volatile("eieio" : : : "memory");
}

static void put_text(const char *text)
{
    while (*text)
        console_put(*text++);
}

void kprintf(const char *format, ...)
{
    uint32_t msr = spin_lock(&line);
    va_list ap;

    va_start(ap, format);
    format_text(console_put, format, ap);
    va_end(ap);
    spin_unlock(&line, msr);
}

void console_write_bytes(const char *bytes, uint32_t n)
{
    uint32_t msr = spin_lock(&line);

    while (n--)
        console_put(*bytes++);
    spin_unlock(&line, msr);
}

enum console_input console_get(char *byte)
{
    for (unsigned asked = 0; asked < ASKS; asked++) {
        if (*uart(UART_LSR) & LSR_DR) {
            *byte = (char)*uart(UART_RBR);
            return CONSOLE_BYTE;
        }
    }
    return *uart(UART_MSR) & MSR_CARRIER ? CONSOLE_SILENT : CONSOLE_OVER;
}

void power_off(uint32_t status)
{
    irq_save();
    io_write(BOARD_POWER, status);
    for (;;)
        continue;
}

/* The kernel cannot go on. Takes no lock: its holder may be this CPU. */
void panic(const char *format, ...)
{
    va_list ap;

    irq_save();
    put_text("panic: cpu ");
    console_put((char)('0' + this_cpu()->number));
    put_text(": ");
    va_start(ap, format);
    format_text(console_put, format, ap);
    va_end(ap);
    console_put('\n');
    power_off(EXIT_PANIC);
}
