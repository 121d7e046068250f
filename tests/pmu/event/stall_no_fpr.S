/* stall_no_fpr: with the mtspr that starts beginning at T, a division
 * dispatches at T + 2 and completes at T + 23. Behind it 8 floating-point
 * additions, one a cycle from T + 2, hold the 8 rename buffers; the first of
 * them completes with the division. At T + 9, behind the eighth, the ninth finds
 * neither a buffer nor the unit and is said to wait for the first, until
 * T + 24: 15.
 */
#include "tests/pmu/count.h"

        counting stall_no_fpr, 15
        mfmsr 3
        ori 3, 3, 0x2000
        mtmsr 3
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        lfd 1, 0(6)
        fmr 2, 1
        li 7, 3
        prepare
        count
        divw 5, 7, 7
        .rept 9
        fadd 5, 1, 2
        .endr
        done
