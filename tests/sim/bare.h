/* bare.h - what the bare-metal programs of these tests share: the console,
 * device words, a spin lock, and an interrupt vector that calls C. */
#ifndef TESTS_SIM_BARE_H
#define TESTS_SIM_BARE_H

#include "include/board.h"

typedef unsigned int u32;
typedef unsigned char u8;

static inline u32 in32(u32 a)
{
    return *(volatile u32 *)a;
}

static inline void out32(u32 a, u32 v)
{
    *(volatile u32 *)a = v;
}

static inline u8 in8(u32 a)
{
    return *(volatile u8 *)a;
}

static inline void out8(u32 a, u8 v)
{
    *(volatile u8 *)a = v;
}

static inline void put(char c)
{
    while (!(in8(BOARD_UART + 5) & 0x20))
        ;
    out8(BOARD_UART, (u8)c);
}

static inline void print(const char *s)
{
    while (*s)
        put(*s++);
}

static inline void print_hex(u32 v)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        put("0123456789abcdef"[v >> shift & 15]);
}

static inline u32 mfmsr(void)
{
    u32 v;

    __asm__ volatile("mfmsr %0" : "=r"(v));
    return v;
}

static inline void mtmsr(u32 v)
{
    __asm__ volatile("sync; mtmsr %0; isync" : : "r"(v) : "memory");
}

#define MSR_POW 0x40000u
#define MSR_EE 0x8000u
#define MSR_ME 0x1000u

static inline u32 timebase(void)
{
    u32 v;

    __asm__ volatile("mftb %0" : "=r"(v));
    return v;
}

static inline u32 add_atomic(volatile u32 *p, u32 n)
{
    u32 v;

    __asm__ volatile("1: lwarx %0,0,%1; add %0,%0,%2; stwcx. %0,0,%1; bne- 1b"
                     : "=&r"(v)
                     : "r"(p), "r"(n)
                     : "cr0", "memory");
    return v;
}

/* Point the vector at a function that takes nothing: saves the volatile
 * registers in 128 bytes of the interrupted stack. */
static inline void set_vector(u32 vector, void (*handler)(void))
{
    u32 *v = (u32 *)vector;
    u32 n = 0;

    v[n++] = 0x9421ff80; /* stwu  r1,-128(r1) */
    v[n++] = 0x90010008; /* stw   r0,8(r1) */
    for (u32 r = 2; r <= 12; r++)
        v[n++] = 0x90010000 | r << 21 | (8 + 4 * r); /* stw r,8+4r(r1) */
    v[n++] = 0x7c0802a6;                             /* mflr  r0 */
    v[n++] = 0x90010050;                             /* stw   r0,80(r1) */
    v[n++] = 0x7c0902a6;                             /* mfctr r0 */
    v[n++] = 0x90010054;                             /* stw   r0,84(r1) */
    v[n++] = 0x7c000026;                             /* mfcr  r0 */
    v[n++] = 0x90010058;                             /* stw   r0,88(r1) */
    v[n++] = 0x7c0102a6;                             /* mfxer r0 */
    v[n++] = 0x9001005c;                             /* stw   r0,92(r1) */
    v[n++] = 0x3d800000 | (u32)handler >> 16;        /* lis r12,hi */
    v[n++] = 0x618c0000 | ((u32)handler & 0xffff);   /* ori r12,r12,lo */
    v[n++] = 0x7d8903a6;                             /* mtctr r12 */
    v[n++] = 0x4e800421;                             /* bctrl */
    v[n++] = 0x8001005c;                             /* lwz   r0,92(r1) */
    v[n++] = 0x7c0103a6;                             /* mtxer r0 */
    v[n++] = 0x80010058;                             /* lwz   r0,88(r1) */
    v[n++] = 0x7c0ff120;                             /* mtcrf 255,r0 */
    v[n++] = 0x80010054;                             /* lwz   r0,84(r1) */
    v[n++] = 0x7c0903a6;                             /* mtctr r0 */
    v[n++] = 0x80010050;                             /* lwz   r0,80(r1) */
    v[n++] = 0x7c0803a6;                             /* mtlr  r0 */
    for (u32 r = 2; r <= 12; r++)
        v[n++] = 0x80010000 | r << 21 | (8 + 4 * r); /* lwz r,8+4r(r1) */
    v[n++] = 0x80010008;                             /* lwz   r0,8(r1) */
    v[n++] = 0x38210080;                             /* addi  r1,r1,128 */
    v[n++] = 0x4c000064;                             /* rfi */
    for (u32 *line = v; line < v + n; line += 8)
        __asm__ volatile("dcbst 0,%0; sync; icbi 0,%0" : : "r"(line));
    __asm__ volatile("sync; isync" : : : "memory");
}

#endif
