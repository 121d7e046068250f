/* What four counters say together. A loop of 100 rounds is closed by a branch
 * that waits for a product, and is wrong in the last one: 1 mispredict, 100
 * branches, 500 instructions completed, and the mtspr that starts. More were
 * dispatched - the wrong path, round 101, while the product was on its way;
 * the mtspr that stops is one more, as the other one completes.
 */
#include "tests/pmu/monitor/frame.h"

#define MISPREDICT 7
#define BRANCHES 8

#define RUN PMC1SELECT(MISPREDICT) | PMC2SELECT(BRANCHES)

        start
        constant 21, DIS | RUN
        mtspr MMCR0, 21
        set MMCR1, PMC3SELECT(DISPATCHED) | PMC4SELECT(COMPLETED)
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        twice
        set PMC1, 0
        set PMC2, 0
        set PMC3, 0
        set PMC4, 0
        li 7, 100
        line_begins_behind 1
        mtspr MMCR0, 29
1:      addi 7, 7, -1
        lwz 10, 6(6)
        mullw 11, 7, 7
        cmpwi 11, 0
        bne 1b
        mtspr MMCR0, 21
        again RUN
        mfspr 11, PMC1
        mfspr 12, PMC2
        mfspr 13, PMC3
        mfspr 14, PMC4
        check 11, 1, 1
        check 12, 100, 2
        check 14, 500 + 1, 3
        cmpw 14, 13
        mfcr 15
        srwi 15, 15, 31
        check 15, 1, 4
        finish
