/* smp.c - every CPU adds to one counter, then all are counted by
 * inter-processor interrupts; prints what CPU 0 saw. */
#include "tests/sim/bare.h"

#define ROUNDS 1000

static volatile u32 sum, arrived, interrupts[8];
extern u8 stacks[8][4096];
u8 stacks[8][4096] __attribute__((aligned(16)));

void work(u32 cpu);
void enter(void);

/* A released CPU comes with its number in r3 and no stack. */
__asm__(".globl enter\n"
        "enter: slwi 4,3,12\n"
        "lis 1,stacks+4080@ha\n"
        "addi 1,1,stacks+4080@l\n"
        "add 1,1,4\n"
        "li 0,0\n"
        "stw 0,0(1)\n"
        "b work\n");

static void external(void)
{
    u32 vector = in32(BOARD_PIC + PIC_IACK);
    u32 me = in32(BOARD_PIC + PIC_WHOAMI);

    if (vector == 0x82)
        interrupts[me]++;
    out32(BOARD_PIC + PIC_EOI, 0);
}

void work(u32 cpu)
{
    out32(BOARD_PIC + PIC_CTPR, 0);
    for (u32 i = 0; i < ROUNDS; i++)
        add_atomic(&sum, cpu + 1);
    add_atomic(&arrived, 1);
    while (!interrupts[cpu])
        mtmsr(mfmsr() | MSR_EE | MSR_POW);
    add_atomic(&arrived, 1);
    for (;;)
        mtmsr((mfmsr() & ~MSR_EE) | MSR_POW);
}

int _start(void)
{
    u32 cpus = in32(BOARD_INFO + INFO_CPUS);

    set_vector(0x500, external);
    out32(BOARD_PIC + PIC_IPIVPR + 0x20, 9u << PIC_PRIORITY_SHIFT | 0x82);
    for (u32 i = 1; i < cpus; i++)
        out32(BOARD_RELEASE + 4 * i, (u32)enter);
    for (u32 i = 0; i < ROUNDS; i++)
        add_atomic(&sum, 1);
    while (arrived != cpus - 1)
        ;
    out32(BOARD_PIC + PIC_IPIDR + 0x20, ((1u << cpus) - 1) & ~1u);
    while (arrived != 2 * (cpus - 1))
        ;
    print_hex(sum);
    for (u32 i = 0; i < cpus; i++) {
        put(' ');
        print_hex(interrupts[i]);
    }
    put('\n');
    return (int)cpus;
}
