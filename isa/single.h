/* single.h - the two forms of a single-precision number: a word in memory, a
 * double in a register (PEM D.6, D.7): what lfs and stfs do to the bits. No
 * rounding, no exceptions, no FPSCR. For every room that
 * carries one across.
 */
#ifndef ISA_SINGLE_H
#define ISA_SINGLE_H

#include <stdint.h>

/* The double that an lfs of this word leaves in the register. */
static inline uint64_t fp_widen(uint32_t single)
{
    uint64_t sign = (uint64_t)(single >> 31) << 63;
    uint32_t exp = single >> 23 & 255;
    uint64_t frac = single & 0x7FFFFF;

    if (exp == 255)
        return sign | (0x7FFull << 52) | frac << 29;
    if (exp)
        return sign | (uint64_t)(exp + 896) << 52 | frac << 29;
    if (!frac)
        return sign;
    unsigned up = (unsigned)__builtin_clz((uint32_t)frac) - 8;
    return sign | (uint64_t)(897 - up) << 52 | (frac << up & 0x7FFFFF) << 29;
}

/* The word that an stfs of this register stores (PEM D.7). A value too small
 * for a denormal is undefined there; we store a zero of its sign. */
static inline uint32_t fp_store_single(uint64_t bits)
{
    uint32_t sign = (uint32_t)(bits >> 32) & 0x80000000u;
    uint32_t exp = (uint32_t)(bits >> 52) & 0x7FF;
    uint64_t frac = bits & 0xFFFFFFFFFFFFFull;

    if (exp > 896)
        return (uint32_t)(bits >> 32 & 0xC0000000u) |
               (uint32_t)(bits >> 29 & 0x3FFFFFFF);
    if (exp < 874)
        return sign;
    return sign | (uint32_t)((frac | 1ull << 52) >> (29 + 897 - exp));
}

#endif
