/* layouts.h - which shared objects' code the address spaces of a Linux kernel
 * have, and where: an address space is the kernel's mm_struct, by its address.
 * What became of it is told by programs.c. An object is a number of the
 * caller's.
 *
 * APPROX: what is unmapped stays, until something is mapped there. Source: own.
 * Cost: functions of an object that was closed, where other code runs that is
 * no file's.
 */
#ifndef SIM_TASKS_LAYOUTS_H
#define SIM_TASKS_LAYOUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"

/* `size` bytes from `address` are those of an object from `offset` on. */
struct task_mapping {
    uint32_t object, address, size, offset;
};

/* In the order in which they were mapped. */
struct task_layout {
    uint32_t version; /* another one after every mapping; 0: none yet */
    struct task_mapping *map;
    size_t count, room;
};

/* All zero: none. */
struct task_layouts {
    struct hash index; /* mm_structs to places in: */
    struct task_layout *list;
    size_t count, room;
    uint32_t versions;
};

void task_layouts_close(struct task_layouts *l);

/* The address space `mm` has a new mapping, in the place of those that it lies
 * over. */
void task_layouts_map(struct task_layouts *l, uint32_t mm,
                      const struct task_mapping *map);
/* The new address space `to` is a copy of `from`. */
void task_layouts_copy(struct task_layouts *l, uint32_t from, uint32_t to);
/* It is no more. */
void task_layouts_forget(struct task_layouts *l, uint32_t mm);

/* That of `mm`, valid until the next change; NULL: it has no mapping. */
const struct task_layout *task_layouts_of(const struct task_layouts *l,
                                          uint32_t mm);

#endif
