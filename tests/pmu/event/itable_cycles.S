/* itable_cycles: five searches that look at 1, 2, 3, 4 and 5 entries, one a cycle.
 */
#include "tests/pmu/count.h"
#include "tests/pmu/paged.h"

        counting itable_cycles, TABLE_ENTRIES
        page_table
        page_code
        prepare
        forget_pages
        translate IR
        count
        call_pages
        done_paged
