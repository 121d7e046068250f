/* bpu_result: 10 branches not taken, 5 taken: 15. CR logic goes elsewhere. */
#include "tests/pmu/count.h"

        counting bpu_result, 10 + 5
        prepare
        cmpw 3, 3
        count
        .rept 5
        bne 1f
        bne 1f
        crand 8, 8, 8
1:      b 1f
        nop
1:
        .endr
        done
