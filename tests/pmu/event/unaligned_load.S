/* unaligned_load: of 12 loads 7 cross a double word: 5 words at offset 6, 2
 * halfwords at offset 7.
 */
#include "tests/pmu/count.h"

        counting unaligned_load, 5 + 2
        lis 6, buffer@ha
        addi 6, 6, buffer@l
        prepare
        count
        .rept 5
        lwz 5, 6(6)
        lwz 5, 2(6)
        .endr
        lhz 5, 7(6)
        lhz 5, 15(6)
        done
