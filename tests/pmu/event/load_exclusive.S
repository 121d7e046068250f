/* load_exclusive: 6 loads bring lines that nobody else has: 6. The 4 lines
 * that stores bring are modified at once and not meant.
 */
#include "tests/pmu/count.h"

        counting load_exclusive, 6
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
        .set offset, offset + 32
        .endr
        .rept 4
        stw 5, offset(6)
        .set offset, offset + 32
        .endr
        sync
        done
