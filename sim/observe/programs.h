/* programs.h - programs that a guest's processes run: the guest tells where the
 * ELF file is in memory (program.rec), and from there come names for the
 * machine's stacks and the experiment's archive and map.
 *
 * APPROX: names are of the program that came last to an address, whichever
 * process is meant. Source: own. Cost: with different programs at the same
 * addresses at a time, names of the earlier ones are wrong.
 */
#ifndef SIM_OBSERVE_PROGRAMS_H
#define SIM_OBSERVE_PROGRAMS_H

#include "sim/machine/machine.h"

#define PROGRAMS 64 /* different ones, at most; more have no names */

struct program {
    uint32_t at, size;
    struct image image; /* owned */
};

struct programs {
    struct program *list; /* owned */
    unsigned count, latest;
};

/* The image of a file at `at` in the machine's memory, when that is a program
 * and not the one that was told last; its names are known to the machine from
 * now on, if it has any. NULL: nothing is new. *fresh: it was not told before.
 */
const struct image *programs_take(struct programs *p, struct machine *m,
                                  uint32_t at, uint32_t size, const char *name,
                                  bool *fresh);
/* The number of the file at `at`, from 1; 0: it is no program that was told. */
unsigned programs_number(const struct programs *p, uint32_t at, uint32_t size);
void programs_free(struct programs *p);

#endif
