/* itable_search: five pages, a search each.
 */
#include "tests/pmu/count.h"
#include "tests/pmu/paged.h"

        counting itable_search, 5
        page_table
        page_code
        prepare
        forget_pages
        translate IR
        count
        call_pages
        done_paged
