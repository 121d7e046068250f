/* fpu_idle: with the mtspr that starts beginning at T, three additions begin
 * at T + 3 to T + 5, the last finished at T + 8: 5 cycles. The first of 100
 * dependent integer additions dispatches with the third at T + 4, begins at
 * T + 5; the last completes at T + 105 and counting stops at T + 106:
 * 106 - 5.
 * The row is elapsed cycles less fpu_busy.
 */
#include "tests/pmu/count.h"

        counting fpu_idle, 106 - 5
        mfmsr 3
        ori 3, 3, 0x2000
        mtmsr 3
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        lfd 1, 0(6)
        fmr 2, 1
        prepare
        count
        .rept 3
        fadd 5, 1, 2
        .endr
        .rept 100
        addi 5, 5, 1
        .endr
        done
