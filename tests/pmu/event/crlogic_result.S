/* crlogic_result: 10 CR instructions and 2 mcrf: 12. */
#include "tests/pmu/count.h"

        counting crlogic_result, 10 + 2
        prepare
        count
        .rept 5
        crand 0, 1, 2
        addi 5, 5, 1
        crxor 8, 8, 8
        .endr
        mcrf 1, 0
        mcrf 2, 0
        done
