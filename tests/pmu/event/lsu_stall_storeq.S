/* lsu_stall_storeq: seven stores, the first to a line that is not cached. The
 * sync ends at a cycle F on a bus edge. Store k dispatches at F + k and
 * begins at F + k + 1. The first completes at F + 4, asks for its line at
 * F + 5, gets the bus at F + 6 and the data 24 later, at F + 30. Until then
 * it and five others fill the queue, and the seventh, ready at F + 8, waits:
 * 22.
 */
#include "tests/pmu/count.h"

        counting lsu_stall_storeq, 22
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        addi 7, 6, 64
        prepare
        stw 5, 0(7)
        dcbf 0, 6
        sync
        count
        sync
        stw 5, 0(6)
        .rept 6
        stw 5, 0(7)
        .endr
        done
