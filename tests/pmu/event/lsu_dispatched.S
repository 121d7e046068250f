/* lsu_dispatched: 10 loads, 5 stores, 1 sync: 16. */
#include "tests/pmu/count.h"

        counting lsu_dispatched, 10 + 5 + 1
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 5
        lwz 5, 0(6)
        stw 5, 8(6)
        lwz 7, 4(6)
        addi 8, 8, 1
        .endr
        sync
        done
