/* vectors.S - every exception pushes a frame on the running thread's stack
 * and calls trap(vector, frame). The frame has a back chain and a place for
 * trap's LR like any other, so a stack can be walked across it.
 * Saved are the registers that C may destroy; C keeps the others.
 */
#include "guest/kernel/asm.h"

    .section .vectors, "ax"
    .globl  vectors
    .type   vectors, @function
vectors:
    .set    vector, 0x100
    .rept   0x15
    .org    vector
    stwu    %r1, -TRAP_SIZE(%r1)
    stw     %r3, TRAP_R3(%r1)
    li      %r3, vector
    b       trap_entry
    .set    vector, vector + 0x100
    .endr
    .size   vectors, . - vectors
    .globl  vectors_end
vectors_end:

    .text
    .globl  trap_entry
    .type   trap_entry, @function
trap_entry:
    stw     %r0, TRAP_R0(%r1)
    stw     %r4, TRAP_R3+4(%r1)
    stw     %r5, TRAP_R3+8(%r1)
    stw     %r6, TRAP_R3+12(%r1)
    stw     %r7, TRAP_R3+16(%r1)
    stw     %r8, TRAP_R3+20(%r1)
    stw     %r9, TRAP_R3+24(%r1)
    stw     %r10, TRAP_R3+28(%r1)
    stw     %r11, TRAP_R3+32(%r1)
    stw     %r12, TRAP_R3+36(%r1)
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
    mr      %r4, %r1
    bl      trap
    .size   trap_entry, . - trap_entry
    .globl  trap_return
    .type   trap_return, @function
trap_return:                    /* interrupts are off */
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
    lwz     %r0, TRAP_R0(%r1)
    lwz     %r3, TRAP_R3(%r1)
    lwz     %r4, TRAP_R3+4(%r1)
    lwz     %r5, TRAP_R3+8(%r1)
    lwz     %r6, TRAP_R3+12(%r1)
    lwz     %r7, TRAP_R3+16(%r1)
    lwz     %r8, TRAP_R3+20(%r1)
    lwz     %r9, TRAP_R3+24(%r1)
    lwz     %r10, TRAP_R3+28(%r1)
    lwz     %r11, TRAP_R3+32(%r1)
    lwz     %r12, TRAP_R3+36(%r1)
    addi    %r1, %r1, TRAP_SIZE
    rfi
    .size   trap_return, . - trap_return
    .globl  trap_end
trap_end:
