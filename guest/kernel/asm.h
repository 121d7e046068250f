/* asm.h - numbers that C and assembly share. */
#ifndef GUEST_KERNEL_ASM_H
#define GUEST_KERNEL_ASM_H

#define MAX_CPUS 8
#define STACK_SIZE 8192

/* Vectors of interrupts. */
#define VEC_EXTERNAL 0x500
#define VEC_DECREMENTER 0x900
#define VEC_PERFMON 0xF00
#define VEC_INDICATOR 0x1500

#define MSR_POW 0x40000
#define MSR_EE 0x8000
#define MSR_ME 0x1000
#define MSR_RI 0x2
#define MSR_RUN (MSR_ME | MSR_RI) /* kernel, interrupts off */

/* The frame of an exception (struct trap_frame). */
#define TRAP_SCRATCH 8
#define TRAP_R0 12
#define TRAP_R3 16 /* r3..r12 */
#define TRAP_LR 56
#define TRAP_CTR 60
#define TRAP_CR 64
#define TRAP_XER 68
#define TRAP_SRR0 72
#define TRAP_SRR1 76
#define TRAP_SIZE 80

/* The frame of swtch. */
#define SWTCH_CR 8
#define SWTCH_R14 12 /* r14..r31 */
#define SWTCH_SIZE 96

/* struct thread */
#define THREAD_SP 0
#define THREAD_PC 4

#ifdef __ASSEMBLER__
/* clang-format off */
/* Registers from..to of a frame at r1: r0, or some of r3 to r12. */
    .macro  frame_move op, from, to
    .set    n, \from
    .rept   \to - \from + 1
    \op    n, TRAP_R3 + 4 * (n - 3)(%r1)
    .set    n, n + 1
    .endr
    .endm

/* Everything that C may change, but r3, which the vector has saved. */
    .macro  frame_save
    stw     %r0, TRAP_R0(%r1)
    frame_move stw, 4, 12
    mflr    %r5
    mfctr   %r6
    mfcr    %r7
    mfxer   %r8
    mfsrr0  %r9
    mfsrr1  %r10
    stw     %r5, TRAP_LR(%r1)
    stw     %r6, TRAP_CTR(%r1)
    stw     %r7, TRAP_CR(%r1)
    stw     %r8, TRAP_XER(%r1)
    stw     %r9, TRAP_SRR0(%r1)
    stw     %r10, TRAP_SRR1(%r1)
    .endm

/* All of it but the general registers; changes r0 and r5 to r10. */
    .macro  frame_restore
    /* An interrupted lwarx must not pair with a later stwcx. */
    li      %r0, TRAP_SCRATCH
    stwcx.  %r0, %r1, %r0
    lwz     %r5, TRAP_LR(%r1)
    lwz     %r6, TRAP_CTR(%r1)
    lwz     %r7, TRAP_CR(%r1)
    lwz     %r8, TRAP_XER(%r1)
    lwz     %r9, TRAP_SRR0(%r1)
    lwz     %r10, TRAP_SRR1(%r1)
    mtlr    %r5
    mtctr   %r6
    mtcrf   0xFF, %r7
    mtxer   %r8
    mtsrr0  %r9
    mtsrr1  %r10
    .endm

    .macro  frame_restore_general
    lwz     %r0, TRAP_R0(%r1)
    frame_move lwz, 3, 12
    .endm
/* clang-format on */
#endif

#endif
