/* kernel.h - what a Linux kernel is given by the host's files beside its RAM
 * disk: a device tree (--dtb), and where the board's own goes (--dump-dtb).
 */
#ifndef SIM_HOST_KERNEL_H
#define SIM_HOST_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/cli/options.h"

/* Options that are for a kernel alone or not for one are refused; the tree of
 * --dtb is read into o->setup, whose image and RAM disk are set. False: `why`
 * has the line. */
bool kernel_prepare(struct options *o, char *why, size_t size);
void kernel_free(struct options *o);

/* Write the device tree to the file of --dump-dtb. False: `why` has the line.
 */
bool kernel_dump(const struct options *o, char *why, size_t size);

#endif
