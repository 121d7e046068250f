/* icbi_completed: 10 icbi; other cache operations are not meant. */
#include "tests/pmu/count.h"

        counting icbi_completed, 10
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 10
        icbi 0, 6
        .endr
        dcbst 0, 6
        dcbf 0, 6
        done
