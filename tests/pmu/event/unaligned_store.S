/* unaligned_store: of 12 stores 7 cross a double word. */
#include "tests/pmu/count.h"

        counting unaligned_store, 5 + 2
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 5
        stw 5, 6(6)
        stw 5, 2(6)
        .endr
        sth 5, 7(6)
        sth 5, 15(6)
        done
