/* json.h - a table as JSON. */
#ifndef TOOLS_SIMPROF_REPORT_JSON_H
#define TOOLS_SIMPROF_REPORT_JSON_H

#include <stdio.h>

#include "lib/base/table.h"

/* An array of objects, a row each on a line of its own; members are the columns
 * of CSV, in their order. Cells of TABLE_NUMBER columns and what table_number
 * and its like put in are numbers, or null where CSV has nothing; all others
 * texts. Bytes that are no UTF-8 become question marks. */
void json_table(const struct table *t, FILE *to);

#endif
