/* symtab.h - the names in an ELF file's symbol table, read in one way for
 * all who mark programs: a mark in words means the same place to simrun as to
 * simmark. Believes nothing in the file.
 *
 * Of several names for an address functions come before data and labels, then
 * global ones before local ones, then the alphabet decides.
 */
#ifndef PMU_MARKSPEC_SYMTAB_H
#define PMU_MARKSPEC_SYMTAB_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/markspec/perfinst.h"

struct elfname {
    uint32_t address, size; /* size 0: up to the next one */
    uint32_t end;           /* of its section, exclusive */
    bool data;              /* no function, and in no section of code */
    unsigned rank;          /* of several at one address, the lowest */
    const char *name;       /* in the file; not owned */
    const char *source;     /* of a local one: its source file; NULL: unknown */
};

/* All zero: none. */
struct symtab {
    struct elfname *all; /* by address, then rank; owned */
    size_t count;
};

/* Read .symtab, or where that was stripped .dynsym: those names of places in
 * sections that are loaded, and of their ends. None is no mistake; false: the
 * host has no memory. */
bool symtab_read(struct symtab *s, Elf *elf);
/* Add those of another table. False: the host has no memory. */
bool symtab_merge(struct symtab *s, const struct symtab *more);
void symtab_free(struct symtab *s);

/* The same as symbols of a perfinst_world, as many; NULL: the host has no
 * memory. The caller frees them. A name without a size reaches to the next
 * one, or to the end of its section. */
struct perfinst_symbol *symtab_symbols(const struct symtab *s);

#endif
