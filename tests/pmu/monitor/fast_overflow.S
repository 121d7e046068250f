/* The overflow of overflow.S without a pipeline, one cycle an instruction.
 * The mtspr that starts acts at T and completes at T + 1; number n of the
 * additions behind it completes at T + 1 + n. The 50th completion is number
 * 49, at T + 50: SIA; DISCOUNT stops PMC2, cycles, at 50 and PMC1 at its
 * overflow. Number 50 begins at T + 50, not later, and still runs; the
 * interrupt is taken before number 51. Then the same by cycles: 60 of them
 * end with number 59.
 */
#include "tests/pmu/monitor/frame.h"

#define RUN DISCOUNT | PMC1INT | PMC1SELECT(COMPLETED) | PMC2SELECT(CYCLES)

        start
        set MMCR0, DIS
        set_msr EE
        li 20, 0
        set PMC1, NEGATIVE - 50
        set PMC2, 0
        constant 3, ENINT | RUN
here:   mtspr MMCR0, 3
        .rept 100
        li 7, 0
        .endr
        check 20, 1, 1
        check 21, here + 4 * 51, 2
        check 22, here + 4 * 49, 3
        check 23, NEGATIVE, 4
        check 24, 50, 5

        set MMCR0, DIS
        set PMC1, 0
        set PMC2, NEGATIVE - 60
        constant 3, ENINT | DISCOUNT | PMC2INT | PMC1SELECT(COMPLETED) | PMC2SELECT(CYCLES)
there:  mtspr MMCR0, 3
        .rept 100
        li 7, 0
        .endr
        check 20, 2, 6
        check 21, there + 4 * 61, 7
        check 22, there + 4 * 59, 8
        check 23, 60, 9
        finish

        .section .v0F00, "ax"
        addi 20, 20, 1
        mfsrr0 21
        mfspr 22, SIA
        mfspr 23, PMC1
        mfspr 24, PMC2
        rfi
