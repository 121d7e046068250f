/* A counter goes negative and the decrementer runs out while MSR[EE] is 0.
 * When it is set both are taken, the performance monitor first.
 */
#include "tests/pmu/monitor/frame.h"

        start
        set MMCR0, DIS
        set PMC1, NEGATIVE - 50
        li 3, 5
        mtdec 3
        set MMCR0, ENINT | PMC1INT | PMC1SELECT(COMPLETED)
        .rept 400
        nop
        .endr
        mfdec 3
        srwi 3, 3, 31
        check 3, 1, 1
        li 20, 0
        set_msr EE
        nop
        check 20, 0xF9, 2
        finish

        .section .v0F00, "ax"
        rlwinm 20, 20, 4, 0, 27
        ori 20, 20, 0xF
        rfi

        .section .v0900, "ax"
        rlwinm 20, 20, 4, 0, 27
        ori 20, 20, 0x9
        rfi
