/* branch_completed: 10 unconditional, 5 not taken, a loop of 7: 22. */
#include "tests/pmu/count.h"

        counting branch_completed, 10 + 5 + 7
        li 3, 7
        prepare
        cmpw 3, 3
        count
        .rept 10
        b 1f
1:
        .endr
        .rept 5
        bne 1f
1:
        .endr
        mtctr 3
1:      bdnz 1b
        done
