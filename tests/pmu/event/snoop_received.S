/* snoop_received: while this processor waits, the other one loads 10 lines
 * that no cache has: 10.
 */
#include "tests/pmu/count.h"

        counting snoop_received, 10
        two
        release
        prepare
        until -100
        count
        until 300
        done_two
        partner_does lwz, 10
