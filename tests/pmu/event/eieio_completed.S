/* eieio_completed: 10 eieio. */
#include "tests/pmu/count.h"

        counting eieio_completed, 10
        prepare
        count
        .rept 10
        eieio
        .endr
        sync
        done
