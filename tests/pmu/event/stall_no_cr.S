/* stall_no_cr: with the mtspr that starts beginning at T, a division
 * dispatches at T + 2 and completes at T + 23. Behind it 8 compares, two a
 * cycle, hold the 8 rename buffers; the first of them completes with the
 * division. At T + 5, behind the seventh and eighth, the ninth finds neither a
 * buffer nor a unit and is said to wait for the first, until T + 24: 19.
 */
#include "tests/pmu/count.h"

        counting stall_no_cr, 19
        li 7, 3
        prepare
        count
        divw 5, 7, 7
        .rept 9
        cmpwi 7, 3
        .endr
        done
