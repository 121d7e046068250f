/* start.S - the first instruction of every CPU.
 * In: r3 = CPU number, real mode, interrupts off. Gives the CPU a stack whose
 * chain ends here, and goes to C: CPU 0 boots, the others join.
 */
#include "guest/kernel/asm.h"

    .text
    .globl  _start
    .type   _start, @function
_start:
    lis     %r4, boot_stacks@ha
    addi    %r4, %r4, boot_stacks@l
    addi    %r5, %r3, 1
    mulli   %r5, %r5, STACK_SIZE
    add     %r1, %r4, %r5
    addi    %r1, %r1, -16
    li      %r0, 0
    stw     %r0, 0(%r1)         /* the back chain ends */
    stw     %r0, 4(%r1)
    mtlr    %r0
    li      %r2, 0
    lis     %r4, MSR_RUN@h
    ori     %r4, %r4, MSR_RUN@l
    mtmsr   %r4
    isync
    cmpwi   %r3, 0
    bne     1f
    bl      main
1:  bl      main_secondary
2:  b       2b
    .size   _start, . - _start

    .bss
    .balign 16
    .globl  boot_stacks
boot_stacks:
    .space  STACK_SIZE * MAX_CPUS
