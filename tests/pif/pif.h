/* pif.h - what the bare-metal tests of the instrumentation facility share: the
 * frame of an exception, the facility's instructions and registers.
 * docs/pif.md is what they hold the simulator to.
 */
#ifndef TESTS_PIF_PIF_H
#define TESTS_PIF_PIF_H

#include "include/mark_bits.h"

#define SPRG0 272
#define SPRG1 273
#define SPRG2 274

#define STACK_BYTES 8192
#define FRAME_GPR 0
#define FRAME_VECTOR 128
#define FRAME_LR 132
#define FRAME_CTR 136
#define FRAME_CR 140
#define FRAME_XER 144
#define FRAME_SRR0 148
#define FRAME_SRR1 152
#define FRAME_BYTES 160

#ifndef __ASSEMBLER__

#include <stdint.h>

struct frame {
    uint32_t gpr[32];
    uint32_t vector, lr, ctr, cr, xer, srr0, srr1, spare;
};

enum {
#define SPR(number, name, level, access, owner, field) SPR_##name = number,
#include "isa/spr.def"
#undef SPR
};

#define mfspr(n)                                                               \
    ({                                                                         \
        uint32_t v_;                                                           \
        __asm__ volatile("mfspr %0,%1" : "=r"(v_) : "i"(n));                   \
        v_;                                                                    \
    })
#define mtspr(n, v)                                                            \
    __asm__ volatile("mtspr %0,%1" ::"i"(n), "r"((uint32_t)(v)) : "memory")

static inline uint32_t mfmsr(void)
{
    uint32_t v;

    __asm__ volatile("mfmsr %0" : "=r"(v));
    return v;
}

static inline void mtmsr(uint32_t v)
{
    __asm__ volatile("mtmsr %0; isync" ::"r"(v) : "memory");
}

#define MSR_EE 0x8000u
#define MSR_PR 0x4000u
#define MSR_RI 0x0002u
#define HID0_PIFE 0x00080000u

/* op r3,0,r3: opcode 5, docs/pif.md 9 */
#define READ_COUNT(name, op)                                                   \
    static inline uint32_t name(const volatile void *at)                       \
    {                                                                          \
        register uint32_t r3 __asm__("r3") = (uint32_t)at;                     \
                                                                               \
        __asm__ volatile(".long 0x14601800+" #op : "+r"(r3)::"memory");        \
        return r3;                                                             \
    }
READ_COUNT(rdac, 1)
READ_COUNT(rdacz, 3)
READ_COUNT(rdic, 5)
READ_COUNT(rdicz, 7)

static inline void pifsync(void)
{
    __asm__ volatile(".long 0x14000009" ::: "memory");
}

#endif
#endif
