/* fp.h - IEEE arithmetic on the bits, with the 604e's FPSCR. Private to isa/.
 * No host arithmetic, no host rounding mode: the same bits everywhere.
 */
#ifndef ISA_FP_H
#define ISA_FP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/single.h"
#include "isa/types.h"

#define FPSCR_FX 0x80000000u
#define FPSCR_FEX 0x40000000u
#define FPSCR_VX 0x20000000u
#define FPSCR_OX 0x10000000u
#define FPSCR_UX 0x08000000u
#define FPSCR_ZX 0x04000000u
#define FPSCR_XX 0x02000000u
#define FPSCR_VXSNAN 0x01000000u
#define FPSCR_VXISI 0x00800000u
#define FPSCR_VXIDI 0x00400000u
#define FPSCR_VXZDZ 0x00200000u
#define FPSCR_VXIMZ 0x00100000u
#define FPSCR_VXVC 0x00080000u
#define FPSCR_FR 0x00040000u
#define FPSCR_FI 0x00020000u
#define FPSCR_FPRF 0x0001F000u
#define FPSCR_FPCC 0x0000F000u
#define FPSCR_VXSOFT 0x00000400u
#define FPSCR_VXSQRT 0x00000200u
#define FPSCR_VXCVI 0x00000100u
#define FPSCR_VE 0x00000080u
#define FPSCR_OE 0x00000040u
#define FPSCR_UE 0x00000020u
#define FPSCR_ZE 0x00000010u
#define FPSCR_XE 0x00000008u
#define FPSCR_NI 0x00000004u
#define FPSCR_RN 0x00000003u

/* Every invalid-operation bit, and every bit whose rise sets FX. */
#define FPSCR_VX_ANY 0x01F80700u
#define FPSCR_EXCEPTIONS 0x1FF80700u
#define FPSCR_RESERVED 0x00000800u

/* What an operation gives. */
struct fp_out {
    uint64_t bits;   /* for the register, unless suppressed */
    uint32_t raised; /* exception bits */
    uint32_t status; /* FR, FI and FPRF */
    bool suppressed; /* an enabled VX or ZX: register and FPRF stay */
};

enum fp_op { FP_ADD, FP_SUB, FP_MUL, FP_DIV };

/* a op b, rounded once to double or single as fpscr says. */
struct fp_out fp_arith(enum fp_op op, uint64_t a, uint64_t b, uint32_t fpscr,
                       bool single);
/* a * c + b (or - b), rounded once, then negated if asked; a NaN is not. */
struct fp_out fp_fused(uint64_t a, uint64_t c, uint64_t b, bool subtract,
                       bool negate, uint32_t fpscr, bool single);
/* To single precision, in the double format of the register. */
struct fp_out fp_round_single(uint64_t b, uint32_t fpscr);
/* To a word, rounded by mode (as FPSCR[RN]). status leaves FPRF out. */
struct fp_out fp_to_word(uint64_t b, uint32_t fpscr, unsigned mode);
/* 1/b as single: the quotient itself, closer than the 1/256 asked for. */
struct fp_out fp_reciprocal(uint64_t b, uint32_t fpscr);
/* 1/sqrt(b): the root itself, closer than the 1/32 asked for. */
struct fp_out fp_root_estimate(uint64_t b, uint32_t fpscr);

/* ---- comparison ---------------------------------------------------------- */

/* Numbers in the order of their values. */
static inline int64_t fp_ordinal(uint64_t bits)
{
    int64_t magnitude = (int64_t)(bits << 1 >> 1);

    return bits >> 63 ? -magnitude : magnitude;
}

static inline bool fp_is_nan(uint64_t bits)
{
    return bits << 1 > 0x7FFull << 53;
}

static inline bool fp_signals(uint64_t bits)
{
    return fp_is_nan(bits) && !(bits >> 51 & 1);
}

/* LT GT EQ UN as a CR field; *raised gets VXSNAN, for ordered ones VXVC. */
static inline uint32_t fp_compare(uint64_t a, uint64_t b, bool ordered,
                                  uint32_t fpscr, uint32_t *raised)
{
    int64_t l = fp_ordinal(a), r = fp_ordinal(b);
    bool signaling = fp_signals(a) || fp_signals(b);

    *raised = 0;
    if (LIKELY(!fp_is_nan(a) && !fp_is_nan(b)))
        return l < r ? 8 : l > r ? 4 : 2;
    if (signaling)
        *raised = FPSCR_VXSNAN;
    if (ordered && !(signaling && (fpscr & FPSCR_VE)))
        *raised |= FPSCR_VXVC;
    return 1;
}

#endif
