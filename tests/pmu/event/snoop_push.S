/* snoop_push: while this processor waits, the other one loads 10 lines, of
 * which this one has 6: 2 as they are in memory, 4 modified, which it pushes
 * out: 4.
 */
#include "tests/pmu/count.h"

        counting snoop_push, 4
        two
        release
        prepare
        until -400
        lines lwz, 0, 2
        lines stw, 2, 4
        sync
        until -100
        count
        until 300
        done_two
        partner_does lwz, 10
