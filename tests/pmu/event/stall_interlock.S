/* stall_interlock: five times mtctr and a branch that counts CTR down; the
 * isync keeps them apart. mtctr dispatches at D, begins at D + 1 and is
 * finished at D + 3; the branch could have dispatched at D: 3 each.
 */
#include "tests/pmu/count.h"

        counting stall_interlock, 5 * 3
        li 7, 4
        prepare
        count
        .rept 5
        mtctr 7
        bdnz 1f
1:      isync
        mcrf 3, 3
        .endr
        isync
        done
