/* snoop_hit: while this processor waits, the other one loads 10 lines, of
 * which this one has 6: 4 as they are in memory, 2 modified.
 */
#include "tests/pmu/count.h"

        counting snoop_hit, 6
        two
        release
        prepare
        until -400
        lines lwz, 0, 4
        lines stw, 4, 2
        sync
        until -100
        count
        until 300
        done_two
        partner_does lwz, 10
