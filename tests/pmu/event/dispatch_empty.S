/* dispatch_empty: ten isync. One completes at C; fetch begins again at C + 1,
 * and what is fetched dispatches at C + 3, when dispatch has stood empty at
 * C + 1 and C + 2: 20.
 */
#include "tests/pmu/count.h"

        counting dispatch_empty, 10 * 2
        prepare
        count
        .rept 10
        isync
        .endr
        done
