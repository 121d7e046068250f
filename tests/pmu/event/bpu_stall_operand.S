/* bpu_stall_operand: five times a multiplication, a compare of its product
 * and a branch on that, never taken; the isync keeps them apart. All three
 * dispatch at D; the product is there at D + 3, the condition at D + 4, and
 * the branch could have begun at D + 1: 3 each. The isync itself needs no
 * operand.
 */
#include "tests/pmu/count.h"

        counting bpu_stall_operand, 5 * 3
        li 7, 4
        prepare
        count
        .rept 5
        mullw 5, 7, 7
        cmpw 5, 7
        beq 1f
        isync
        .endr
1:
        done
