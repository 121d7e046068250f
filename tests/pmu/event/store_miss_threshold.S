/* store_miss_threshold: THRESHOLD 5, four cycles each: a store must wait more
 * than 20 cycles. A line from memory takes at least 8 bus cycles, 24: the 10
 * stores that miss count, the 10 that hit do not. The sync lets the queue
 * drain before counting ends.
 */
#include "tests/pmu/count.h"

        counting store_miss_threshold, 10, 5 << 16
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
        stw 5, offset(6)
        stw 5, offset + 4(6)
        .set offset, offset + 32
        .endr
        sync
        done
