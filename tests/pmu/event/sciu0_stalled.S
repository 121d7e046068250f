/* sciu0_stalled: five times a multiplication and an addition that needs its
 * product, in unit 0; the isync keeps them apart. Both dispatch at D; the
 * product is there at D + 3, the addition could have begun at D + 1: 2 each.
 */
#include "tests/pmu/count.h"

        counting sciu0_stalled, 5 * 2
        li 7, 4
        prepare
        count
        .rept 5
        mullw 5, 7, 7
        addi 6, 5, 1
        isync
        mcrf 3, 3
        .endr
        isync
        done
