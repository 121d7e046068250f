/* stall_no_gpr: with the mtspr that starts beginning at T, a division
 * dispatches at T + 2, completes at T + 23 and is written then. It and 11
 * additions behind it, two a cycle, hold the 12 rename buffers; the next
 * addition could dispatch at T + 7, beside the eleventh, and waits until
 * T + 24: 17.
 */
#include "tests/pmu/count.h"

        counting stall_no_gpr, 17
        li 7, 3
        prepare
        count
        divw 5, 7, 7
        .rept 12
        addi 6, 7, 1
        .endr
        done
