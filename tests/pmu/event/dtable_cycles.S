/* dtable_cycles: five searches that look at 1, 2, 3, 4 and 5 entries, one a cycle.
 */
#include "tests/pmu/count.h"
#include "tests/pmu/paged.h"

        counting dtable_cycles, TABLE_ENTRIES
        page_table
        prepare
        forget_pages
        translate DR
        count
        load_pages
        done_paged
