/* echo.c - reads the console until a full stop and prints what it read in
 * upper case; returns how many characters came. With "irq" as argument it
 * naps and takes interrupts instead of polling. With "time" it also prints at
 * which time-base tick each character was seen. */
#include "tests/sim/bare.h"

static volatile u32 count, done;
static u32 stamped;

static void take(u8 c)
{
    count++;
    if (stamped) {
        print_hex(timebase());
        put(' ');
    }
    put(c >= 'a' && c <= 'z' ? (char)(c - 32) : (char)c);
    if (c == '.')
        done = 1;
}

static void external(void)
{
    u32 vector = in32(BOARD_PIC + PIC_IACK);

    if (vector == 0x41)
        while (in8(BOARD_UART + 5) & 1)
            take(in8(BOARD_UART));
    out32(BOARD_PIC + PIC_EOI, 0);
}

static void by_interrupt(void)
{
    set_vector(0x500, external);
    out32(BOARD_PIC + PIC_IDR, 1);
    out32(BOARD_PIC + PIC_IVPR,
          PIC_LEVEL | PIC_HIGH | 5u << PIC_PRIORITY_SHIFT | 0x41);
    out32(BOARD_PIC + PIC_CTPR, 0);
    out8(BOARD_UART + 1, 1);
    while (!done)
        mtmsr(mfmsr() | MSR_EE | MSR_POW);
}

static void by_polling(void)
{
    while (!done)
        if (in8(BOARD_UART + 5) & 1)
            take(in8(BOARD_UART));
}

int _start(void)
{
    const volatile char *args = (char *)(BOARD_INFO + INFO_ARGS);

    for (; *args; args++)
        stamped |= *args == 't';
    args = (char *)(BOARD_INFO + INFO_ARGS);
    if (args[0] == 'i')
        by_interrupt();
    else
        by_polling();
    put('\n');
    return (int)count;
}
