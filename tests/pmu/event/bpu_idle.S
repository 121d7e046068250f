/* bpu_idle: with the mtspr that starts beginning at T, ten branches, not
 * taken, dispatch at T + 2 to T + 11, each the last of its cycle, and work
 * for a cycle each. The first of 100 dependent additions dispatches at
 * T + 12, begins at T + 13; the last completes at T + 113 and counting stops
 * at T + 114: 114 - 10.
 * The row is elapsed cycles less bpu_busy.
 */
#include "tests/pmu/count.h"

        counting bpu_idle, 114 - 10
        prepare
        cmpw 7, 7
        count
        .rept 10
        bne 1f
1:
        .endr
        .rept 100
        addi 5, 5, 1
        .endr
        done
