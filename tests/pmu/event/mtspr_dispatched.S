/* mtspr_dispatched: 4 to SPRG0, 3 to CTR, 2 to LR, and the mtspr that stops:
 * 10.
 */
#include "tests/pmu/count.h"

        counting mtspr_dispatched, 4 + 3 + 2 + 1
        prepare
        count
        .rept 4
        mtsprg 0, 5
        .endr
        .rept 3
        mtctr 5
        .endr
        .rept 2
        mtlr 5
        .endr
        done
