/* lsu_result: 10 loads and 5 stores: 15. */
#include "tests/pmu/count.h"

        counting lsu_result, 10 + 5
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 5
        lwz 5, 0(6)
        stw 5, 8(6)
        lwz 7, 4(6)
        .endr
        done
