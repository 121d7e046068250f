/* vdso.S - the page that the kernel lends every program (VDSO): where signal
 * handlers return to (signal.c). As Linux's it is a shared object, without symbols,
 * that describes the frames of handlers in the DWARF format, by which a C library
 * unwinds the stack through them: pthread_cancel, exceptions, backtraces.
 */
#include "guest/process/user.h"

    .set    base, VDSO

    .section .vdso, "a"
vdso:
    .byte   0x7F, 'E', 'L', 'F', 1, 2, 1
    .org    vdso + 16
    .short  3, 20                       /* a shared object, PowerPC */
    .long   1, 0, headers - vdso, 0, 0
    .short  52, 32, 3, 0, 0, 0
headers:
    .long   1, 0, base, base, vdso_end - vdso, vdso_end - vdso, 5, 4
    .long   2, dynamic - vdso, base + (dynamic - vdso), 0, 56, 56, 4, 4
    .long   0x6474E550, index - vdso, base + (index - vdso), 0, 28, 28, 4, 4
dynamic: /* hash, strings, symbols, the sizes of these, the name, the end */
    .long   4, base + (hash - vdso), 5, base + (strings - vdso)
    .long   6, base + (symbols - vdso), 10, hash - strings, 11, 16, 14, 1, 0, 0
symbols:
    .space  16
strings:
    .asciz  "", "linux-vdso32.so.1"
    .balign 4
hash:
    .long   1, 1, 0, 0

/* An unwinder may look at the instruction before. */
    .org    vdso + VDSO_FULL - 4
full:
    nop
    li      %r0, 172                    /* rt_sigreturn */
    sc
    .org    vdso + VDSO_PLAIN - 4
plain:
    nop
    li      %r0, 119                    /* sigreturn */
    sc

index: /* relative addresses: of the frames; of both pieces of code in order */
    .byte   1, 0x1B, 3, 0x3B
    .long   common - ., 2
    .long   full - index, full_frame - index, plain - index, plain_frame - index

/* Where a register is, or with `more` what is there: the word at r1 + \regs leads
 * to all registers, of which this one is \at bytes behind the first. */
    .macro  place regs, at, more:vararg
    .uleb128 2f - 1f
1:  .byte   0x71                        /* r1 and a number */
    .sleb128 \regs
    .byte   6, 0x23                     /* what is there, and a number */
    .uleb128 \at
    .byte   \more
2:
    .endm
    .macro  saved register, regs, at
    .byte   0x10, \register
    place   \regs, \at
    .endm
    .macro  frame code, regs
\code\()_frame:
    .long   9f - . - 4, . - common, \code - ., 12
    .byte   0, 0x0F                     /* the caller's r1 */
    place   \regs, 4, 6
    .set    n, 0
    .rept   32
    saved   n, \regs, 4 * n
    saved   32 + n, \regs, 192 + 8 * n
    .set    n, n + 1
    .endr
    saved   67, \regs, 4 * 32           /* where it was interrupted */
    saved   65, \regs, 4 * 36           /* LR */
    saved   70, \regs, 4 * 38           /* CR */
    .balign 4
9:
    .endm
common: /* "S": frames of signals */
    .long   9f - . - 4, 0
    .byte   1, 'z', 'R', 'S', 0, 4, 0x7C, 67, 1, 0x1B
    .balign 4
9:  frame   full, 256
    frame   plain, 92
    .long   0
vdso_end:
    .org    vdso + 4096
