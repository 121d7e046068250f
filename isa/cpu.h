/* cpu.h - one processor's architected registers, and nothing else.
 * Knows the programming model of the 604e. Holds no clock, no cache and no
 * pipeline. Bit masks are those of the manual, as hexadecimal words.
 */
#ifndef ISA_CPU_H
#define ISA_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/step.h"
#include "isa/types.h"

#define MSR_POW 0x00040000u
#define MSR_ILE 0x00010000u
#define MSR_EE 0x00008000u
#define MSR_PR 0x00004000u
#define MSR_FP 0x00002000u
#define MSR_ME 0x00001000u
#define MSR_FE0 0x00000800u
#define MSR_SE 0x00000400u
#define MSR_BE 0x00000200u
#define MSR_FE1 0x00000100u
#define MSR_IP 0x00000040u
#define MSR_IR 0x00000020u
#define MSR_DR 0x00000010u
#define MSR_PM 0x00000004u
#define MSR_RI 0x00000002u
#define MSR_LE 0x00000001u

#define XER_SO 0x80000000u
#define XER_OV 0x40000000u
#define XER_CA 0x20000000u

#define IABR_ENABLE 2u

#define HID0_PIFE 0x00080000u /* the PIF is on: docs/pif.md */
#define HID0_ICE 0x00008000u
#define HID0_DCE 0x00004000u
#define HID0_ILOCK 0x00002000u
#define HID0_DLOCK 0x00001000u
#define HID0_ICFI 0x00000800u
#define HID0_DCFI 0x00000400u
#define HID0_SIED 0x00000080u /* 1: superscalar, 0: one at a time */
#define HID0_BHTE 0x00000004u
#define HID0_BTCD 0x00000002u

#define SRR1_ILLEGAL 0x00080000u
#define SRR1_PRIVILEGED 0x00040000u
#define SRR1_TRAP 0x00020000u
#define SRR1_NEXT 0x00010000u /* program: SRR0 is the next instruction */
#define SRR1_FP 0x00100000u
#define SRR1_TEA 0x00040000u  /* machine check */
#define SRR1_KEEP 0x87C0FFFFu /* MSR bits saved on entry */

/* Every register an instruction may read or write, numbered for dependence:
 * timing waits on these, and the row tests flip them. */
enum reg {
    REG_GPR0 = 0,
    REG_FPR0 = 32,
    REG_CR0 = 64, /* 8 fields */
    REG_CA = 72,  /* XER[CA] */
    REG_OV,       /* XER[SO,OV] */
    REG_XCOUNT,   /* XER[25-31] */
    REG_LR,
    REG_CTR,
    REG_FPSCR,
    REG_RESERVE, /* the reservation */
    REG_MSR,
    REG_SPR, /* every other special register, as one */
    REG_COUNT,
    REG_NONE = 255
};

struct port;

struct cpu {
    uint32_t gpr[32];
    uint32_t cr;
    uint32_t xer; /* SO OV CA, byte count in 25-31 */
    uint32_t lr, ctr;
    ea_t pc;  /* the instruction being executed */
    ea_t nia; /* the next one: set to pc + 4 before the body runs */
    uint32_t msr;
    uint64_t fpr[32]; /* the bits, never a host double */
    uint32_t fpscr;

    uint32_t srr0, srr1, sprg[4], dar, dsisr, ear;
    uint32_t hid0, hid1, iabr, dabr, pir, pvr;
    uint32_t sdr1, sr[16], ibat[8], dbat[8]; /* U,L pairs */

    /* What the last instruction did; the body fills it. */
    struct step step;
    /* SRR1 or DSISR bits of the exception that the body returned. */
    uint32_t cause;
    const struct port *port; /* the world, not owned */
};

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool cpu_state(struct snap *s, struct cpu *c);

#endif
