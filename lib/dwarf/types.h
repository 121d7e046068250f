/* types.h - the variables of an ELF file that stay in one place, and what is
 * inside them, by its DWARF (DW_TAG_variable and the types below it). Believes
 * nothing in the file; a file without DWARF has no variables.
 *
 * Addresses are those of the file, as linked; sizes are bytes. Not here:
 * variables on a stack or in registers, and those that each thread has for
 * itself (their address is not in the file).
 */
#ifndef LIB_DWARF_TYPES_H
#define LIB_DWARF_TYPES_H

#include "lib/elf/image.h"

enum data_shape {
    DATA_SCALAR, /* nothing inside: numbers, pointers, enumerations */
    DATA_ARRAY,
    DATA_RECORD /* structures, classes and unions */
};

struct data_member {
    char *name; /* NULL: a base class, or a structure or union without a name,
                 * whose members are written as if they stood here; owned */
    uint64_t offset;
    uint64_t size; /* of a bit-field: of the unit that holds it */
    uint32_t type; /* index */
    bool bits;     /* a bit-field: others may share its unit */
};

struct data_type {
    enum data_shape shape;
    char *name;            /* record: without its scopes; NULL: none; owned */
    uint64_t size;         /* 0: not known */
    uint32_t element;      /* array: index of the type of its elements */
    uint64_t count;        /* array: its elements; 0: not known */
    size_t first, members; /* record: its members in data_table.member */
};

struct data_variable {
    char *name; /* in its scopes: count, geo::origin, main::calls; owned */
    uint64_t start;
    uint64_t size;
    uint32_t type; /* index */
};

/* All zero: no variables. */
struct data_table {
    struct data_variable *variable; /* by start */
    size_t variables, variables_room;
    struct data_type *type;
    size_t types, types_room;
    struct data_member *member;
    size_t members, members_room;
};

/* Read the variables of all units, and their types. The image may be closed
 * afterwards; the caller frees. */
void data_table_read(struct data_table *t, const struct elf_image *e);
void data_table_free(struct data_table *t);

/* What stands at an address: the variable, and the bytes around the address
 * that have the same name. */
struct data_place {
    const struct data_variable *variable;
    uint64_t start, end; /* end: the first address behind */
};

/* Find the variable that has the byte at `address`. Its name with the way to
 * that byte goes to text (size bytes, cut where it does not fit), as C writes
 * it: stats.misses, table[17].key. Members that share the byte, those of a
 * union and bit-fields of one unit, are written (a|b); bytes between members
 * .<padding>. False: none of the variables has it, and nothing is written. */
bool data_table_find(const struct data_table *t, uint64_t address,
                     struct data_place *at, char *text, size_t size);

/* The same name, only as far as what begins at the address, or, where members
 * are reserved for the implementation (__data), what has them: for a
 * pthread_cond_t that is a member, or an element, of the variable queue, it is
 * queue.ready or queue[2].ready at all of its addresses. */
bool data_table_object(const struct data_table *t, uint64_t address, char *text,
                       size_t size);

/* The address of what has such a name: of the first variable, by address, that
 * has those members and elements; reserved members may be named, too. False:
 * there is none, or it is only a variable's name. */
bool data_table_address(const struct data_table *t, const char *text,
                        uint64_t *address);

/* Is an address in a record of a type of that name, such as counting_semaphore?
 * Its template arguments are not compared. */
bool data_table_is_in(const struct data_table *t, uint64_t address,
                      const char *type);

#endif
