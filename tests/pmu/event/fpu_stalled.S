/* fpu_stalled: five times two additions, the second of the first's sum; the
 * isync keeps them apart. They dispatch at D and D + 1; the sum is there at
 * D + 4, the second could have begun at D + 2: 2 each.
 */
#include "tests/pmu/count.h"

        counting fpu_stalled, 5 * 2
        mfmsr 3
        ori 3, 3, 0x2000
        mtmsr 3
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        lfd 1, 0(6)
        fmr 2, 1
        prepare
        count
        .rept 5
        fadd 5, 1, 2
        fadd 6, 5, 5
        isync
        mcrf 3, 3
        .endr
        isync
        done
