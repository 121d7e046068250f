/* start.S - a program on the bare board: floating point on, main, exit; and
 * an exception that nobody expected powers off with 0xE0 plus the number of
 * its vector (0x300 is 3). setjmp and longjmp live here too.
 */
#include "include/board.h"

        .section .vectors, "ax"
        .macro  unexpected number
        .org    \number * 0x100
        lis     3, BOARD_POWER@h
        ori     3, 3, BOARD_POWER@l
        li      4, 0xE0 + \number
        stw     4, 0(3)
        b       .
        .endm
        unexpected 0x1
        unexpected 0x2
        unexpected 0x3
        unexpected 0x4
        unexpected 0x5
        unexpected 0x6
        unexpected 0x7
        unexpected 0x8
        unexpected 0x9
        unexpected 0xC
        unexpected 0xD
        unexpected 0xF

        .text
        .globl  _start
_start:
        mfmsr   3
        ori     3, 3, 0x3000 /* FP, ME */
        mtmsr   3
        isync
        li      3, 0 /* no arguments */
        li      4, 0
        bl      main
        bl      exit

        .globl  setjmp, _setjmp, longjmp
setjmp:
_setjmp:
        mflr    4
        mfcr    5
        stw     1, 0(3)
        stw     4, 4(3)
        stw     5, 8(3)
        stmw    13, 12(3)
        .set    n, 14
        .rept   18
        stfd    n, 88 + (n - 14) * 8(3)
        .set    n, n + 1
        .endr
        li      3, 0
        blr
longjmp:
        lwz     1, 0(3)
        lwz     0, 4(3)
        lwz     5, 8(3)
        mtlr    0
        mtcrf   255, 5
        lmw     13, 12(3)
        .set    n, 14
        .rept   18
        lfd     n, 88 + (n - 14) * 8(3)
        .set    n, n + 1
        .endr
        mr.     3, 4
        bnelr
        li      3, 1
        blr
        .section .note.GNU-stack, "", @progbits
