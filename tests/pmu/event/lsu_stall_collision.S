/* lsu_stall_collision: five times a store and a load of the same word; the
 * isync keeps them apart. The store dispatches at D, completes at D + 3 and
 * writes at D + 4. The load dispatches at D + 1, could read the cache at
 * D + 3, and does at D + 5: 2 each. (mcrf fills up the fetch group.)
 */
#include "tests/pmu/count.h"

        counting lsu_stall_collision, 5 * 2
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        stw 5, 0(6)
        sync
        count
        .rept 5
        stw 5, 0(6)
        lwz 7, 0(6)
        isync
        mcrf 3, 3
        .endr
        isync
        done
