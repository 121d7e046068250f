/* btac_hit: ten branches that the first pass has taught the branch target
 * cache: 10. The isync has them fetched while counting.
 */
#include "tests/pmu/count.h"

        counting btac_hit, 10
        prepare
        count
        isync
        .rept 10
        b 1f
        nop
1:
        .endr
        done
