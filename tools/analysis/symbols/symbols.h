/* symbols.h - the functions of one ELF file, and which of them an address
 * belongs to. Addresses are those of the file (virtual, as linked).
 *
 * An address is given to the first of these that covers it:
 *   1 a function symbol with a size (of several, the one that starts last)
 *   2 a function symbol without a size, or a global label in code: up to the
 *     next symbol of kind 1 or 2, or the end of its section
 *   3 a local label in code: up to the next symbol of any kind
 *   4 the stretch of its section between those, written <static>@0x12345, the
 *     offset in the file where it begins; of a section without any of those
 *     the section, written <.text>
 * Of several names for one address in one of these the global ones come
 * first, of those the last in alphabetical order (lib/elf/symtab.h); the others
 * are its aliases.
 * Functions of one name are told apart by their source file: "init (uart.c)".
 * Names of C++ are demangled: "zoo::f(int)", aliases "zoo::f", "_ZN3zoo1fEi".
 */
#ifndef TOOLS_ANALYSIS_SYMBOLS_SYMBOLS_H
#define TOOLS_ANALYSIS_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/elf/notes.h"
#include "pmu/markspec/markers.h"

struct function {
    char *name;
    const char *source;  /* file name by its STT_FILE symbol, or NULL */
    uint64_t start, end; /* addresses; end is the first not covered */
    int layer;           /* 0-3: which rule above */
    bool local;
    char **alias; /* other names of the same start */
    size_t aliases, alias_room;
};

/* Where a part of the file is loaded, from its program headers. */
struct loaded {
    uint64_t offset, size, addr;
};

#define SYMBOLS_LAYERS 4

/* A variable: what a data address may be part of. */
struct variable {
    char *name;
    uint64_t start, size;
};

/* All zero: no functions. */
struct symbols {
    struct function *function; /* by layer, then start, then name */
    size_t count, room;
    size_t layer[SYMBOLS_LAYERS + 1]; /* first index of each layer */
    uint64_t *reach; /* furthest end of functions 0..i of i's layer */
    struct loaded *loaded;
    size_t loads, loads_room;
    struct variable *variable; /* by start, then the larger first */
    size_t variables, variables_room;
    char **kept; /* source names that functions point to */
    size_t keeps, keeps_room;
    struct markers markers; /* instructions that were moved (simmark opcodes) */
};

/* Read the ELF file open at fd. False: *why (size bytes) says what is wrong
 * with it, and nothing is held. build_id becomes its build-id in hexadecimal,
 * "" if it has none. */
bool symbols_read(struct symbols *s, int fd, char build_id[ELF_BUILD_ID],
                  char *why, size_t size);
void symbols_free(struct symbols *s);

/* The index of the function that addr belongs to; -1: of none. */
long symbols_find(const struct symbols *s, uint64_t addr);

/* Variables that have bytes of addresses from to `to` - 1: the index of the
 * first; *count of them. */
size_t symbols_variables(const struct symbols *s, uint64_t from, uint64_t to,
                         size_t *count);

/* The address at which byte `offset` of the file is linked. */
bool symbols_address(const struct symbols *s, uint64_t offset, uint64_t *addr);

#endif
