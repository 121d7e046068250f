/* load_completed: 10 loads; and one each of dcbst, icbi, sync, eieio, tlbie,
 * dcbt, which count too: 16. Stores are not meant.
 */
#include "tests/pmu/count.h"

        counting load_completed, 10 + 6
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 5
        lwz 5, 0(6)
        stw 5, 4(6)
        lbz 7, 9(6)
        .endr
        dcbst 0, 6
        icbi 0, 6
        sync
        eieio
        tlbie 6
        dcbt 0, 6
        done
