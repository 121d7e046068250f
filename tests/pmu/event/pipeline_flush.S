/* pipeline_flush: 10 isync, 3 moves to XER: 13. A sync flushes nothing. */
#include "tests/pmu/count.h"

        counting pipeline_flush, 10 + 3
        li 5, 0
        prepare
        count
        .rept 10
        isync
        .endr
        .rept 3
        mtxer 5
        .endr
        sync
        done
