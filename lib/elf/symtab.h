/* symtab.h - the symbols of an ELF file by address, and one rule for which of
 * several names a place goes by. Simulator, marks and reports read them here,
 * so that a place has the same name in all of them.
 *
 * The rule: of the names of one address those of functions come first, then
 * those of data, then labels; of each kind the global ones before the local
 * ones; of those the last in the alphabet, which is the public name of
 * write, __write and __libc_write.
 */
#ifndef LIB_ELF_SYMTAB_H
#define LIB_ELF_SYMTAB_H

#include "lib/elf/image.h"

enum elf_symbol_kind {
    ELF_SYMBOL_FUNCTION,
    ELF_SYMBOL_RESOLVER, /* of a function that is chosen at the start
                          * (STT_GNU_IFUNC) */
    ELF_SYMBOL_DATA,
    ELF_SYMBOL_LABEL /* of neither type: assembly, the linker's marks */
};

struct elf_symbol {
    uint32_t address, size; /* bytes; 0: the file does not say */
    uint64_t end;           /* of its section: the first address behind it */
    enum elf_symbol_kind kind;
    bool local;
    bool code;        /* its section has instructions */
    bool inside;      /* its section is loaded, and it is in it or at its end */
    const char *name; /* in the image, never ""; not owned */
    const char *source; /* of a local one: its source file; NULL: unknown */
    const char *object; /* in a table of several files: the one it is of, for
                         * who put it together; else NULL */
};

/* All zero: none. */
struct elf_symtab {
    struct elf_symbol *all; /* by address, then by the rule; owned */
    size_t count;
};

/* The symbols of .symtab that are defined in a section; where that has none,
 * those of .dynsym. None is no mistake. The image must outlive them. False: the
 * host has no memory. */
bool elf_symtab_read(struct elf_symtab *t, const struct elf_image *e);
void elf_symtab_free(struct elf_symtab *t);
/* Drop the symbols that do not `stay`. */
void elf_symtab_keep(struct elf_symtab *t,
                     bool (*stay)(const struct elf_symbol *, void *arg),
                     void *arg);
/* Add those of another table. False: the host has no memory. */
bool elf_symtab_merge(struct elf_symtab *t, const struct elf_symtab *more);

/* The first symbol of the highest address at or below this one; NULL: none. */
const struct elf_symbol *elf_symtab_nearest(const struct elf_symtab *t,
                                            uint32_t address);
/* The first address behind symbol k: where it ends; without a size the next
 * symbol, or the end of its section. */
uint64_t elf_symtab_end(const struct elf_symtab *t, size_t k);

/* The rule among symbols of one kind and address: below 0 if the name a goes
 * before the name b, above 0 if behind. */
int elf_symbol_order(bool a_local, const char *a, bool b_local, const char *b);

#endif
