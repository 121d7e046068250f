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
    frame_save
    mr      %r4, %r1
    bl      trap
    .size   trap_entry, . - trap_entry
    .globl  trap_return
    .type   trap_return, @function
trap_return:                    /* interrupts are off */
    frame_restore
    frame_restore_general
    addi    %r1, %r1, TRAP_SIZE
    rfi
    .size   trap_return, . - trap_return
    .globl  trap_end
trap_end:
