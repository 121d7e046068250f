/* stall_four_blocks: with the mtspr that starts beginning at T, a division
 * dispatches at T + 2 and completes at T + 23, and so does the first of the
 * four branches behind it. They dispatch at T + 2 to T + 5; the no-operation
 * behind them, in the fifth block, could at T + 6 and waits until T + 24: 18.
 */
#include "tests/pmu/count.h"

        counting stall_four_blocks, 18
        li 7, 3
        prepare
        cmpw 7, 7
        count
        divw 5, 7, 7
        .rept 4
        bne 1f
1:
        .endr
        nop
        done
