/* lsu_stall_loadq: five loads from lines that are not cached. The sync ends
 * at a cycle F on a bus edge. Load k dispatches at F + k and begins at
 * F + k + 1. The first asks at F + 3, an edge, has its data 24 later at
 * F + 27 and is finished at F + 28. It and three others fill the queue, and
 * the fifth, ready at F + 6, waits: 22.
 */
#include "tests/pmu/count.h"

        counting lsu_stall_loadq, 22
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        mr 5, 6
        .rept 5
        dcbf 0, 5
        addi 5, 5, 32
        .endr
        sync
        count
        sync
        .set offset, 0
        .rept 5
        lwz 5, offset(6)
        .set offset, offset + 32
        .endr
        done
