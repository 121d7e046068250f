/* PMCTRIGGER: PMC2 to PMC4 wait until PMC1, completions, goes negative with
 * the 50th, at T + 28 as overflow.S derives. Of the 200 `li` numbers
 * 199 and 200 dispatch at T + 101, with the mtspr that stops beside them, and
 * complete at T + 103; the mtspr acts at T + 104: 76 cycles from T + 29 on.
 * Numbers 55 to 200 dispatch in them, and the mtspr: 147.
 */
#include "tests/pmu/monitor/frame.h"

        start
        set MMCR0, DIS
        set MMCR1, PMC3SELECT(DISPATCHED)
        constant 6, DIS | PMC1SELECT(COMPLETED) | PMC2SELECT(CYCLES)
        twice
        set PMC1, NEGATIVE - 50
        set PMC2, 0
        set PMC3, 0
        line_begins_behind 1
        mtspr MMCR0, 29
        .rept 200
        li 7, 0
        .endr
        mtspr MMCR0, 6
        again TRIGGER | PMC1SELECT(COMPLETED) | PMC2SELECT(CYCLES)
        mfspr 7, PMC2
        mfspr 8, PMC3
        check 7, 76, 1
        check 8, 147, 2
        finish
