/* load_lat_threshold: THRESHOLD 4, four cycles each: a load must wait more
 * than 16 cycles. A line that another cache has modified takes at least 6 bus
 * cycles, 18. This processor loads 10 of the other one's, twice each, and 5
 * from memory, which are not meant: 10.
 */
#include "tests/pmu/count.h"

        counting load_lat_threshold, 10, 4 << 16
        two
        release
        prepare
        until 300
        count
        lines lwz, 0, 10
        lines lwz, 0, 10
        lines lwz, 10, 5
        done_two
        partner_does stw, 10
