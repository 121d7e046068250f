/* store_queued: 10 stores. */
#include "tests/pmu/count.h"

        counting store_queued, 10
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 10
        stw 5, 0(6)
        .endr
        lwz 5, 8(6)
        done
