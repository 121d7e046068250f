/* sync_completed: 10 sync. */
#include "tests/pmu/count.h"

        counting sync_completed, 10
        prepare
        count
        .rept 10
        sync
        .endr
        isync
        eieio
        done
