/* load_queued: 10 loads, one of them lwarx: 10. */
#include "tests/pmu/count.h"

        counting load_queued, 10
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 9
        lwz 5, 0(6)
        .endr
        lwarx 5, 0, 6
        stw 5, 8(6)
        done
