/* device_tree.h - the board as a flattened device tree, which tells an
 * operating system what is there (Devicetree Specification 0.4). The devices
 * are the rows of include/board.def; the platform is CHRP, whose kernels take
 * everything from the tree.
 */
#ifndef SIM_MACHINE_DEVICE_TREE_H
#define SIM_MACHINE_DEVICE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/config/config.h"

struct tree_facts {
    const struct params *params; /* clocks and caches */
    unsigned cpus;
    uint32_t ram;                  /* bytes, from address 0 on */
    uint32_t initrd, initrd_bytes; /* physical address; 0 bytes: none */
    uint32_t rtas;                 /* where the code of the services is */
    const char *args;              /* the kernel's command line */
};

/* Make the tree: *size bytes at *tree, which the caller frees. False: the host
 * has no memory. */
bool device_tree_make(const struct tree_facts *f, unsigned char **tree,
                      size_t *size);

/* Is this a whole flattened tree, and nothing but that? */
bool device_tree_is(const unsigned char *tree, size_t size);

/* Write args and the RAM disk into the /chosen of a tree made elsewhere, which
 * is replaced by a larger one. False: the host has no memory, or the tree is
 * broken. */
bool device_tree_choose(const struct tree_facts *f, unsigned char **tree,
                        size_t *size);

#endif
