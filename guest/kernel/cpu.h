/* cpu.h - instructions that C has no word for. */
#ifndef GUEST_KERNEL_CPU_H
#define GUEST_KERNEL_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/kernel/asm.h"

#define SPR_DEC 22
#define SPR_SPRG0 272

#define mfspr(n)                                                               \
    ({                                                                         \
        uint32_t v_;                                                           \
        __asm__ volatile("mfspr %0,%1" : "=r"(v_) : "i"(n));                   \
        v_;                                                                    \
    })
#define mtspr(n, v)                                                            \
    __asm__ volatile("mtspr %0,%1" : : "i"(n), "r"((uint32_t)(v)) : "memory")

static inline uint32_t msr_read(void)
{
    uint32_t v;
    __asm__ volatile("mfmsr %0" : "=r"(v) : : "memory");
    return v;
}

static inline void msr_write(uint32_t v)
{
    __asm__ volatile("mtmsr %0\n\tisync" : : "r"(v) : "memory");
}

/* Interrupts off; returns the MSR to give to irq_restore. */
static inline uint32_t irq_save(void)
{
    uint32_t msr = msr_read();

    msr_write(msr & ~(uint32_t)MSR_EE);
    return msr;
}

static inline void irq_restore(uint32_t msr)
{
    msr_write(msr);
}

/* Wait for an interrupt. In: interrupts off. Out: one was taken, they are
 * on. An interrupt that is already pending is taken at once. */
static inline void cpu_nap(void)
{
    __asm__ volatile("sync\n\tmtmsr %0\n\tisync"
                     :
                     : "r"(msr_read() | MSR_POW | MSR_EE)
                     : "memory");
}

static inline uint64_t time_now(void)
{
    uint32_t high, low, again;

    do {
        __asm__ volatile("mftbu %0\n\tmftb %1\n\tmftbu %2"
                         : "=r"(high), "=r"(low), "=r"(again));
    } while (high != again);
    return (uint64_t)high << 32 | low;
}

/* Add to a word; returns what it was. */
static inline uint32_t atomic_add(volatile uint32_t *p, uint32_t n)
{
    uint32_t old, sum;

    __asm__ volatile("1:\tlwarx %0,0,%3\n\t"
                     "add %1,%0,%4\n\t"
                     "stwcx. %1,0,%3\n\t"
                     "bne- 1b"
                     : "=&r"(old), "=&r"(sum), "+m"(*p)
                     : "r"(p), "r"(n)
                     : "cr0", "memory");
    return old;
}

/* Replace `from` by `to`; returns what was there. */
static inline uint32_t atomic_swap_if(volatile uint32_t *p, uint32_t from,
                                      uint32_t to)
{
    uint32_t old;

    __asm__ volatile("1:\tlwarx %0,0,%2\n\t"
                     "cmpw %0,%3\n\t"
                     "bne- 2f\n\t"
                     "stwcx. %4,0,%2\n\t"
                     "bne- 1b\n"
                     "2:"
                     : "=&r"(old), "+m"(*p)
                     : "r"(p), "r"(from), "r"(to)
                     : "cr0", "memory");
    return old;
}

static inline uint32_t io_read(uint32_t address)
{
    uint32_t v = *(volatile uint32_t *)address;

    __asm__ volatile("eieio" : : : "memory");
    return v;
}

static inline void io_write(uint32_t address, uint32_t v)
{
    *(volatile uint32_t *)address = v;
    __asm__ volatile("eieio" : : : "memory");
}

#endif
