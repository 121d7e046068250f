/* status.c - prints its arguments, then does what they ask for: the first
 * letter is the way to end, a number behind it the status. */
#include "tests/sim/bare.h"

static const volatile char *args = (char *)(BOARD_INFO + INFO_ARGS);

static u32 number(const volatile char *s)
{
    u32 n = 0;

    while (*s >= '0' && *s <= '9')
        n = 10 * n + (u32)(*s++ - '0');
    return n;
}

static u32 second(void)
{
    return 77; /* of a CPU that returns */
}

int _start(void)
{
    u32 n = number(args + 1);

    for (const volatile char *s = args; *s; s++)
        put(*s);
    put('\n');
    switch (args[0]) {
    case 'p': /* power off */
        out32(BOARD_POWER, n);
        for (;;)
            ;
    case 'c': /* checkstop: nobody is there, and ME is 0 */
        return (int)in32(0xF0000000);
    case 'i': /* an instruction that does not exist, and no vector */
        __asm__ volatile(".long 0");
        return 0;
    case 's': /* spin */
        for (;;)
            ;
    case 'n': /* nap with nothing to wake it */
        mtmsr(mfmsr() | MSR_POW);
        return 1;
    case 'd': /* let CPU 1 return */
        out32(BOARD_RELEASE + 4, (u32)second);
        for (;;)
            ;
    case 'j': /* jump to where no memory is */
        ((void (*)(void))0xE0000000)();
        return 0;
    case 'm': /* print without end */
        for (;;)
            print("more and more of it\n");
    default: /* return */
        return (int)n;
    }
}
