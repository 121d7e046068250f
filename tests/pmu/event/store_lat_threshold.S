/* store_lat_threshold: THRESHOLD 4, four cycles each: a store must wait more
 * than 16 cycles. A line that another cache has modified takes at least 6 bus
 * cycles, 18. This processor stores to 10 of the other one's, twice each, and
 * to 5 from memory, which are not meant: 10. The sync has them all written.
 */
#include "tests/pmu/count.h"

        counting store_lat_threshold, 10, 4 << 16
        two
        release
        prepare
        until 300
        count
        lines stw, 0, 10
        lines stw, 0, 10
        lines stw, 10, 5
        sync
        done_two
        partner_does stw, 10
