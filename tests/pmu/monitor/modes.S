/* Only the user's instructions count (DP), then only those of a marked
 * process (DMR): rfi enters, 30 no-operations run, sc leaves. The rfi acts a
 * cycle before it completes, the sc a cycle after: 30 + 2. What the
 * supervisor, unmarked, does in between counts nothing.
 */
#include "tests/pmu/monitor/frame.h"

        start
        set MMCR0, DIS
        set PMC1, 0
        set MMCR0, DP | PMC1SELECT(COMPLETED)
        constant 6, PR
        bl enter
        mfspr 7, PMC1
        check 7, 30 + 2, 1
        bl enter
        mfspr 7, PMC1
        check 7, 2 * (30 + 2), 2

        set PMC1, 0
        set MMCR0, DMR | PMC1SELECT(COMPLETED)
        constant 6, PM
        bl enter
        mfspr 7, PMC1
        check 7, 30 + 2, 3
        finish

enter:  mtsrr1 6
        lis 3, program@ha
        addi 3, 3, program@l
        mtsrr0 3
        rfi
program:
        .rept 30
        nop
        .endr
        sc

        .section .v0C00, "ax"
        li 3, 0
        mtmsr 3
        blr
