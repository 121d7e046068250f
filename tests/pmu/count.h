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
#include "sim/board.h"

#define EVENT(name, kind, owner, p1, p2, p3, p4, unit, text)                   \
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

        .macro done
        mtspr MMCR0, 28
        mfspr 4, PMC
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

/* Wait until the time base, a new machine's and so below 2^31, has reached
 * `tick`. Uses r19, r18, cr7. */
        .macro until tick
        constant 18, \tick
1:      mftb 19
        cmpw 7, 19, 18
        blt 7, 1b
        .endm
