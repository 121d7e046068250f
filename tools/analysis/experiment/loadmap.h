/* loadmap.h - what was loaded where and when, and so which function a
 * program counter meant at a given cycle (requirement ANA-73).
 *
 * Functions of all load objects share one numbering. 0 is <Unknown>.
 *
 * Of processes that have addresses of their own (a Linux kernel's) the thread
 * decides whose are meant: that of the record that was read last, or the one of
 * loadmap_thread.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_LOADMAP_H
#define TOOLS_ANALYSIS_EXPERIMENT_LOADMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "lib/elf/image.h"
#include "tools/analysis/experiment/problem.h"
#include "tools/analysis/experiment/spaces.h"
#include "tools/analysis/symbols/symbols.h"

#define LOADMAP_UNKNOWN 0

/* One load object: an ELF file in archives/. */
struct image {
    char *archive; /* file name there */
    bool readable;
    struct symbols symbols;
    uint32_t first; /* number of its first function */
};

/* From cycle `from` on, `size` bytes at addr are those at `offset` of the
 * image's file. A later line of the map overrides an earlier one. */
struct segment {
    uint64_t from, size, offset;
    uint32_t addr;
    char flags[8];
    size_t image;
    uint32_t space; /* of its processes alone (spaces.h); 0: of all */
};

struct loadmap {
    struct segment *segment;
    size_t segments, segments_room;
    struct image *image;
    size_t images, images_room;
    uint32_t functions;   /* numbers in use */
    struct hash seen;     /* (segment, pc) looked up before */
    struct spaces spaces; /* of processes that have their own */
    uint32_t thread;      /* whose addresses are meant; 0: nobody's */
    uint32_t space;       /* ... or which; 0: its */
};

struct place {
    uint32_t function; /* LOADMAP_UNKNOWN: of no known one */
    uint32_t offset;   /* from its start */
};

/* Read `map` and the archives it names from experiment directory `dir`.
 * What is wrong is added to p; what is right is there. */
void loadmap_read(struct loadmap *m, int dir, struct problems *p);
void loadmap_free(struct loadmap *m);

/* From now on, and until the next record is read, addresses are those of this
 * thread; 0: of the process that got its program last. */
void loadmap_thread(struct loadmap *m, uint32_t thread);

/* ... until this is called with 0: those of this space. */
void loadmap_space(struct loadmap *m, uint32_t space);

/* That which the load object at pc is of alone; 0: it is of all, or unknown. */
uint32_t loadmap_space_at(const struct loadmap *m, uint32_t pc, uint64_t cycle);

/* Where pc is, at a cycle. */
struct place loadmap_find(struct loadmap *m, uint32_t pc, uint64_t cycle);

/* Where the instruction at pc came from, when it was moved behind a marker
 * (pmu/markspec/markers.h); else pc. And the word that stood at such an old
 * place, where now `word` does. */
uint32_t loadmap_home(const struct loadmap *m, uint32_t pc, uint64_t cycle);
uint32_t loadmap_word(const struct loadmap *m, uint32_t pc, uint64_t cycle,
                      uint32_t word);

/* The name of function number f; "<Unknown>" for LOADMAP_UNKNOWN. */
const char *loadmap_name(const struct loadmap *m, uint32_t f);

/* The function called the first n bytes of `name` in the load object of
 * function f; LOADMAP_UNKNOWN: there is none. */
uint32_t loadmap_named(const struct loadmap *m, uint32_t f, const char *name,
                       size_t n);

/* The function itself; NULL: f is none. */
const struct function *loadmap_function(const struct loadmap *m, uint32_t f);

/* Is this a name of function f: the one that is shown, or an alias? The name of
 * its load object may stand in front of either, "lbzip2:encode". */
bool loadmap_called(const struct loadmap *m, uint32_t f, const char *name);

/* The file name of the load object of function f; "<Unknown>" for none. */
const char *loadmap_object(const struct loadmap *m, uint32_t f);

/* Where an address is in a load object. */
struct image_spot {
    size_t image;
    uint64_t addr;   /* as linked */
    uint64_t offset; /* in the file */
};

/* False: nothing that can be read was loaded there. */
bool loadmap_spot(const struct loadmap *m, uint32_t pc, uint64_t cycle,
                  struct image_spot *at);

/* The load object that has a data address at a cycle, by its index, and how
 * much further up it is than linked. False: none that can be read. */
bool loadmap_moved(const struct loadmap *m, uint32_t address, uint64_t cycle,
                   size_t *image, uint32_t *moved);

/* The variables that have bytes of addresses from to from + size - 1 at a
 * cycle, as symbols_variables; *symbols has them, *moved is how much further up
 * they are than linked. NULL: nothing is known there. */
const struct variable *loadmap_variables(const struct loadmap *m, uint32_t from,
                                         uint32_t size, uint64_t cycle,
                                         uint32_t *moved, size_t *count);

/* The first byte of function f and how many they are, where it was loaded
 * last. False: f is none. */
bool loadmap_extent(const struct loadmap *m, uint32_t f, uint32_t *start,
                    uint32_t *size);

/* The archive of a load object, open for reading; -1: errno. The caller
 * closes. dir: the experiment. */
int loadmap_open(const struct loadmap *m, size_t image, int dir);
/* The same as an ELF file, which the caller closes. False: it is not there, or
 * is none. */
bool loadmap_elf(const struct loadmap *m, size_t image, int dir,
                 struct elf_image *file);

/* The index of the load object of function f; -1: of none. */
long loadmap_image(const struct loadmap *m, uint32_t f);

#endif
