/* dispatch_1: seven loads, one a cycle; the mtspr that stops joins the last:
 * 6.
 */
#include "tests/pmu/count.h"

        counting dispatch_1, 7 - 1
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 7
        lwz 5, 0(6)
        .endr
        done
