/* host_unit.h - the host unit of the instrumentation facility (docs/pif.md 1)
 * and what it leaves in the experiment: marks that the command line or the
 * program asked for (sim/observe/pif/mark_request.h) are handed to every
 * processor, interrupts of marks are recorded as they come, and these marks'
 * counts when the run has ended.
 */
#ifndef SIM_OBSERVE_PIF_HOST_UNIT_H
#define SIM_OBSERVE_PIF_HOST_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/experiment/experiment.h"
#include "pmu/markspec/perfinst.h"
#include "pmu/pif/host_markers.h"
#include "pmu/pif/host_marks.h"
#include "pmu/pif/widened.h"
#include "sim/observe/observer.h"
#include "sim/tasks/marked.h"

struct machine;

struct host_unit {
    struct machine *machine;         /* not owned */
    struct experiment *experiment;   /* NULL: nothing is recorded; not owned */
    const struct perfinst_marks *on; /* NULL: nothing asked for; not owned */
    const struct marked_files *programs; /* inside; NULL: none; not owned */
    struct perfinst_word *later;         /* marked while it runs; owned */
    size_t nlater, room;
    struct host_marks marks;
    struct widened host[2];      /* widened words, of instructions, of data */
    struct host_markers markers; /* marker instructions */
    struct observer observer;
    /* Set between host_unit_open and the run by who asks for such marks: */
    bool unstopped; /* interrupts in front of a marked instruction (cause 1) are
                     * not recorded */
    bool sparse;    /* nor marks that have not counted */
};

/* Put the marks `on` (NULL: none), those of `programs` that run inside (NULL:
 * none), and those of the program's marker
 * instructions, into the host unit of every processor of m, which have not run.
 * m->names are read. False: `why` has the line; host_unit_close is due all the
 * same. */
bool host_unit_open(struct host_unit *t, struct machine *m,
                    const struct perfinst_marks *on,
                    const struct marked_files *programs, char *why,
                    size_t size);
/* Record in e, not owned, interrupts of marks and traced runs, and at the end
 * the counts of these marks. */
void host_unit_listen(struct host_unit *t, struct experiment *e);
/* Free what is owned; the machine may be gone, and is not touched. */
void host_unit_close(struct host_unit *t);

/* Mark `size` bytes of instructions from `at` on while the machine runs, from
 * an observer's `beat`. The host having no memory, simrun ends. */
void host_unit_mark(struct host_unit *t, uint32_t at, uint32_t size,
                    uint32_t indicator, uint32_t limit);
/* Such a mark has another limit from now on. */
void host_unit_limit(struct host_unit *t, uint32_t at, uint32_t limit);

/* Save or load it: lib/base/snap.h. False: s->why says why. Not when marks were
 * set while it ran. */
struct snap;
bool host_unit_state(struct snap *s, struct host_unit *t);

#endif
