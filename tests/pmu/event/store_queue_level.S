/* store_queue_level: ten stores that hit. One that begins at cycle I is
 * finished and completes at I + 2 and writes the cache at I + 3: 3 cycles
 * each. The last write falls on the cycle at which counting stops.
 */
#include "tests/pmu/count.h"

        counting store_queue_level, 10 * 3
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        stw 5, 0(6)
        sync
        count
        .rept 10
        stw 5, 0(6)
        .endr
        done
