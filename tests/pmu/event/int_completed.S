/* int_completed: 10 additions, 3 multiplications, 2 divisions, 4 compares:
 * 19. Loads, stores, branches and moves to special registers are not meant.
 */
#include "tests/pmu/count.h"

        counting int_completed, 10 + 3 + 2 + 4
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        li 7, 3
        prepare
        count
        .rept 10
        addi 5, 5, 1
        .endr
        lwz 8, 0(6)
        mulli 9, 7, 100
        mullw 9, 7, 7
        mulhw 9, 7, 7
        stw 9, 4(6)
        divw 9, 7, 7
        divwu 9, 7, 7
        mtctr 7
        .rept 4
        cmpw 7, 9
        .endr
        b 1f
1:
        done
