/* linux.h - starts a Linux kernel as the firmware of a CHRP machine without
 * Open Firmware would (Linux, Documentation/powerpc/bootwrapper and
 * arch/powerpc/kernel/head_book3s_32.S): registers, device tree, RAM disk, and
 * where the other processors wait.
 */
#ifndef SIM_MACHINE_LINUX_H
#define SIM_MACHINE_LINUX_H

#include "sim/machine/machine.h"

/* What the kernel maps at once, bytes: the linear map of 32-bit PowerPC
 * (CONFIG_LOWMEM_SIZE). Its addresses above have other memory. */
#define LINUX_LOW_MEMORY UINT32_C(0x30000000)

/* The tree of a machine as it will be: *size bytes at *tree, which the caller
 * frees; the board's own, or that of s->dtb with command line and RAM disk
 * written into it. False: `why` has the line. */
bool linux_tree(const struct machine_setup *s, unsigned char **tree,
                size_t *size, char *why, size_t room);

/* Where the RAM disk goes: page aligned, at the end of the memory that a 32-bit
 * kernel maps at once; 0 without one. */
uint32_t linux_initrd(const struct machine_setup *s);

/* Put the tree behind the kernel, whose segments are in memory, with room for a
 * stack between them. False: `why`
 * has the line. */
bool linux_load(struct machine *m, char *why, size_t size);

/* Let the processors go: the first at the entry point, the others where they
 * wait for the kernel (__secondary_hold); a kernel of one processor has no such
 * place, and they stay parked. */
void linux_start(struct machine *m);

/* At a beat: a kernel that panics has this long to say so on the console, then
 * the run ends with status LINUX_PANIC. */
#define LINUX_PANIC 126
#define LINUX_LAST_WORDS_US 20000 /* simulated */
void linux_beat(struct machine *m, cycle_t at);

#endif
