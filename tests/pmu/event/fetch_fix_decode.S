/* fetch_fix_decode: ten branches of which the branch target cache, flushed by
 * HID0[BTCD], knows nothing: fetch goes straight on until decode: 10. The
 * isync has them fetched while counting.
 */
#include "tests/pmu/count.h"

        counting fetch_fix_decode, 10
        prepare
        mfspr 3, HID0
        ori 3, 3, 2
        mtspr HID0, 3
        isync
        xori 3, 3, 2
        mtspr HID0, 3
        isync
        count
        isync
        .rept 10
        b 1f
        nop
1:
        .endr
        done
