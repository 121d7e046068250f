/* mciu_stalled: five times two multiplications, the second of the first's
 * product; the isync keeps them apart. They dispatch at D and D + 1; the
 * product is there at D + 3, the second could have begun at D + 2: 1 each.
 */
#include "tests/pmu/count.h"

        counting mciu_stalled, 5 * 1
        li 7, 4
        prepare
        count
        .rept 5
        mullw 5, 7, 7
        mullw 6, 5, 5
        isync
        mcrf 3, 3
        .endr
        isync
        done
