/* nothing: whatever happens, 0. */
#include "tests/pmu/count.h"

        counting nothing, 0
        prepare
        count
        .rept 40
        nop
        .endr
        done
