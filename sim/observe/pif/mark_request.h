/* mark_request.h - what the command line and the program itself want marked:
 * simrun --mark, --range, --data-range and the section .perfinst, as words
 * and ranges for the host unit (docs/pif.md, sections 1 and 11).
 *
 * Read before the machine runs, so that the marks are there when the first
 * instruction is fetched. The program's bytes are not touched.
 */
#ifndef SIM_OBSERVE_PIF_MARK_REQUEST_H
#define SIM_OBSERVE_PIF_MARK_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/experiment/experiment.h"
#include "pmu/markspec/perfinst.h"
#include "sim/observe/pif/autoprofile.h"
#include "sim/machine/loader.h"
#include "sim/tasks/marked.h"

#define MARK_REQUEST_SPECS 256

enum mark_request_kind {
    MARK_REQUEST_MARK,
    MARK_REQUEST_RANGE,
    MARK_REQUEST_DATA_RANGE
};

struct mark_request_options {
    unsigned count;
    struct {
        enum mark_request_kind kind;
        const char *text; /* not owned */
    } spec[MARK_REQUEST_SPECS];
    enum autoprofile_kind automatic;
    bool ignore;         /* the program's own section */
    const char *sysroot; /* of the programs inside a Linux kernel; NULL: not
                          * known; not owned */
    struct perfinst_thresholds threshold;
};

/* All zero: none. */
struct mark_requests {
    struct perfinst list;         /* as they were asked for */
    struct perfinst_marks on;     /* what comes of them */
    struct marked_files programs; /* inside a Linux kernel, with their marks */
    unsigned char *section;       /* what .perfinst has, for the guest; owned */
    uint32_t section_size;
    bool asked;   /* by the command line */
    bool carried; /* by the program's marker instructions */
    bool misused; /* not opened, and would not be for any program */
    enum autoprofile_kind automatic;
};

/* Thresholds that the registers' cycles do not add up to become the registers'
 * cycles, in ascending order, if there are no more of them than registers: true
 * then. */
bool mark_request_fit(struct mark_request_options *o);

/* False: why has a line, and below it perhaps a text and the place in it that
 * is wrong. The image may be closed afterwards, the options not. */
bool mark_request_open(struct mark_requests *m,
                       const struct mark_request_options *o,
                       const struct image *i, char *why, size_t size);
void mark_request_close(struct mark_requests *m);

/* The lines `mark` and `range` of the log (include/record.h). */
void mark_request_log(const struct mark_requests *m, struct experiment *e);

#endif
