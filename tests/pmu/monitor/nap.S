/* A nap of 100 ticks of the time base, 1200 cycles, ended by the decrementer.
 * Cycles go on, completed instructions and idle units (bpu_idle) stand still:
 * of these the counter has no more than of the time awake.
 */
#include "tests/pmu/monitor/frame.h"

#define BPU_IDLE 25

        start
        set MMCR0, DIS
        set PMC1, 0
        set PMC2, 0
        set PMC3, 0
        set MMCR1, PMC3SELECT(COMPLETED)
        constant 6, POW | EE
        li 20, 0
        li 3, 100
        mtdec 3
        set MMCR0, PMC1SELECT(BPU_IDLE) | PMC2SELECT(CYCLES)
        mtmsr 6
        isync
awake:  set MMCR0, DIS
        mfspr 7, PMC1
        mfspr 8, PMC2
        mfspr 9, PMC3
        check 20, 1, 1
        srwi 3, 8, 10
        check 3, 1, 2           /* 1024 .. 2047 cycles */
        srwi 3, 7, 8
        check 3, 0, 3           /* less than 256 awake */
        srwi 3, 9, 4
        check 3, 0, 4           /* less than 16 instructions */
        finish

        .section .v0900, "ax"
        addi 20, 20, 1
        rfi
