/* sciu1_idle: with the mtspr that starts beginning at T, 20 additions
 * dispatch in pairs at T + 2 to T + 11: each unit works ten cycles. The first
 * of five dependent multiplications dispatches at T + 11, begins at T + 12;
 * two cycles each, the last is finished at T + 22 and counting stops at
 * T + 23: 23 - 10.
 * The row is elapsed cycles less sciu1_busy.
 */
#include "tests/pmu/count.h"

        counting sciu1_idle, 23 - 10
        prepare
        count
        .rept 10
        addi 5, 0, 1
        addi 6, 0, 1
        .endr
        .rept 5
        mullw 7, 7, 7
        .endr
        done
