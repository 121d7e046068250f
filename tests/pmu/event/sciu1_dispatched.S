/* sciu1_dispatched: 20 independent additions dispatch in pairs, the first
 * of each to simple integer unit 0, the second to unit 1: 10.
 */
#include "tests/pmu/count.h"

        counting sciu1_dispatched, 10
        prepare
        count
        .rept 10
        addi 5, 0, 1
        addi 6, 0, 1
        .endr
        done
