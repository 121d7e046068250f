/* page_filter.c - pages of code in which marks have nothing to do. Who executes
 * them in one go (fast mode) need not ask about each instruction.
 *
 * What is known of a page holds until the marks may have changed: a write to
 * the mode or to a segment, pifsync, the host's marks.
 */
#include "pmu/pif/carrier.h"

#include <string.h>

#define PAGE 4096u

/* Is an instruction in this page, or anything else that happens meanwhile, of
 * interest to this unit? */
static bool unit_quiet(const struct pif_unit *u, uint32_t pc, uint32_t pa)
{
    if (!u->on)
        return true;
    if (u->data || pif_carrier(u) != PIF_CARRIER_SHADOW)
        return false;
    if (!u->insns)
        return true;
    return !(u->mode & PIFM_RE) && !u->window && !u->tracing &&
           !u->run.length && shadow_bare(&u->side[0], pa, pc, PAGE);
}

static bool state_quiet(const struct pif *p)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        const struct pif_unit *u = &p->unit[n];

        if (u->on && (u->data || u->window || u->tracing || u->run.length))
            return false;
    }
    return !p->listening && !p->resume && !p->markers &&
           !(p->marker >> MARKER_WORDS);
}

bool pif_quiet(struct pif *p, uint32_t pc, uint32_t pa)
{
    struct pif_page *k = &p->page[pc / PAGE % PIF_PAGES];
    uint32_t page = pc & ~(PAGE - 1), frame = pa & ~(PAGE - 1);
    uint8_t looked = p->unit[0].insns | p->unit[1].insns << 1;

    if (!state_quiet(p))
        return false;
    if (!k->known || k->page != page || k->frame != frame ||
        k->looked != looked) {
        *k = (struct pif_page){.known = true,
                               .looked = looked,
                               .page = page,
                               .frame = frame,
                               .quiet = true};
        for (unsigned n = 0; k->quiet && n < PIF_UNITS; n++)
            k->quiet = unit_quiet(&p->unit[n], page, frame);
    }
    return k->quiet;
}

void pif_quiet_ran(struct pif *p, uint64_t n)
{
    for (unsigned u = 0; u < PIF_UNITS; u++)
        if (p->unit[u].insns) {
            p->unit[u].side[0].stats.lookups += n;
            p->unit[u].side[0].stats.hits += n;
        }
}

void pif_disturbed(struct pif *p)
{
    memset(p->page, 0, sizeof p->page);
}
