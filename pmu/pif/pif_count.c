/* pif_count.c - shadow traffic, and reading counts: docs/pif.md, sections 5, 6
 * and 9.
 */
#include "pmu/pif/carrier.h"

void pif_filled(struct pif *p, bool data, unsigned frame, uint32_t pa,
                uint32_t ea)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        struct pif_unit *u = &p->unit[n];

        if (u->on && pif_carrier(u) == PIF_CARRIER_SHADOW &&
            u->mode & (data ? PIFM_DE : PIFM_IE))
            shadow_fill(&u->side[data], frame, pa, ea);
    }
}

void pif_filled_by_search(struct pif *p, unsigned frame, uint32_t pa)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        struct pif_unit *u = &p->unit[n];

        if (!u->on || pif_carrier(u) != PIF_CARRIER_SHADOW ||
            !(u->mode & PIFM_DE))
            continue;
        if (u->source.marks)
            shadow_drop(&u->side[1], frame);
        else
            shadow_fill(&u->side[1], frame, pa, pa);
    }
}

void pif_lost(struct pif *p, bool data, unsigned first, unsigned ways,
              uint32_t pa)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        struct shadow_side *s = &p->unit[n].side[data];

        for (unsigned f = first; s->frame && f < first + ways; f++)
            if (s->frame[f].line == (shadow_line(s->source, pa) | 1))
                shadow_drop(s, f);
    }
}

uint64_t pif_traffic(const struct pif *p)
{
    uint64_t bytes = 0;

    for (unsigned n = 0; n < PIF_UNITS; n++)
        for (unsigned s = 0; s < 2; s++) {
            const struct shadow_stats *t = &p->unit[n].side[s].stats;
            bytes += t->fill_bytes + t->writeback_bytes;
        }
    for (unsigned n = 0; n < PIF_UNITS; n++)
        bytes += p->unit[n].areas.additions * AREA_TRAFFIC;
    return bytes;
}

void pif_sync(struct pif *p)
{
    for (unsigned n = 0; n < p->peers; n++) {
        pif_disturbed(p->peer[n]);
        shadow_gather(&p->peer[n]->unit[PIF_GUEST].side[0]);
        shadow_gather(&p->peer[n]->unit[PIF_GUEST].side[1]);
    }
}

uint32_t pif_count(struct pif *p, uint32_t pa, bool data, bool clear)
{
    struct pif_unit *u = &p->unit[PIF_GUEST];
    struct widened_word *k;
    uint32_t count;

    if (pif_carrier(u) == PIF_CARRIER_WIDE) {
        k = widened_find(u->wide, pa);
        count = k ? k->count : 0;
        if (k && clear)
            k->count = 0;
        return count;
    }
    for (unsigned n = 0; clear && n < p->peers; n++)
        shadow_drop_block(&p->peer[n]->unit[PIF_GUEST].side[data], pa);
    if (!shadow_stored(&u->source, data, pa, &count))
        return 0;
    if (!clear)
        return (count + shadow_own(&u->side[data], pa)) & u->source.counter;
    shadow_store(&u->source, data, pa, 0);
    return count;
}

void pif_gather(struct pif *p, bool data)
{
    pif_disturbed(p);
    for (unsigned n = 0; n < PIF_UNITS; n++)
        shadow_gather(&p->unit[n].side[data]);
}
