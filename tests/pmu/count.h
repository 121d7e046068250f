/* count.h - the frame of a directed event test (assembly only).
 *
 *     counting EVENT, EXPECTED [, more MMCR0 bits]
 *     ... once: what the test needs
 *     prepare
 *     ... before each pass, not counted
 *     count
 *     ... counted; r3 to r19, LR, CTR, CR are free
 *     done
 *
 * The same code runs twice: first with the counter stopped, so that caches
 * and predictors know it, then counting. Counting begins and ends with an
 * mtspr to MMCR0, which starts only when everything before it has completed:
 * the one that starts completes, and gives its result, inside (one more
 * completion, MCIU result); the one that stops dispatches inside (one more
 * dispatch, mtspr and MCIU dispatch). The counted code begins a cache line.
 * It returns 0 if the counter shows EXPECTED, else 1; r4 has the count and r5
 * what was expected.
 */
#include "include/board.h"

#define EVENT(name, kind, owner, data, p1, p2, p3, p4, unit, text)             \
    .set SEL1_##name, p1;                                                      \
    .set SEL2_##name, p2;                                                      \
    .set SEL3_##name, p3;                                                      \
    .set SEL4_##name, p4
#include "pmu/events.def"
#undef EVENT

#define MMCR0 952
#define MMCR1 956
#define HID0 1008
#define DIS 0x80000000

.macro constant register, value
        lis \register, (\value)@h
        ori \register, \register, (\value)@l
        .endm

        .macro counting event, expected, mmcr0=0
        .set MMCR0_ON, \mmcr0
        .set MMCR1_ON, 0
        .set EXPECTED, \expected
        .if SEL1_\event >= 0
        .set MMCR0_ON, MMCR0_ON | SEL1_\event << 6
        .set PMC, 953
        .elseif SEL2_\event >= 0
        .set MMCR0_ON, MMCR0_ON | SEL2_\event
        .set PMC, 954
        .elseif SEL3_\event >= 0
        .set MMCR1_ON, SEL3_\event << 27
        .set PMC, 957
        .else
        .set MMCR1_ON, SEL4_\event << 22
        .set PMC, 958
        .endif
        .text
        .globl _start
_start: mflr 25
        constant 28, MMCR0_ON | DIS
        mtspr MMCR0, 28
        constant 29, MMCR1_ON
        mtspr MMCR1, 29
        mr 29, 28
        li 30, 2
        .endm

        .macro prepare
again:
        .endm

        .macro count
        li 26, 0
        mtspr PMC, 26
        b 1f
        .balign 32
        .rept 6
        nop
        .endr
1:      nop
        mtspr MMCR0, 29
        .endm

        .macro stop_counting
        mtspr MMCR0, 28
        mfspr 4, PMC
        .endm

        .macro finish
        constant 29, MMCR0_ON
        addic. 30, 30, -1
        bne again
        constant 5, EXPECTED
        li 3, 1
        cmpw 4, 5
        bne 1f
        li 3, 0
1:      mtlr 25
        blr
        .bss
        .balign 65536
buffer: .space 65536
        .text
        .endm

        .macro done
        stop_counting
        finish
        .endm

/* ---- two processors -------------------------------------------------------
 * CPU 1 runs the code at `partner` from its release on. Both look at the time
 * base, which waits on no bus. Pass p, 1 and 2, has its own lines (r6 begins
 * 4 KB later) and its own time, tick 1000 p in r17.
 */
        .macro two
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        li 17, 1000
        .endm

        .macro release
        constant 3, BOARD_RELEASE
        lis 4, partner@ha
        addi 4, 4, partner@l
        stw 4, 4(3)
        .endm

        /* Wait until `after` ticks behind (or before) the pass's time. */
        .macro until after
        addi 18, 17, \after
1:      mftb 19
        cmpw 7, 19, 18
        blt 7, 1b
        .endm

        .macro next_pass
        addi 6, 6, 4096
        addi 17, 17, 1000
        .endm

        /* CPU 1: at the time of each pass, instruction (two operands) on
         * `lines` lines from r6 on. */
        .macro partner_does instruction, lines
partner:
        two
2:      until 0
        .set offset, 0
        .rept \lines
        \instruction 5, offset(6)
        .set offset, offset + 32
        .endr
        next_pass
        b 2b
        .endm

        /* The same on this processor. */
        .macro lines instruction, first, number
        .set offset, \first * 32
        .rept \number
        \instruction 5, offset(6)
        .set offset, offset + 32
        .endr
        .endm

        .macro done_two
        stop_counting
        next_pass
        finish
        .endm
