/* stall_no_rob: with the mtspr that starts beginning at T, a division
 * dispatches at T + 2 and completes at T + 23. Behind it 15 simple
 * instructions, two a cycle, fill the 16 entries; the next could dispatch at
 * T + 9, beside the fifteenth, and waits until T + 24: 15.
 */
#include "tests/pmu/count.h"

        counting stall_no_rob, 15
        li 7, 3
        prepare
        count
        divw 5, 7, 7
        .rept 10
        addi 6, 7, 1
        .endr
        .rept 6
        cmpwi 7, 3
        .endr
        done
