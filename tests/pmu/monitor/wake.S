/* A processor naps and counts snoops; its decrementer is far away. The other
 * one, 2000 ticks of the time base after power-on, loads 10 lines, its code
 * first: the fifth snoop after the nap began goes negative, and the interrupt
 * ends the nap.
 */
#include "include/board.h"
#include "tests/pmu/monitor/frame.h"

#define SNOOPS 22

        start
        set MMCR0, DIS
        lis 3, 0x7FFF
        mtdec 3
        constant 3, BOARD_RELEASE
        lis 4, other@ha
        addi 4, 4, other@l
        stw 4, 4(3)
        li 18, 1000             # it waits by now, its code in its cache
1:      mftb 19
        cmpw 19, 18
        blt 1b
        set PMC1, NEGATIVE - 5
        constant 6, POW | EE
        li 20, 0
        set MMCR0, ENINT | DISCOUNT | PMC1INT | PMC1SELECT(SNOOPS)
        mtmsr 6
        isync
        check 20, 1, 1
        check 23, NEGATIVE, 2
        mftb 3
        li 4, 2000
        subf 3, 4, 3            # ticks since the other one began
        srwi 3, 3, 5
        check 3, 0, 3           # less than 32
        finish

other:  li 18, 2000
        lis 6, buffer@ha
        addi 6, 6, buffer@l
1:      mftb 19
        cmpw 19, 18
        blt 1b
        .set offset, 0
        .rept 10
        lwz 5, offset(6)
        .set offset, offset + 32
        .endr
2:      b 2b

        .section .v0F00, "ax"
        addi 20, 20, 1
        mfspr 23, PMC1
        rfi
