/* dtable_search: five pages, a search each.
 */
#include "tests/pmu/count.h"
#include "tests/pmu/paged.h"

        counting dtable_search, 5
        page_table
        prepare
        forget_pages
        translate DR
        count
        load_pages
        done_paged
