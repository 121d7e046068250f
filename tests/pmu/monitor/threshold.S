/* Loads that wait more than 5 x 4 cycles go negative with the third. SIA and
 * SDA are that very load and its address, however far the machine has got.
 */
#include "tests/pmu/monitor/frame.h"

        start
        set MMCR0, DIS
        set PMC1, NEGATIVE - 3
        set_msr EE
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        li 20, 0
        set MMCR0, ENINT | PMC1INT | 5 << 16 | PMC1SELECT(LOAD_THRESHOLD)
        lwz 7, 0(6)
        lwz 7, 4(6)
        lwz 7, 36(6)
        lwz 7, 40(6)
third:  lwz 7, 72(6)
        lwz 7, 76(6)
        lwz 7, 108(6)
        .rept 200
        nop
        .endr
        check 20, 1, 1
        check 22, third, 2
        check 23, buffer + 72, 3
        finish

        .section .v0F00, "ax"
        addi 20, 20, 1
        mfspr 22, SIA
        mfspr 23, SDA
        rfi
