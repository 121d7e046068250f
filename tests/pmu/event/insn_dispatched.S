/* insn_dispatched: 40 no-operations, and the mtspr that stops: 41. Nothing
 * behind that mtspr dispatches before it has completed.
 */
#include "tests/pmu/count.h"

        counting insn_dispatched, 40 + 1
        prepare
        count
        .rept 40
        nop
        .endr
        done
