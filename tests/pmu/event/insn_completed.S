/* insn_completed: 40 no-operations, and the mtspr that starts: 41. */
#include "tests/pmu/count.h"

        counting insn_completed, 40 + 1
        prepare
        count
        .rept 40
        nop
        .endr
        done
