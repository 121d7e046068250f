/* section_notes.h - the sections that a program marks itself
 * (include/section.h): its notes in the ELF file, and the measured cost of a
 * mark. Knows files and, for the cost, a machine of its own; sees no run.
 */
#ifndef SIM_OBSERVE_SECTION_NOTES_H
#define SIM_OBSERVE_SECTION_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/section.h"
#include "sim/machine/machine.h"

struct mark {
    uint32_t address, section; /* section: its number, from 1 */
    bool begins;
};

struct section_notes {
    struct mark *list; /* by address */
    size_t count;
    const char **name; /* of section n, at n - 1; in the image */
    uint32_t sections;
};

/* Read those of an image, which must outlive them. False: `why` has the line,
 * nothing is held. An image without any is no mistake: count is 0. */
bool section_notes_open(struct section_notes *m, const struct image *i,
                        char *why, size_t size);
void section_notes_close(struct section_notes *m);

/* The mark at address; NULL: there is none. */
const struct mark *section_notes_find(const struct section_notes *m,
                                      uint32_t address);

/* What a mark costs, in thousandths of a cycle: two loops, one with marks and
 * one without, run on a machine with these parameters in this mode, alone.
 * False: `why` has the line. */
bool section_notes_cost(const struct machine_setup *like, uint64_t *thousandths,
                        char *why, size_t size);

#endif
