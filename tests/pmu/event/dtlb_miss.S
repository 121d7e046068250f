/* dtlb_miss: five pages loaded from twice; the TLB holds them after the first time.
 */
#include "tests/pmu/count.h"
#include "tests/pmu/paged.h"

        counting dtlb_miss, 5
        page_table
        prepare
        forget_pages
        translate DR
        count
        load_pages
        done_paged
