/* mciu_dispatched: 5 multiplications, 2 divisions, 3 mfspr, and the mtspr
 * that stops: 11.
 */
#include "tests/pmu/count.h"

        counting mciu_dispatched, 5 + 2 + 3 + 1
        li 7, 3
        prepare
        count
        .rept 5
        mullw 5, 7, 7
        addi 6, 6, 1
        .endr
        divw 5, 7, 7
        divw 5, 7, 7
        .rept 3
        mfsprg 5, 0
        .endr
        done
