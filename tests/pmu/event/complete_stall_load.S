/* complete_stall_load: ten loads, each from the address that the one before
 * brought, two cycles each. The first is the oldest for its two cycles; each
 * other one works a cycle before and a cycle after the completion of the one
 * before it: 2 + 9.
 */
#include "tests/pmu/count.h"

        counting complete_stall_load, 2 + 9
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        stw 6, 0(6)
        prepare
        count
        .rept 10
        lwz 6, 0(6)
        .endr
        done
