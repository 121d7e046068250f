/* symbols.h - names of addresses, from the symbol table of the image.
 * For the log and the debugger's words; nothing simulated depends on it.
 */
#ifndef SIM_SYMBOLS_H
#define SIM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/loader.h"

struct symbol {
    uint32_t address, size; /* size 0: up to the next one */
    uint32_t end;           /* of its section, exclusive */
    unsigned rank;          /* of several at one address, the lowest */
    const char *name;       /* in `image`; not owned */
};

struct symbols {
    struct symbol *symbol; /* by address, then rank; owned */
    size_t count;
    void *elf; /* keeps the names; owned */
};

/* Read the names of an image, which must outlive them. A stripped file has
 * none, which is no mistake; false: the host has no memory. */
bool symbols_open(struct symbols *s, const struct image *i);
void symbols_close(struct symbols *s);

#define SYMBOL_TEXT 80

/* "name+0x1c", "name", or "" where nothing is known. Long names are cut. */
void symbols_text(const struct symbols *s, uint32_t address,
                  char text[SYMBOL_TEXT]);

/* "name" or "name+offset". False: no such name, or no offset. */
bool symbols_find(const struct symbols *s, const char *text, uint32_t *address);

#endif
