/* dcache_miss: 6 loads, 4 stores, each to a line that is in no cache: 10. A
 * second visit of each line hits.
 */
#include "tests/pmu/count.h"

        counting dcache_miss, 6 + 4
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
        .rept 6
        lwz 5, offset(6)
        lwz 5, offset + 12(6)
        .set offset, offset + 32
        .endr
        .rept 4
        stw 5, offset(6)
        stw 5, offset + 12(6)
        .set offset, offset + 32
        .endr
        sync
        done
