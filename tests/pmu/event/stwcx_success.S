/* stwcx_success: 10 pairs succeed; 5 stwcx. without a reservation do not. */
#include "tests/pmu/count.h"

        counting stwcx_success, 10
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 10
        lwarx 5, 0, 6
        stwcx. 5, 0, 6
        .endr
        .rept 5
        stwcx. 5, 0, 6
        .endr
        done
