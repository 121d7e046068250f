/* store_hit_shared: both processors have loaded 10 lines; this one stores to
 * them, twice each: the first kills the other copy, the second finds the line
 * modified. 5 lines that only this one has are not meant: 10.
 */
#include "tests/pmu/count.h"

        counting store_hit_shared, 10
        two
        release
        prepare
        until 300
        lines lwz, 0, 15
        sync
        count
        lines stw, 0, 15
        lines stw, 0, 15
        sync
        done_two
        partner_does lwz, 10
