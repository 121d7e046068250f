/* mfspr_dispatched: 4 from SPRG0, 3 from the time base, 2 from LR: 9. The one
 * that reads the counter waits for the mtspr that stops.
 */
#include "tests/pmu/count.h"

        counting mfspr_dispatched, 4 + 3 + 2
        prepare
        count
        .rept 4
        mfsprg 5, 0
        .endr
        .rept 3
        mftb 5
        .endr
        .rept 2
        mflr 5
        .endr
        done
