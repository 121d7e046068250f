/* tb_transition: RTCSELECT 1 picks time-base bit 55, which rises every 512
 * ticks, at 256 + 512 k. Counting begins between tick 5120 (pass one) or
 * 10240 (pass two) and the next 100 ticks, and ends as far behind a tick that
 * is 5 x 512 later: 5 rises.
 */
#include "tests/pmu/count.h"

        counting tb_transition, 5, 1 << 23
        li 3, 5120
        prepare
        mr 18, 3
        bl wait
        addi 18, 3, 5 * 512
        addi 3, 3, 5120
        count
        bl wait
        done

wait:   mftb 19
        cmpw 19, 18
        blt wait
        blr
