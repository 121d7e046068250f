/* PMC1 counts completions and goes negative with the 50th. The mtspr that
 * starts, at cycle T, is the first of them. The `li` dispatch and
 * complete in pairs: numbers 2j - 1 and 2j dispatch at T + 1 + j and complete
 * at T + 3 + j. The 50th completion is number 49, at T + 28: the signal.
 *   - number 50 completes in that cycle too: SIA, and PMC1 one too far
 *   - DISCOUNT stops PMC2, cycles, at 28
 *   - and PMC3, dispatched, behind number 54, which dispatches at T + 28
 *   - the interrupt is taken before number 55, which would at T + 29
 */
#include "tests/pmu/monitor/frame.h"

#define RUN DISCOUNT | PMC1INT | PMC1SELECT(COMPLETED) | PMC2SELECT(CYCLES)

        start
        set MMCR0, DIS
        set MMCR1, PMC3SELECT(DISPATCHED)
        set_msr EE
        li 20, 0
        twice
        set PMC1, NEGATIVE - 50
        set PMC2, 0
        set PMC3, 0
        line_begins_behind 1
here:   mtspr MMCR0, 29
        .rept 200
        li 7, 0
        .endr
        again ENINT | RUN
        check 20, 1, 1
        check 21, here + 4 * 55, 2
        check 22, here + 4 * 50, 3
        check 23, NEGATIVE + 1, 4
        check 24, 28, 5
        check 25, 54, 6
        check 26, RUN, 7
        finish

        .section .v0F00, "ax"
        addi 20, 20, 1
        mfsrr0 21
        mfspr 22, SIA
        mfspr 23, PMC1
        mfspr 24, PMC2
        mfspr 25, PMC3
        mfspr 26, MMCR0
        rfi
