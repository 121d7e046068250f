/* lsu_stall_operand: five times a multiplication and a load that needs its
 * product; the isync keeps them apart. Both dispatch at D; the product is
 * there at D + 3, the load could have begun at D + 1: 2 each.
 */
#include "tests/pmu/count.h"

        counting lsu_stall_operand, 5 * 2
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        li 7, 4
        prepare
        count
        .rept 5
        mullw 5, 7, 7
        lwzx 8, 6, 5
        isync
        mcrf 3, 3
        .endr
        isync
        done
