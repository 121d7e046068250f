/* icache_miss: the counted pass runs ten lines of code that the first pass
 * did not: 10 misses. Everything else is in the cache by then.
 */
#include "tests/pmu/count.h"

        counting icache_miss, 10
        lis 3, cold@ha
        addi 3, 3, cold@l
        prepare
        mtctr 3
        addi 3, 3, 10 * 32
        count
        bctrl
        done

        .macro ten_lines
        .rept 10 * 8 - 1
        nop
        .endr
        blr
        .endm
        .balign 32
cold:   ten_lines
        ten_lines
