/* br_mispredict: five loops of ten rounds, closed by a branch whose CTR is
 * still being counted down when the next round dispatches, so that it goes
 * where its history says: right but for the last round of each loop. The
 * history starts strongly taken from the first pass: 5.
 */
#include "tests/pmu/count.h"

        counting br_mispredict, 5
        prepare
        count
        .rept 5
        li 3, 10
        mtctr 3
1:      bdnz 1b
        .endr
        done
