/* load_queue_level: ten loads that hit, two cycles each: 20. */
#include "tests/pmu/count.h"

        counting load_queue_level, 10 * 2
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 10
        lwz 5, 0(6)
        .endr
        done
