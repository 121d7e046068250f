/* reserve_request: 10 lwarx. */
#include "tests/pmu/count.h"

        counting reserve_request, 10
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 10
        lwarx 5, 0, 6
        .endr
        done
