/* dispatch_2: six pairs of a load and an addition; each next load finds the
 * path to its unit taken. The mtspr that stops joins the sixth: 5.
 */
#include "tests/pmu/count.h"

        counting dispatch_2, 6 - 1
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 6
        lwz 5, 0(6)
        addi 7, 0, 1
        .endr
        done
