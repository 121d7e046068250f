/* memlines.h - lines of memory in stretches of a run (line.rec, of simrun
 * --record-lines): which CPUs touched, wrote and hold which bytes of them.
 */
#ifndef TOOLS_ANALYSIS_HARDWARE_MEMLINES_H
#define TOOLS_ANALYSIS_HARDWARE_MEMLINES_H

#include "tools/analysis/experiment/recording.h"

/* A line and a CPU; fields as record.def has them. */
struct memline_cpu {
    unsigned cpu;
    uint32_t stretch, address, ea, bytes, thread, set, way, state;
    uint64_t begin, end; /* of the stretch */
    uint64_t loads, stores, taken, apart, cycles, read, dirty;
};

enum memline_kind {
    MEMLINE_FALSELY, /* CPUs take it from each other for bytes that no other
                      * stored, more often than for others; or, where none
                      * takes it, each stores to bytes that no other uses */
    MEMLINE_TRULY,   /* several use it, some store, and it is not that */
    MEMLINE_READERS, /* several load from it, and none stores */
    MEMLINE_PRIVATE, /* one CPU touched it */
    MEMLINE_HELD     /* none did: it was in a cache when the stretch ended */
};

struct memline {
    enum memline_kind kind;
    size_t first, cpus; /* those from memlines.by[first] on, by CPU */
    uint64_t loads, stores, taken, apart, cycles;
};

/* What the log says of a stretch. */
struct memline_stretch {
    uint32_t number;
    uint64_t begin, end, lines;
    uint64_t left; /* accesses to lines that had no place */
};

struct memlines {
    struct memline_cpu *by;
    size_t bys, bys_room;
    struct memline *line; /* by stretch, then most taken, cycles first */
    size_t lines, lines_room;
    struct memline_stretch *stretch; /* those that came to an end */
    size_t stretches, stretches_room;
    size_t asked; /* stretches that --record-lines named */
};

/* Those of r's interval, which is that of their ends; of one CPU alone (-1: of
 * all). What is damaged is noted in r and left out. memlines_free is due. */
void memlines_read(struct memlines *m, struct recording *r, long cpu);
void memlines_free(struct memlines *m);

/* "falsely shared", and so on. */
const char *memlines_kind(enum memline_kind kind);
/* M, E, S, or "" where it is in no cache. */
const char *memlines_state(uint32_t state);

/* The variable in the line, at the first byte that was touched, or "". */
void memlines_name(const struct memlines *m, struct recording *r,
                   const struct memline *l, char *out, size_t size);

#define MEMLINES_WORDS 17 /* words of a line as letters, with the end */

/* A letter for each word of 4 bytes: the number of the CPU that stores to it,
 * * of several, r where it is only loaded, . where it is not touched. */
void memlines_words(const struct memlines *m, const struct memline *l,
                    char out[MEMLINES_WORDS]);
/* The same of one CPU: w stored, b also loaded, r loaded, . neither. */
void memlines_words_of(const struct memline_cpu *by, char out[MEMLINES_WORDS]);

#endif
