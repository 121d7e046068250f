/* source_text.h - the text of source files, where it is to be had. */
#ifndef TOOLS_SIMPROF_VIEW_SOURCE_TEXT_H
#define TOOLS_SIMPROF_VIEW_SOURCE_TEXT_H

#include <stdio.h>

#include "tools/simprof/report/report.h"

#define SOURCE_LINE 512 /* bytes of a line, with its end; more is cut */

/* Opens the file that debug information calls `name`: below the directory of
 * --source-path, else here, first by the whole name, then without directories;
 * last, where the compiler found it. NULL: nowhere. The caller closes. */
FILE *source_text_open(const struct options *o, const char *name);

/* The next line of f without its end, tabs as blanks; "" behind the end of f,
 * and of NULL. */
void source_text_next(FILE *f, char out[SOURCE_LINE]);

#endif
