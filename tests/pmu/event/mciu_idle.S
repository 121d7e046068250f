/* mciu_idle: the mtspr that starts begins at T and keeps the unit busy for a
 * cycle. Five multiplications, two passes each, begin at T + 3, T + 5 ..
 * T + 11, the last finished at T + 13: 10 cycles. With two places in the station the fifth
 * dispatches at T + 7, when the third begins; with it the first of 100
 * dependent additions, which begins at T + 8; the last completes at T + 108
 * and counting stops at T + 109: 109 - 10 - 1.
 * The row is elapsed cycles less mciu_busy.
 */
#include "tests/pmu/count.h"

        counting mciu_idle, 109 - 10 - 1
        lis 7, 3
        prepare
        count
        .rept 5
        mullw 6, 7, 7
        .endr
        .rept 100
        addi 5, 5, 1
        .endr
        done
