/* swtch.S - leave one thread, continue another.
 *   void swtch(struct thread *from, struct thread *to)
 * Saves what a C caller expects to survive, in a frame on from's own stack;
 * from->sp and from->pc are then all that a stack walker needs.
 */
#include "guest/kernel/asm.h"

    .text
    .globl  swtch
    .type   swtch, @function
swtch:
    stwu    %r1, -SWTCH_SIZE(%r1)
    mflr    %r0
    stw     %r0, SWTCH_SIZE+4(%r1)
    mfcr    %r5
    stw     %r5, SWTCH_CR(%r1)
    stmw    %r14, SWTCH_R14(%r1)
    lis     %r6, 1f@ha
    addi    %r6, %r6, 1f@l
    stw     %r1, THREAD_SP(%r3)
    stw     %r6, THREAD_PC(%r3)
    mr      %r2, %r4            /* r2 is `current` */
    lwz     %r1, THREAD_SP(%r4)
1:
    lmw     %r14, SWTCH_R14(%r1)
    lwz     %r5, SWTCH_CR(%r1)
    mtcrf   0xFF, %r5
    lwz     %r0, SWTCH_SIZE+4(%r1)
    mtlr    %r0
    addi    %r1, %r1, SWTCH_SIZE
    blr
    .size   swtch, . - swtch

/* Where a new thread begins: its chain of frames ends here. */
    .globl  thread_entry
    .type   thread_entry, @function
thread_entry:
    li      %r0, 0
    mtlr    %r0
    b       thread_begin
    .size   thread_entry, . - thread_entry
