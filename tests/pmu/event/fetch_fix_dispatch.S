/* fetch_fix_dispatch: a function is called from ten places. Its return is
 * fetched where the return before it went, which is always wrong; at dispatch
 * LR is known: 10.
 */
#include "tests/pmu/count.h"

        counting fetch_fix_dispatch, 10
        prepare
        count
        .rept 10
        bl function
        .endr
        done

        .balign 32
function:
        .rept 4
        nop
        .endr
        blr
