/* names.h - names of addresses, from the symbol table of the image.
 * For the log and the debugger's words; nothing simulated depends on it.
 */
#ifndef SIM_SYMBOLS_NAMES_H
#define SIM_SYMBOLS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/did_you_mean.h"
#include "lib/elf/symtab.h"
#include "pmu/markspec/markers.h"
#include "sim/machine/loader.h"

struct names {
    struct elf_symtab table;
    struct elf_image *file; /* of the image, then of shared objects: they keep
                             * the names; owned */
    char **object;          /* what each is called; NULL: the image; owned */
    unsigned files;         /* so many of them */
    struct markers markers; /* instructions that were moved: names and stacks
                             * are those of where they came from */
    char wrong[160];        /* with that section; "": nothing */
    uint32_t real; /* of a Linux kernel: where it has an address without
                    * translation, plus this; of others 0 */
    struct strangers *strangers; /* what exception_frame.c remembers; owned */
    struct known_stop *stops; /* what known_stop.c does: KNOWN_STOPS; owned */
};

#define REACH_BITS 4096u     /* a power of two */
#define REACH_EXCEPTIONS 32u /* more than there are */

/* Where each exception's handler comes by, and perhaps elsewhere: a bit for
 * every address, shared with others. As long as the code stands. */
struct reach {
    bool known;
    uint64_t forgotten; /* of struct decode_cache, then */
    uint32_t vectors;   /* where they were */
    uint8_t bit[REACH_EXCEPTIONS][REACH_BITS / 8];
};

/* Addresses that no exception's handler leads to, as long as the code stands
 * that was followed to find out. */
struct strangers {
    uint64_t forgotten; /* of struct decode_cache, then */
    uint32_t vectors;   /* where they were */
    uint32_t at[64];
    unsigned n;            /* the latest of so many */
    struct reach reach[2]; /* without and with translation of code */
};

#define KNOWN_STOPS 1024u /* a power of two */
#define KNOWN_PAGES 4u
#define KNOWN_ASKED 4u

/* What the code says about a stop at pc (sim/unwind/known_stop.h), as long as
 * it stands in the same memory, and the stack's answers are the same. */
struct known_stop {
    uint64_t forgotten; /* of struct decode_cache, then */
    uint32_t pc;
    unsigned pages; /* that were read; 0: nothing is known */
    uint32_t page[KNOWN_PAGES];
    uint32_t frame[KNOWN_PAGES];
    unsigned asked; /* is the back chain at sp so many bytes off? */
    int32_t offset[KNOWN_ASKED];
    bool yes[KNOWN_ASKED];
    bool found; /* and the following is set, as struct frame_flow has it */
    int sp, back;
    int32_t frame_offset, slot;
    unsigned gpr;
};

/* Read the names of an image and of those beside it, which must outlive them. A
 * stripped file has none, which is no mistake; false: the host has no memory. A
 * name means the image's own first; of the others it must be of one alone, or
 * have that in front: "libc.so.6:malloc". */
bool names_open(struct names *s, const struct image *i);
/* Those of a shared object that was mapped, too, which must outlive them. What
 * was known of its addresses is forgotten. False: the host has no memory. */
bool names_add(struct names *s, const struct image *i);
void names_close(struct names *s);

#define NAME_TEXT 80

/* "name+0x1c", "name", or "" where nothing is known. Long names are cut. */
void names_text(const struct names *s, uint32_t address, char text[NAME_TEXT]);

/* Where the function or object that covers address begins. False: unknown. */
bool names_start(const struct names *s, uint32_t address, uint32_t *start);

/* The function that covers address: from from[0], before end[0]. Where address
 * is in a part of it that the compiler put elsewhere, f.cold, that is from[1]
 * to end[1]; else these are 0. False: unknown. */
bool names_function(const struct names *s, uint32_t address, uint32_t from[2],
                    uint32_t end[2]);

/* The bytes that belong to the symbol `text`: from *from, before *end; up to
 * the next one where its size is not known. */
bool names_extent(const struct names *s, const char *text, uint32_t *from,
                  uint32_t *end);

/* The word that stood at an address before instructions were moved from
 * there; now it is `word`. */
uint32_t names_word(const struct names *s, uint32_t address, uint32_t word);

/* Drop what is no function: data, and labels of a file's own. */
void names_keep_functions(struct names *s);

/* "name" or "name+offset". False: no such name, or no offset. */
bool names_find(const struct names *s, const char *text, uint32_t *address);

/* The first variable, by address, that is called so by the linker or by C++: a
 * program's own come before those of libraries. False: there is none. */
bool names_variable(const struct names *s, const char *text, uint32_t *at);

/* What the linker calls the function that C++ calls `text`, with its parameters
 * or, if there is but one of that name, without: "zoo::f(int)", "zoo::f" for
 * _ZN3zoo1fEi. NULL: there is none, or *several. The text is the file's. */
const char *names_of_cplusplus(const struct names *s, const char *text,
                               bool *several);

/* "; did you mean ...?" of the symbols near one that there is not, or "". */
const char *names_near(const struct names *s, const char *wanted,
                       char text[DID_YOU_MEAN_TEXT]);

/* "; looked in ld.so.1, libc.so.6, too ...", the shared objects beside an
 * image, to stand behind a sentence that says that it has no such symbol; or
 * "". */
const char *names_beside(const struct names *s, char text[DID_YOU_MEAN_TEXT]);

/* Another place than `address` that the symbol `text` names; source[] are the
 * files that tell this one and the one at `address` apart, both NULL where they
 * do not: "text (file)" names one. */
bool names_another(const struct names *s, const char *text, uint32_t address,
                   uint32_t *other, const char *source[2]);

/* Save or load what is remembered; the rest is of the image, which must be the
 * same: lib/base/snap.h. False: s->why says why. */
struct snap;
bool names_state(struct snap *s, struct names *n);

#endif
