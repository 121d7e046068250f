/* pif_counts.h - what the instrumentation facility counted in a run, of both
 * units, written when it has ended: marks of the guest, ranges, count areas;
 * and what looking the marks up took. Marks of the host: host_unit.h.
 */
#ifndef SIM_OBSERVE_PIF_PIF_COUNTS_H
#define SIM_OBSERVE_PIF_PIF_COUNTS_H

#include "pmu/experiment/experiment.h"
#include "sim/observe/observer.h"

struct host_unit;
struct machine;

struct pif_counts {
    struct machine *machine;      /* not owned, as the next two */
    const struct host_unit *unit; /* open until the run has ended */
    struct experiment *experiment;
    struct observer observer;
};

/* Listen for the end of the run of unit's machine, and write to e. */
void pif_counts_open(struct pif_counts *t, const struct host_unit *unit,
                     struct experiment *e);

/* A record of kind REC_MARK: `kind` is MARK_... of include/record.h. */
void pif_counts_write(struct experiment *e, cycle_t at, uint32_t kind,
                      uint32_t address, uint32_t indicator, uint32_t limit,
                      uint64_t count, uint64_t hits);
/* ... of a program inside, that has this space in the map. */
void pif_counts_write_of(struct experiment *e, cycle_t at, uint32_t space,
                         uint32_t kind, uint32_t address, uint32_t indicator,
                         uint32_t limit, uint64_t count, uint64_t hits);

#endif
