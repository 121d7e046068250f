/* own.h - is a function a program's own, or a library's?
 *
 * Source lines say it: a program is compiled with them, the libraries of a
 * system are not, but for what is in their headers, which are installed
 * (sources.h). Of a program that was compiled without, too, in whose file
 * `main` has no line, names do (library.def): all but the C library's and those
 * that C reserves for it.
 */
#ifndef TOOLS_ANALYSIS_SYMBOLS_OWN_H
#define TOOLS_ANALYSIS_SYMBOLS_OWN_H

#include "tools/analysis/symbols/sources.h"

struct own;

/* Both stay open as long. The caller frees. */
struct own *own_new(struct recording *r, struct sources *s);
void own_free(struct own *o);

/* False of LOADMAP_UNKNOWN, and of code that no name is known of. */
bool own_is(struct own *o, uint32_t function);

/* Is it of a library that was compiled without lines, or, in a program that
 * was, too, the C library's by name? What is in headers is neither this nor
 * own. */
bool own_is_of_library(struct own *o, uint32_t function);

#endif
