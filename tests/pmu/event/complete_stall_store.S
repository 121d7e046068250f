/* complete_stall_store: five times a multiplication that waits for the one
 * before and a store that its product indexes. Product k is there at cycle P,
 * when the multiplication completes and the store begins; the store is
 * finished at P + 2, so that completion waits for it through P + 1: 5.
 */
#include "tests/pmu/count.h"

        counting complete_stall_store, 5
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        li 5, 0
        stw 5, 0(6)
        count
        .rept 5
        mullw 5, 5, 5
        stwx 5, 6, 5
        .endr
        done
