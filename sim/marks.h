<<<<<<< HEAD
/* marks.h - the sections that a program marks itself (guest/lib/section.h):
 * its notes in the ELF file, and the measured cost of a
 * mark. Knows files and, for the cost, a machine of its own; sees no run.
=======
/* marks.h - what the command line and the program itself want marked:
 * simrun --mark, --range, --data-range and the section .perfinst, as words
 * and ranges for the host unit (docs/pif.md, sections 1 and 11).
 *
 * Read before the machine runs, so that the marks are there when the first
 * instruction is fetched. The program's bytes are not touched.
>>>>>>> 4f61e5b (pmu: marks in files and in words, simmark, simrun --mark)
 */
#ifndef SIM_MARKS_H
#define SIM_MARKS_H

#include <stdbool.h>
#include <stddef.h>
<<<<<<< HEAD
#include <stdint.h>

#include "sim/machine.h"

/* As guest/lib/section.h, which includes nothing, has them too. */
#define MARK_NOTE ".note.simrun"
#define MARK_BEGIN 1
#define MARK_END 2
#define MARK_WORD 0x0C015300 /* twi 0,r1,0x5300; plus one of the above */

struct mark {
    uint32_t address, section; /* section: its number, from 1 */
    bool begins;
};

struct marks {
    struct mark *list; /* by address */
    size_t count;
    const char **name; /* of section n, at n - 1; in the image */
    uint32_t sections;
};

/* Read those of an image, which must outlive them. False: `why` has the line,
 * nothing is held. An image without any is no mistake: count is 0. */
bool marks_open(struct marks *m, const struct image *i, char *why, size_t size);
void marks_close(struct marks *m);

/* The mark at address; NULL: there is none. */
const struct mark *marks_find(const struct marks *m, uint32_t address);

/* What a mark costs, in thousandths of a cycle: two loops, one with marks and
 * one without, run on a machine with these parameters in this mode, alone.
 * False: `why` has the line. */
bool marks_cost(const struct machine_setup *like, uint64_t *thousandths,
                char *why, size_t size);
=======

#include "pmu/experiment.h"
#include "pmu/perfinst.h"
#include "sim/loader.h"

#define MARKS_SPECS 256

enum marks_kind { MARKS_MARK, MARKS_RANGE, MARKS_DATA_RANGE };

struct marks_options {
    unsigned count;
    struct {
        enum marks_kind kind;
        const char *text; /* not owned */
    } spec[MARKS_SPECS];
    bool ignore; /* the program's own section */
};

/* All zero: none. The hardware gets every word of `on` by
 *   bool pif_host_mark(struct pif_host *h, uint32_t ea, uint32_t indicator,
 *                      uint32_t limit, bool data);
 * and every range, numbered from 0 by kind, by
 *   bool pif_host_range(struct pif_host *h, unsigned n, uint32_t lo,
 *                       uint32_t hi, bool data); */
struct marks {
    struct perfinst list;     /* as they were asked for */
    struct perfinst_marks on; /* what comes of them */
    bool asked;               /* by the command line */
};

/* False: why has a line, and below it perhaps a text and the place in it that
 * is wrong. The image may be closed afterwards, the options not. */
bool marks_open(struct marks *m, const struct marks_options *o,
                const struct image *i, char *why, size_t size);
void marks_close(struct marks *m);

/* The lines `mark` and `range` of the log (pmu/record.h). */
void marks_log(const struct marks *m, struct experiment *e);
>>>>>>> 4f61e5b (pmu: marks in files and in words, simmark, simrun --mark)

#endif
