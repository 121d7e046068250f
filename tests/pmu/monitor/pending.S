/* The same overflow as in overflow.S while MSR[EE] is 0: it stays pending and
 * is taken behind the mtmsr that sets EE; SIA still is what had completed at
 * the signal.
 */
#include "tests/pmu/monitor/frame.h"

        start
        set MMCR0, DIS
        li 20, 0
        twice
        set_msr 0
        set PMC1, NEGATIVE - 50
        constant 6, EE
        line_begins_behind 1
here:   mtspr MMCR0, 29
        .rept 200
        li 7, 0
        .endr
        check 20, 0, 1
        mtmsr 6
after:  nop
        again ENINT | PMC1INT | PMC1SELECT(COMPLETED)
        check 20, 1, 2
        check 21, after, 3
        check 22, here + 4 * 50, 4
        finish

        .section .v0F00, "ax"
        addi 20, 20, 1
        mfsrr0 21
        mfspr 22, SIA
        rfi
