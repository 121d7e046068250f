/* area.h - count areas of one unit: docs/pif.md, section 15. Private to pmu/
 * but for struct area, which the programmer of a unit fills.
 */
#ifndef PMU_PIF_AREA_H
#define PMU_PIF_AREA_H

#include <stdbool.h>
#include <stdint.h>

#include "include/mark_bits.h"

struct pif_access; /* pmu/pif/pif.h */

/* One descriptor. Granularity and count units are powers of two. */
struct area {
    bool on;
    uint32_t start, bytes; /* of the data, effective; bytes 0: none */
    uint32_t at;           /* where the count units are, effective */
    unsigned granule, unit;
    uint64_t added, lost;
};

/* Where the count unit of `size` bytes at ea is to be added to; the caller is
 * about to store there. NULL: no store could be made there. */
struct area_port {
    uint8_t *(*reach)(void *arg, unsigned unit, uint32_t ea, unsigned size);
    void *arg;
};

struct areas {
    struct area area[PIF_AREAS];
    bool any;           /* one of them is on */
    uint64_t additions; /* all told, for their traffic */
};

/* An instruction made n accesses: one more in each count unit whose granule
 * they touched. `unit`: whose areas, for the port. */
void areas_count(struct areas *s, const struct area_port *port, unsigned unit,
                 const struct pif_access *a, unsigned n);

/* Something was switched on or off. */
void areas_refresh(struct areas *s);

/* Is it a granularity, or a unit, that there is? */
bool area_has(unsigned granule, unsigned unit);
/* How many count units it has. */
uint32_t area_units(const struct area *k);

/* PIFAC */
uint32_t area_control(const struct area *k);
void area_set_control(struct area *k, uint32_t value);

uint32_t area_get(const uint8_t *at, unsigned size);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool areas_state(struct snap *s, struct areas *k);

#endif
