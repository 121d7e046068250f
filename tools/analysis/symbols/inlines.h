/* inlines.h - which functions the compiler inlined at an instruction, and where
 * functions were written, by the DWARF of the archives (lib/dwarf/inlines.h).
 * Read when first asked for.
 *
 * At one instruction stand, from the inside out, level 0, the innermost inlined
 * function; level 1, what that was inlined into, at the line of the call; ...;
 * last, the function that has a symbol. Without inlining that is level 0.
 */
#ifndef TOOLS_ANALYSIS_SYMBOLS_INLINES_H
#define TOOLS_ANALYSIS_SYMBOLS_INLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/experiment/loadmap.h"

#define INLINES_DEEPEST 32 /* further levels are left out */

/* Inlined functions have numbers from here on, beside those of loadmap.h. */
#define INLINES_FIRST 0x40000000u
#define INLINES_MAX 0x40000000u

struct inline_level {
    uint32_t function; /* number of the inlined function */
    const char *file;  /* of the call that was inlined; NULL: unknown */
    uint32_t line;
};

struct inlines;

/* The load map stays open as long; dir is the experiment's. */
struct inlines *inlines_new(const struct loadmap *map, int dir);
void inlines_free(struct inlines *x);

/* The inlined functions at pc, the innermost first: levels 0 to n - 1. Returns
 * n. They are valid until the next call. */
size_t inlines_find(struct inlines *x, uint32_t pc, uint64_t cycle,
                    const struct inline_level **level);

/* Where the function whose code begins at pc was written. False: unknown. The
 * name of the file lives as long as x. */
bool inlines_written(struct inlines *x, uint32_t pc, uint64_t cycle,
                     const char **file, uint32_t *line);

/* "spread (inlined)"; NULL: the number of no inlined function. */
const char *inlines_name(const struct inlines *x, uint32_t function);

#endif
