/* itlb_miss: five pages called twice; the TLB holds them after the first time.
 */
#include "tests/pmu/count.h"
#include "tests/pmu/paged.h"

        counting itlb_miss, 5
        page_table
        page_code
        prepare
        forget_pages
        translate IR
        count
        call_pages
        done_paged
