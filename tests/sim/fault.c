/* fault.c - what a bare program without handlers does wrong, one way a letter
 * of --append. The line of each fault has a remark of the same letter.
 */
#include <stdint.h>

#include "include/board.h"

#define INLINE static __attribute__((noipa))

static volatile uint32_t sink;
static volatile double number = 1.5;

INLINE int deep(int n)
{
    volatile char pad[4096];

    pad[n & 4095] = 1;
    return deep(n + 1) + pad[5];
}

INLINE void jump(void (*to)(void))
{
    to(); /* jump */
    sink++;
}

INLINE uint32_t load(uint32_t from)
{
    return *(volatile uint32_t *)from; /* load */
}

INLINE void store(uint32_t to)
{
    *(volatile uint32_t *)to = 1; /* store */
}

INLINE void set_msr(uint32_t value)
{
    asm volatile("mtmsr %0; isync" ::"r"(value)); /* little */
}

INLINE void write_word(uint32_t at, uint32_t word)
{
    *(volatile uint32_t *)at = word;
    asm volatile("dcbst 0,%0; sync; icbi 0,%0; isync" ::"r"(at) : "memory");
}

static void more(char way)
{
    switch (way) {
    case 'u':
        asm volatile("mtmsr %0; isync" ::"r"(0x4000));
        asm volatile("mtmsr %0" ::"r"(0)); /* user */
        break;
    case 'h': /* its handler goes back to it */
        write_word(0x800, 0x4C000064);
        asm volatile("fmr 1,1"); /* handled */
        break;
    case 'c':
        write_word((uint32_t)jump, 1); /* overwritten: */
        jump(0);
        break;
    case 'v':
        set_msr(0x40);
        asm volatile("sc"); /* vectors */
        break;
    case 'o':
        asm volatile("li 1,64; stwu 1,-128(1)"); /* end */
        break;
    case 'e':
        set_msr(1);
        break;
    default:
        asm volatile("sc"); /* system */
    }
}

int _start(void)
{
    char way = *(const volatile char *)(BOARD_INFO + INFO_ARGS);

    switch (way) {
    case 'f':
        return (int)number; /* float */
    case 'd':
        return deep(0);
    case 'n':
        jump(0);
        break;
    case 'w':
        jump((void (*)(void))0x80000000);
        break;
    case 'l':
        return (int)load(0xF0000000);
    case 's':
        store(0xF0000004);
        break;
    case 'm': /* a machine check that would be taken */
        set_msr(0x1000);
        return (int)load(0xF0000000);
    case 't':
        __builtin_trap(); /* trap */
    case 'i':
        asm volatile(".long 1"); /* illegal */
        break;
    case 'x':
        set_msr(0x8000);
        asm volatile("mtdec %0" ::"r"(100));
        for (;;)
            sink++; /* decrementer */
    case 'p':
        asm volatile("mtmsr %0; isync" ::"r"(0x10));
        return *(volatile int *)0x20000000; /* translated */
    default:
        more(way);
    }
    return 0;
}
