/* carrier.h - where a mark is carried, and its counter: docs/pif.md, sections 3
 * and 5. Private to pmu/.
 */
#ifndef PMU_PIF_CARRIER_H
#define PMU_PIF_CARRIER_H

#include "pmu/pif/pif.h"

static inline unsigned pif_carrier(const struct pif_unit *u)
{
    return (u->mode & PIFM_CA) >> PIFM_CA_SHIFT;
}

/* The mark of the instruction that is about to run: to unit's `at`. */
void carrier_insn(struct pif *p, unsigned unit, const struct pif_insn *i);
/* It ran; the shadow cache may have lost the frame since. */
void carrier_again(struct pif *p, unsigned unit, const struct pif_insn *i);

/* The mark of the word `ahead` bytes from where access a begins. */
void carrier_data(struct pif *p, unsigned unit, struct pif_place *k,
                  const struct pif_access *a, uint32_t ahead, uint32_t context);

/* Not so in blocks of words or bits: nothing is counted there. */
bool carrier_has_counter(const struct pif_place *k);
/* One more, at cycle `at`. Returns what the processor now sees as the
 * count. */
uint32_t carrier_count(struct pif *p, struct pif_unit *u, struct pif_place *k,
                       cycle_t at);
/* n exceedances more. */
void carrier_hit(struct pif_unit *u, struct pif_place *k, uint32_t n);
/* Returns what the count was; the host's is that of all processors. */
uint32_t carrier_clear(struct pif *p, struct pif_unit *u, struct pif_place *k);

#endif
