/* variables.h - which variable a data address is in, and what inside it: by the
 * DWARF of the archives (lib/dwarf/types.h), which is read when first asked
 * for; else by their symbols, which know no members. The stack and what was
 * allocated while the program ran are in no variable.
 */
#ifndef TOOLS_ANALYSIS_SYMBOLS_VARIABLES_H
#define TOOLS_ANALYSIS_SYMBOLS_VARIABLES_H

#include "tools/analysis/experiment/loadmap.h"

struct variables;

#define VARIABLE_TEXT 512 /* bytes of a name with its members, at most */

/* Addresses are those at which the program had it; an end is the first address
 * behind. Texts are cut at VARIABLE_TEXT. */
struct variable_spot {
    const char *variable;       /* its name; valid until variables_free */
    uint64_t start, end;        /* the variable */
    char member[VARIABLE_TEXT]; /* stats.misses, table[17].key; without DWARF
                                 * the name and, if not 0, the offset: table+0x8
                                 */
    uint64_t from, to;          /* the bytes around the address that are that */
};

/* m and dir, the experiment's directory, stay open as long. The caller frees.
 */
struct variables *variables_new(const struct loadmap *m, int dir);
void variables_free(struct variables *v);

/* What is at a data address at a cycle, until the next call. NULL: no variable
 * that is known. */
const struct variable_spot *variables_at(struct variables *v, uint32_t address,
                                         uint64_t cycle);

/* What begins at a data address, or has it for its own, as data_table_object:
 * queue.ready. False: no DWARF tells, and text is as it was. */
bool variables_object(struct variables *v, uint32_t address, uint64_t cycle,
                      char *text, size_t size);

/* Is a data address in an object of a type of that name, as data_table_is_in?
 */
bool variables_is_in(struct variables *v, uint32_t address, uint64_t cycle,
                     const char *type);

/* Is a data address that of a member or an element with that name, as
 * data_table_address has it? */
bool variables_is_called(struct variables *v, uint32_t address, uint64_t cycle,
                         const char *text);

/* Call `offer` with the name of every variable of the experiment that
 * variables_at may give. */
void variables_each(struct variables *v,
                    void (*offer)(void *arg, const char *name), void *arg);

#endif
