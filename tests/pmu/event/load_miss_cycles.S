/* load_miss_cycles: ten loads, each from the address that the one before
 * brought, no line cached. The sync ends at a cycle F on a bus edge (the bus
 * has a third of the clock). The first load dispatches at F + 1, begins at
 * F + 2 and asks at F + 3, an edge: its data is there 8 bus cycles later, 24.
 * A load whose data is there at cycle U is finished at U + 1; the next begins
 * then, asks at U + 2, waits a cycle for the edge and 24 for the data: 25.
 */
#include "tests/pmu/count.h"

        counting load_miss_cycles, 24 + 9 * 25
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        li 3, 10
        mtctr 3
        mr 5, 6
1:      addi 4, 5, 32
        stw 4, 0(5)
        mr 5, 4
        bdnz 1b
        prepare
        mr 5, 6
        .rept 10
        dcbf 0, 5
        addi 5, 5, 32
        .endr
        mr 5, 6
        sync
        count
        sync
        .rept 10
        lwz 5, 0(5)
        .endr
        done
