/* frame.h - the frame of a test of the performance monitor as a whole
 * (assembly only; the script links the code at 0x10000 and each section
 * .vXXXX at its vector).
 *
 *     start
 *     ... with `check register, value, code` on the way
 *     finish
 *
 * It returns 0, or the code of the first check that failed, with what was
 * found in r4 and what was expected in r5.
 */
#define MMCR0 952
#define PMC1 953
#define PMC2 954
#define SIA 955
#define MMCR1 956
#define PMC3 957
#define PMC4 958
#define SDA 959

#define DIS 0x80000000
#define DP 0x40000000
#define DMR 0x08000000
#define ENINT 0x04000000
#define DISCOUNT 0x02000000
#define PMC1INT 0x00008000
#define PMC2INT 0x00004000
#define TRIGGER 0x00002000
#define NEGATIVE 0x80000000

#define CYCLES 1
#define COMPLETED 2
#define DISPATCHED 4
#define LOAD_THRESHOLD 23

#define PMC1SELECT(n) ((n) << 6)
#define PMC2SELECT(n) (n)
#define PMC3SELECT(n) ((n) << 27)
#define PMC4SELECT(n) ((n) << 22)

#define EE 0x8000
#define POW 0x40000
#define PR 0x4000
#define PM 0x4

.macro constant register, value
        lis \register, (\value)@h
        ori \register, \register, (\value)@l
        .endm

        .macro set spr, value
        constant 3, \value
        mtspr \spr, 3
        .endm

        .macro set_msr value
        constant 3, \value
        mtmsr 3
        .endm

        .macro check register, value, code
        constant 5, \value
        mr 4, \register
        li 3, \code
        cmpw 4, 5
        bne finish
        .endm

        .macro start
        .text
        .globl _start
_start: mflr 31
        .endm

        .macro finish
        li 3, 0
finish: mtlr 31
        blr
        .bss
        .balign 4096
buffer: .space 4096
        .text
        .endm

        /* The code from `twice` to `again` runs twice: first with r29 = DIS, so
         * that the caches know it, then with r29 = value. */
        .macro twice
        constant 29, DIS
        li 30, 2
pass:
        .endm

        .macro again value
        constant 29, \value
        addic. 30, 30, -1
        bne pass
        .endm

        /* What follows the `words` instructions begins a cache line. */
        .macro line_begins_behind words
        b 1f
        .balign 32
        .rept 8 - \words
        nop
        .endr
1:
        .endm
