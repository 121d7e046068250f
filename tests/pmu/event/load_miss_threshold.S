/* load_miss_threshold: THRESHOLD 5, four cycles each: a load must wait more
 * than 20 cycles. A line from memory takes at least 8 bus cycles, 24: the 10
 * loads that miss count, the 10 that hit do not.
 */
#include "tests/pmu/count.h"

        counting load_miss_threshold, 10, 5 << 16
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        .set offset, 0
        .rept 10
        addi 5, 6, offset
        dcbf 0, 5
        .set offset, offset + 32
        .endr
        sync
        count
        .set offset, 0
        .rept 10
        lwz 5, offset(6)
        lwz 5, offset(6)
        .set offset, offset + 32
        .endr
        done
