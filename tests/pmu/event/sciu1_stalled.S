/* sciu1_stalled: five times a multiplication, an addition in unit 0 and one
 * that needs the product in unit 1; the isync keeps them apart. All dispatch
 * at D; the product is there at D + 3, the second addition could have begun
 * at D + 1: 2 each.
 */
#include "tests/pmu/count.h"

        counting sciu1_stalled, 5 * 2
        li 7, 4
        prepare
        count
        .rept 5
        mullw 5, 7, 7
        addi 8, 7, 1
        addi 6, 5, 1
        isync
        .endr
        done
