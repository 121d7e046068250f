/* lines.h - source lines of frames, for the reports that need them. */
#ifndef TOOLS_SIMPROF_VIEW_LINES_H
#define TOOLS_SIMPROF_VIEW_LINES_H

#include "tools/analysis/symbols/sources.h"
#include "tools/simprof/view/group.h"

struct lines_of {
    struct recording *r;
    struct sources *sources;
    bool full;
    struct hash number; /* (file, line) to a number from 1 */
};

/* full: files with their directories. */
void lines_open(struct lines_of *l, struct recording *r, bool full);
void lines_close(struct lines_of *l);

struct source_line lines_find(struct lines_of *l,
                              const struct samples_frame *frame);

/* The same in the file that the function with the instruction was written in:
 * what was inlined there from another file stands at the call (ANA-81). Where
 * that is not known, as lines_find. */
struct source_line lines_at_home(struct lines_of *l,
                                 const struct samples_frame *frame);

/* Where the function whose code begins at pc was written; no file: unknown. */
struct source_line lines_written(struct lines_of *l, uint32_t pc);

/* How a report writes a file: with directories or without. */
const char *lines_file(const struct lines_of *l, uint32_t file);

/* The same number for the same line; 0 for none. */
uint32_t lines_number(struct lines_of *l, struct source_line line);

/* What the instructions of a function without a line are called. */
void lines_unnumbered(const struct recording *r, uint32_t function,
                      char out[GROUP_NAME]);

/* A grouping's key: each instruction by itself. */
uint64_t pcs_key(void *arg, const struct samples_frame *frame);

#endif
