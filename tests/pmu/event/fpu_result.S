/* fpu_result: 10 additions, 5 moves: 15. Loads get theirs elsewhere. */
#include "tests/pmu/count.h"

        counting fpu_result, 10 + 5
        mfmsr 3
        ori 3, 3, 0x2000
        mtmsr 3
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        lfd 1, 0(6)
        fmr 2, 1
        fmr 3, 1
        fmr 4, 1
        prepare
        count
        .rept 5
        fadd 5, 1, 2
        fmr 6, 1
        fadd 7, 2, 3
        lfd 8, 8(6)
        .endr
        done
