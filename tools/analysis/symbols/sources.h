/* sources.h - which source line an instruction came from, by the DWARF line
 * tables of the archives (lib/dwarf/lines.h). Read when first asked for. A load
 * object without them simply has no lines.
 */
#ifndef TOOLS_ANALYSIS_SYMBOLS_SOURCES_H
#define TOOLS_ANALYSIS_SYMBOLS_SOURCES_H

#include "tools/analysis/experiment/recording.h"

struct sources;

#define SOURCES_NONE 0 /* the number of no file */

struct source_line {
    uint32_t file; /* SOURCES_NONE: no line is known */
    uint32_t line; /* from 1 */
};

/* The recording stays open as long. The caller frees. */
struct sources *sources_new(struct recording *r);
void sources_free(struct sources *s);

struct source_line sources_find(struct sources *s, uint32_t pc, uint64_t cycle);

/* The line of a function's first instruction, whenever it was loaded. */
struct source_line sources_of(struct sources *s, uint32_t function);

/* The latest version of DWARF that a unit of an image of the load map is in; 0:
 * it has none, or is not there. */
unsigned sources_dwarf(struct recording *r, size_t image);

/* The number of a file of this name. */
uint32_t sources_number(struct sources *s, const char *name);

/* The name of a file as the compiler was given it. */
const char *sources_file(const struct sources *s, uint32_t file);

/* Is it a header that is installed, as those of C++'s library are, by its path?
 * What is written in one is compiled into programs, and not their own. */
bool sources_installed(const struct sources *s, uint32_t file);

/* The line of an instruction that is inlined from an installed header is that
 * of the call, in the first file that is none. */
struct source_line sources_own(struct sources *s, uint32_t pc, uint64_t cycle);

#endif
