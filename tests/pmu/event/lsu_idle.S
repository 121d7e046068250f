/* lsu_idle: with the mtspr that starts beginning at T, ten loads that hit
 * begin at T + 3 to T + 12 and keep the unit busy until T + 14: 11 cycles.
 * The first of 100 dependent additions dispatches with the last load at
 * T + 11, begins at T + 12; the last completes at T + 112 and counting stops
 * at T + 113: 113 - 11.
 * The row is elapsed cycles less lsu_busy.
 */
#include "tests/pmu/count.h"

        counting lsu_idle, 113 - 11
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 10
        lwz 7, 0(6)
        .endr
        .rept 100
        addi 5, 5, 1
        .endr
        done
