/* cycles: 100 dependent additions, one a cycle, and what lies around them.
 * The mtspr that starts does so at cycle T, completes at T + 1, and nothing
 * dispatches before T + 2. The k-th addition begins at T + 2 + k and is
 * finished one later; the last completes at T + 103. The mtspr that stops
 * begins when it is the oldest, at T + 104: 104 cycles.
 */
#include "tests/pmu/count.h"

        counting cycles, 100 + 4
        prepare
        count
        .rept 100
        addi 5, 5, 1
        .endr
        done
