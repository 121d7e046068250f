/* symbols.h - the symbols of an ELF file that marks may name, chosen in one way
 * for all that mark programs: a mark in words means the same place to simrun
 * as to simmark.
 */
#ifndef PMU_MARKSPEC_SYMBOLS_H
#define PMU_MARKSPEC_SYMBOLS_H

#include "lib/elf/symtab.h"
#include "pmu/markspec/perfinst.h"

/* Read the symbols of places in loaded sections, and of their ends. A resolver
 * is none: its name means the function that it chooses. The image must outlive
 * them; elf_symtab_free frees them. False: the host has no memory. */
bool symbols_of_places(struct elf_symtab *t, const struct elf_image *e);

/* The same as symbols of a perfinst_world, as many; NULL: the host has no
 * memory. The caller frees them. A name without a size reaches to the next
 * one, or to the end of its section. */
struct perfinst_symbol *symbols_for_marks(const struct elf_symtab *t);

#endif
