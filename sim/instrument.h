/* instrument.h - the host unit of the instrumentation facility (docs/pif.md 1)
 * and what it leaves in the experiment: marks that the command line or the
 * program asked for (sim/perfmarks.h) are handed to every processor, and their
 * counts are written down when the run has ended. The guest's, too.
 */
#ifndef SIM_INSTRUMENT_H
#define SIM_INSTRUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/hostmarkers.h"
#include "pmu/hostmarks.h"
#include "pmu/perfinst.h"
#include "pmu/wide.h"

struct machine;

struct instrument {
    const struct perfinst_marks *on; /* NULL: nothing asked for; not owned */
    struct perfinst_word *later;     /* marked while it runs; owned */
    size_t nlater, room;
    struct hostmarks marks;
    struct wide guest, host[2]; /* widened words of both units; the host's of
                                 * instructions and of data */
    struct hostmarkers markers; /* marker instructions */
};

/* After the processors are made and before they run. False: `why`. */
bool instrument_start(struct machine *m, const struct perfinst_marks *on,
                      char *why, size_t size);

/* Mark instructions while it runs, between two of everybody's. The host having
 * no memory, it ends. */
void instrument_mark(struct machine *m, uint32_t at, uint32_t size,
                     uint32_t indicator, uint32_t limit);
/* Such a mark has another limit from now on. */
void instrument_limit(struct machine *m, uint32_t at, uint32_t limit);

/* The run has ended: every count back to storage, and into the experiment. */
void instrument_finish(struct machine *m);

void instrument_free(struct instrument *t);

#endif
