/* perfinst.h - marks as a person or a file describes them, before they reach
 * the hardware: the section .perfinst (include/perfinst.h has its format) and
 * marks in words ("func:main=count,limit:13", marks.c).
 *
 * Knows no ELF: the caller, which has the program open, fills a
 * struct perfinst_world.
 * Believes nothing in the section. Prints nothing. docs/pif.md, section 11.
 */
#ifndef PMU_MARKSPEC_PERFINST_H
#define PMU_MARKSPEC_PERFINST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/perfinst.h"

#define PERFINST_SECTION ".perfinst"
/* Words that may be marked in all; a program of 16 MiB, each instruction. */
#define PERFINST_WORDS_MAX (UINT32_C(1) << 22)
#define PERFINST_RANGES_MAX 8 /* of instructions, and as many of data */
#define PERFINST_AREAS_MAX 8

/* Loaded memory, rounded outwards to words. */
struct perfinst_place {
    uint32_t start, size;
    bool code;     /* may be executed */
    bool writable; /* may be stored to */
};

struct perfinst_symbol {
    const char *name;
    const char *source; /* NULL, or the file of one that only it knows */
    const char *object; /* of a shared object: what that is called; NULL */
    uint32_t address, size;
    bool function; /* else an object, or a label */
    bool label;    /* its size is only that up to the next symbol */
};

/* Where accesses of data are counted in data of the program. */
struct perfinst_count {
    uint32_t granule; /* bytes of data that share a count unit; 0: nowhere */
    uint32_t area;    /* address of the first count unit */
    uint32_t unit;    /* bytes of one */
};

/* One marked stretch, or one with a count area, which then has no flags. */
struct perfinst_entry {
    uint32_t address, length;
    uint32_t flags, limit; /* PERFINST_... */
    bool data;
    const char *text; /* where it comes from; not owned */
    struct perfinst_count count;
};

/* All zero: nothing marked. */
struct perfinst {
    struct perfinst_entry *entry;
    size_t count, room;
};

/* What the threshold bits mean, the lowest first, and how many there are. */
struct perfinst_thresholds {
    uint32_t cycles[4];
    unsigned bits;
};

/* The thresholds of a mark in words, added to n different ones in ascending
 * order; returns how many there are now, PERFINST_MANY at most. */
#define PERFINST_MANY 8
unsigned perfinst_thresholds_of(const char *text, uint32_t all[PERFINST_MANY],
                                unsigned n);
/* Do bits add up to so many cycles? */
bool perfinst_threshold_is(const struct perfinst_thresholds *th,
                           uint32_t cycles);

/* The program that is marked. */
struct perfinst_world {
    const char *file;   /* its name, for messages */
    const char *beside; /* what to add where it has no such symbol; NULL */
    uint32_t bias;      /* added to addresses in sections of the file */
    const struct perfinst_place *place;
    size_t places;
    const struct perfinst_symbol *symbol; /* by address */
    size_t symbols;
    const struct perfinst_thresholds *threshold; /* NULL: as at reset */
    void *arg;
    /* The roles (isa/role.def) of the instruction there, bit r for role r. If
     * it says where it branches to, *target is that, else it is unchanged. */
    unsigned (*roles)(void *arg, uint32_t address, uint32_t *target);
    /* Call `found` for each stretch of instructions of a source line, and
     * return how many. NULL: lines are not known here. */
    unsigned (*line)(void *arg, const char *file, unsigned line, void *to,
                     void (*found)(void *to, uint32_t start, uint32_t size));
};

/* Do the n bytes at `text` call the symbol: by its name or, of one that only a
 * source file knows, "name (file)", as simprof tells statics of one name apart;
 * of one in a shared object, perhaps with "object:" in front, where libc.so and
 * libc will do for libc.so.6. */
bool perfinst_called(const char *text, size_t n,
                     const struct perfinst_symbol *y);
/* Where the symbol's name begins in the n bytes at `text`: behind "object:" if
 * the symbol is of that object, else at `text`. */
const char *perfinst_own_name(const char *text, size_t n,
                              const struct perfinst_symbol *y);
/* Behind "object:", whichever that is. */
const char *perfinst_behind_object(const char *text, size_t n);

void perfinst_add(struct perfinst *p, const struct perfinst_entry *e);
void perfinst_free(struct perfinst *p);

/* ---- the section --------------------------------------------------------- */

/* Add what the bytes of a section say. False: why has one line, "FILE:
 * .perfinst, group 1, entry 3: what, what to do"; p holds what was right. */
bool perfinst_read(struct perfinst *p, const struct perfinst_world *w,
                   const void *bytes, size_t size, char *why, size_t room);

/* The same marks as a section: one group a place, of entries that do not
 * overlap, and one a range. The caller frees *bytes. False: two limits for a
 * word, or too many words; why says which. */
bool perfinst_write(const struct perfinst *p, const struct perfinst_world *w,
                    unsigned char **bytes, size_t *size, char *why,
                    size_t room);

/* Can accesses of an entry's data be counted where it says? False: why. */
bool perfinst_countable(const struct perfinst_world *w,
                        const struct perfinst_entry *e, char *why, size_t room);
/* Bytes of the count units for so many bytes of data. */
uint64_t perfinst_area_bytes(const struct perfinst_count *c, uint32_t length);

/* ---- marks in words ------------------------------------------------------ */

struct perfinst_error {
    size_t at;    /* offset of the character; PERFINST_NOWHERE */
    bool lacking; /* the text makes sense, but not for this program */
    char why[512];
};
#define PERFINST_NOWHERE ((size_t)-1)

/* Add what a text says (docs/pif.md has the language); it must outlive p.
 * `fallback` (flags, limit): what is meant when it names no action. */
struct perfinst_action {
    uint32_t flags, limit;
};
bool perfinst_parse(struct perfinst *p, const struct perfinst_world *w,
                    const char *text, const struct perfinst_action *fallback,
                    struct perfinst_error *e);

/* "count,limit:13": an action by itself. th NULL: thresholds as at reset. */
bool perfinst_action_parse(const char *text,
                           const struct perfinst_thresholds *th,
                           struct perfinst_action *a, struct perfinst_error *e);

/* Add a range: "A..B", which may lie anywhere, or the name of a function (data:
 * of a variable). */
bool perfinst_parse_range(struct perfinst *p, const struct perfinst_world *w,
                          const char *text, bool data,
                          struct perfinst_error *e);

/* What flags and limit are in words, "count,limit:13". */
#define PERFINST_TEXT 160
void perfinst_text(uint32_t flags, uint32_t limit,
                   const struct perfinst_thresholds *th,
                   char text[PERFINST_TEXT]);

/* ---- what the hardware is told ------------------------------------------- */

struct perfinst_word {
    uint32_t address, indicator, limit;
    bool data;
};

struct perfinst_range {
    uint32_t low, high; /* the first behind it; 0: the end of memory */
    bool data;
    const char *text;
};

struct perfinst_area {
    uint32_t address, length; /* the data */
    struct perfinst_count count;
    const char *text;
};

struct perfinst_marks {
    struct perfinst_word *word; /* code first, then by address, each once */
    size_t words;
    struct perfinst_range range[2 * PERFINST_RANGES_MAX];
    unsigned ranges;
    struct perfinst_area area[PERFINST_AREAS_MAX];
    unsigned areas;
};

/* Entries as words and ranges; of overlapping ones the indicators are joined.
 * Data is rounded outwards to words. False: see perfinst_write. */
bool perfinst_marks(const struct perfinst *p, const struct perfinst_world *w,
                    struct perfinst_marks *m, char *why, size_t room);
/* One more count area of m. False: why, with the file's name. */
bool perfinst_add_area(struct perfinst_marks *m, const struct perfinst_world *w,
                       const struct perfinst_entry *e, char *why, size_t room);
void perfinst_marks_free(struct perfinst_marks *m);

#endif
