/* complete_stall: three divisions, 20 cycles each, a new one every 19. With
 * the mtspr that starts beginning at T, the first dispatches at T + 2 and
 * works from T + 3 to T + 22, completing at T + 23: 20 cycles of waiting. The
 * next two complete at T + 42 and T + 61: 18 more each, their own completion
 * and the one before left out. And one cycle for the mtspr that starts: 57.
 */
#include "tests/pmu/count.h"

        counting complete_stall, 20 + 18 + 18 + 1
        li 7, 3
        prepare
        count
        .rept 3
        divw 5, 7, 7
        .endr
        done
