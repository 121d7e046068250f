/* hot.c - 64 loads that miss, the same 64 loads that hit, 32 stores that
 * miss, in a function each. With "pif" as argument its own counters count
 * the events that --event defines: PMC1 number 0, PMC2 number 1, PMC3 number
 * 7; they are printed. */
#include "tests/sim/bare.h"

#define MMCR0 952
#define PMC1 953
#define PMC2 954
#define PMC3 957
#define PIFE1 720
#define PIFE2 721
#define PIFE3 722
#define HID0 1008
#define HID0_PIFE 0x00080000u
#define DIS 0x80000000u

#define mtspr(n, v)                                                            \
    __asm__ volatile("mtspr %0, %1; isync" : : "i"(n), "r"(v) : "memory")
#define mfspr(n)                                                               \
    ({                                                                         \
        u32 value;                                                             \
        __asm__ volatile("mfspr %0, %1" : "=r"(value) : "i"(n) : "memory");    \
        value;                                                                 \
    })

u32 lines[64 * 8] __attribute__((aligned(4096)));
u32 others[32 * 8] __attribute__((aligned(4096)));

__attribute__((noinline)) void miss(void)
{
    for (u32 i = 0; i < 64; i++)
        __asm__ volatile("lwz 0, 0(%0)" : : "b"(&lines[8 * i]) : "r0");
}

__attribute__((noinline)) void hit(void)
{
    for (u32 i = 0; i < 64; i++)
        __asm__ volatile("lwz 0, 0(%0)" : : "b"(&lines[8 * i]) : "r0");
}

__attribute__((noinline)) void spill(void)
{
    for (u32 i = 0; i < 32; i++)
        __asm__ volatile("stw %0, 0(%0)" : : "b"(&others[8 * i]) : "memory");
}

static void work(void)
{
    miss();
    hit();
    spill();
    __asm__ volatile("sync");
}

int _start(void)
{
    const volatile char *args = (char *)(BOARD_INFO + INFO_ARGS);

    if (args[0] != 'p') {
        work();
        print("done\n");
        return 0;
    }
    mtspr(HID0, mfspr(HID0) | HID0_PIFE);
    mtspr(MMCR0, DIS);
    mtspr(PIFE1, 0x800);
    mtspr(PIFE2, 0x801);
    mtspr(PIFE3, 0x807);
    mtspr(MMCR0, 0);
    work();
    mtspr(MMCR0, DIS);
    print_hex(mfspr(PMC1));
    put(' ');
    print_hex(mfspr(PMC2));
    put(' ');
    print_hex(mfspr(PMC3));
    put('\n');
    return 0;
}
