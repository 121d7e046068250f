/* host_unit.h - the host unit of the instrumentation facility (docs/pif.md 1)
 * and what it leaves in the experiment: marks that the command line or the
 * program asked for (sim/observe/mark_request.h) are handed to every processor,
 * and their counts are written down when the run has ended. The guest's, too.
 */
#ifndef SIM_OBSERVE_HOST_UNIT_H
#define SIM_OBSERVE_HOST_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/pif/host_markers.h"
#include "pmu/pif/host_marks.h"
#include "pmu/markspec/perfinst.h"
#include "pmu/pif/widened.h"

struct machine;

struct host_unit {
    const struct perfinst_marks *on; /* NULL: nothing asked for; not owned */
    struct perfinst_word *later;     /* marked while it runs; owned */
    size_t nlater, room;
    struct hostmarks marks;
    struct widened guest, host[2]; /* widened words of both units; the host's of
                                    * instructions and of data */
    struct hostmarkers markers;    /* marker instructions */
};

/* After the processors are made and before they run. False: `why`. */
bool host_unit_start(struct machine *m, const struct perfinst_marks *on,
                     char *why, size_t size);

/* Mark instructions while it runs, between two of everybody's. The host having
 * no memory, it ends. */
void host_unit_mark(struct machine *m, uint32_t at, uint32_t size,
                    uint32_t indicator, uint32_t limit);
/* Such a mark has another limit from now on. */
void host_unit_limit(struct machine *m, uint32_t at, uint32_t limit);

/* The run has ended: every count back to storage, and into the experiment. */
void host_unit_finish(struct machine *m);

void host_unit_free(struct host_unit *t);

#endif
