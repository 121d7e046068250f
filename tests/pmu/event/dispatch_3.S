/* dispatch_3: five groups of a load and two additions; each next load finds
 * the path to its unit taken. The mtspr that stops joins the fifth: 4.
 */
#include "tests/pmu/count.h"

        counting dispatch_3, 5 - 1
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 4
        lwz 5, 0(6)
        addi 7, 0, 1
        addi 8, 0, 1
        .endr
        lwz 5, 0(6)
        cmpwi 7, 1
        cmpwi 8, 1
        done
