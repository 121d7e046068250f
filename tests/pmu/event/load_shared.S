/* load_shared: this processor loads 10 lines that the other one has, and 5
 * that nobody has, which become exclusive: 10.
 */
#include "tests/pmu/count.h"

        counting load_shared, 10
        two
        release
        prepare
        until 300
        count
        lines lwz, 0, 15
        done_two
        partner_does lwz, 10
