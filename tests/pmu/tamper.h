/* tamper.h - forced in front of the files of a machine that is to lie.
 *
 * Renames ev_add behind the back of sim/ and pmu/: the events of one row are
 * dropped, doubled, or added to another row. What follows the clock has no
 * ev_add; there the counter is altered where mfspr reads it. TAMPER_PMU is
 * defined for the files of pmu/, which define what would be renamed.
 */
#ifndef TESTS_PMU_TAMPER_H
#define TESTS_PMU_TAMPER_H

#include "pmu/pmu.h"

enum tamper_kind { TAMPER_NOTHING, TAMPER_REMOVE, TAMPER_DOUBLE, TAMPER_MOVE };

/* What is altered: the twin's only setting, changed between runs. */
struct tamper {
    enum tamper_kind kind;
    int event;
};
extern struct tamper tamper;

static inline void tamper_add(struct ev *ev, enum event id, uint64_t n,
                              cycle_t at)
{
    if ((int)id == tamper.event) {
        if (tamper.kind == TAMPER_REMOVE)
            return;
        if (tamper.kind == TAMPER_DOUBLE)
            n *= 2;
        if (tamper.kind == TAMPER_MOVE)
            id = (enum event)(id ? id - 1 : EV_COUNT - 1);
    }
    ev_add(ev, id, n, at);
}

uint32_t tamper_read(struct pmu *p, unsigned spr, cycle_t now);

#define ev_add(ev, id, n, at) tamper_add(ev, id, n, at)
#ifndef TAMPER_PMU
#define pmu_read(p, spr, now) tamper_read(p, spr, now)
#endif

#endif
