/* perfmarks.h - what the command line and the program itself want marked:
 * simrun --mark, --range, --data-range and the section .perfinst, as words
 * and ranges for the host unit (docs/pif.md, sections 1 and 11).
 *
 * Read before the machine runs, so that the marks are there when the first
 * instruction is fetched. The program's bytes are not touched.
 */
#ifndef SIM_PERFMARKS_H
#define SIM_PERFMARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/experiment.h"
#include "pmu/perfinst.h"
#include "sim/autoprofile.h"
#include "sim/loader.h"

#define PERFMARKS_SPECS 256

enum perfmarks_kind { PERFMARKS_MARK, PERFMARKS_RANGE, PERFMARKS_DATA_RANGE };

struct perfmarks_options {
    unsigned count;
    struct {
        enum perfmarks_kind kind;
        const char *text; /* not owned */
    } spec[PERFMARKS_SPECS];
    enum autoprofile_kind automatic;
    bool ignore; /* the program's own section */
    struct perfinst_thresholds threshold;
};

/* All zero: none. */
struct perfmarks {
    struct perfinst list;     /* as they were asked for */
    struct perfinst_marks on; /* what comes of them */
    unsigned char *section;   /* what .perfinst has, for the guest; owned */
    uint32_t section_size;
    bool asked;   /* by the command line */
    bool carried; /* by the program's marker instructions */
    bool misused; /* not opened, and would not be for any program */
    enum autoprofile_kind automatic;
};

/* Thresholds that the registers' cycles do not add up to become the registers'
 * cycles, in ascending order, if there are no more of them than registers: true
 * then. */
bool perfmarks_fit(struct perfmarks_options *o);

/* False: why has a line, and below it perhaps a text and the place in it that
 * is wrong. The image may be closed afterwards, the options not. */
bool perfmarks_open(struct perfmarks *m, const struct perfmarks_options *o,
                    const struct image *i, char *why, size_t size);
void perfmarks_close(struct perfmarks *m);

/* The lines `mark` and `range` of the log (pmu/record.h). */
void perfmarks_log(const struct perfmarks *m, struct experiment *e);

#endif
