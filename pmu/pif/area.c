/* area.c - see area.h: which granules an instruction touched, and the count
 * units that grow for it. Where memory is, others know.
 */
#include "pmu/pif/area.h"

#include "pmu/pif/pif.h"

#include "lib/base/snap.h"

#define GRANULE_MAX 4096u
#define UNIT_MAX 4u

bool area_has(unsigned granule, unsigned unit)
{
    return granule && unit && !(granule & (granule - 1)) &&
           !(unit & (unit - 1)) && granule <= GRANULE_MAX && unit <= UNIT_MAX;
}

uint32_t area_units(const struct area *k)
{
    return (uint32_t)(((uint64_t)k->bytes + k->granule - 1) / k->granule);
}

/* ---- a unit in memory ---------------------------------------------------- */

uint32_t area_get(const uint8_t *at, unsigned size)
{
    uint32_t value = 0;

    while (size--)
        value = value << 8 | *at++;
    return value;
}

/* n more in a unit of big-endian bytes, which stays at its largest value: as
 * many as fitted. */
static uint32_t area_add(uint8_t *at, unsigned size, uint32_t n)
{
    uint32_t value = area_get(at, size);
    uint32_t most = (UINT32_MAX >> (32 - 8 * size)) - value;

    if (n > most)
        n = most;
    value += n;
    while (size--) {
        at[size] = (uint8_t)value;
        value >>= 8;
    }
    return n;
}

/* ---- what an instruction touched ----------------------------------------- */

static void count(struct areas *s, struct area *k, const struct area_port *port,
                  unsigned unit, uint32_t granule)
{
    uint32_t ea = (k->at & ~(k->unit - 1)) + granule * k->unit;
    uint8_t *at = port->reach(port->arg, unit, ea, k->unit);

    s->additions++;
    if (at && area_add(at, k->unit, 1))
        k->added++;
    else
        k->lost++;
}

/* Accesses of an instruction come by address, so that a granule of several is
 * the one before. */
static void count_one(struct areas *s, struct area *k,
                      const struct area_port *port, unsigned unit,
                      const struct pif_access *a, unsigned n)
{
    uint64_t begin = k->start, end = begin + k->bytes, last = UINT64_MAX;

    for (; n; n--, a++) {
        uint64_t first = a->ea, behind = first + a->size;

        if (first >= end || behind <= begin)
            continue;
        first = ((first > begin ? first : begin) - begin) / k->granule;
        behind = ((behind < end ? behind : end) - 1 - begin) / k->granule + 1;
        for (first += first == last; first < behind; first++)
            count(s, k, port, unit, (uint32_t)first);
        last = behind - 1;
    }
}

void areas_count(struct areas *s, const struct area_port *port, unsigned unit,
                 const struct pif_access *a, unsigned n)
{
    for (unsigned k = 0; s->any && n && k < PIF_AREAS; k++)
        if (s->area[k].on)
            count_one(s, &s->area[k], port, unit, a, n);
}

void areas_refresh(struct areas *s)
{
    s->any = false;
    for (unsigned k = 0; k < PIF_AREAS; k++)
        s->any |= s->area[k].on;
}

/* ---- the register -------------------------------------------------------- */

uint32_t area_control(const struct area *k)
{
    unsigned granule = 0, unit = 0;

    while (1u << granule < k->granule)
        granule++;
    while (1u << unit < k->unit)
        unit++;
    return (k->on ? PIFAC_ON : 0) | granule << PIFAC_GRANULE_SHIFT | unit;
}

void area_set_control(struct area *k, uint32_t value)
{
    k->granule = 1u << ((value & PIFAC_GRANULE) >> PIFAC_GRANULE_SHIFT);
    k->unit = 1u << (value & PIFAC_UNIT);
    k->on = value & PIFAC_ON && area_has(k->granule, k->unit);
}

/* ---- save and load -------------------------------------------------------
 */

bool areas_state(struct snap *s, struct areas *k)
{
    snap_begin(s, "areas", 1);
    for (unsigned n = 0; n < PIF_AREAS; n++) {
        struct area *a = &k->area[n];

        SNAP(s, a->on);
        SNAP(s, a->start);
        SNAP(s, a->bytes);
        SNAP(s, a->at);
        SNAP(s, a->granule);
        SNAP(s, a->unit);
        if (!area_has(a->granule, a->unit))
            snap_refuse(s, "there is no such granularity or unit: damaged");
        SNAP(s, a->added);
        SNAP(s, a->lost);
    }
    SNAP(s, k->any);
    SNAP(s, k->additions);
    return snap_end(s);
}
