/* ahead.c - see ahead.h. */
#include "pmu/pif/ahead.h"

#include "pmu/pif/carrier.h"

bool pif_steady(const struct pif *p)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        const struct pif_unit *u = &p->unit[n];

        if (u->on && (pif_carrier(u) != PIF_CARRIER_SHADOW || u->pool.frames ||
                      u->tracing || u->run.length || u->areas.any))
            return false;
    }
    return !p->resume && !p->latch.full && !p->wants && !p->markers &&
           !(p->marker >> MARKER_WORDS);
}

/* The instructions from pc up to `end` ran, one after the other. */
static void range_passed(struct pif_range *r, uint64_t pc, uint64_t end)
{
    uint64_t low = r->low > pc ? ((uint64_t)r->low + 3) & ~3ull : pc;
    uint64_t high = r->high < end ? ((uint64_t)r->high + 3) & ~3ull : end;

    if (!r->on || r->low >= r->high || low >= high) {
        r->inside = false;
        return;
    }
    r->executed += (high - low) / 4;
    r->entries += low > pc || !r->inside;
    r->inside = high == end;
}

void pif_ranges(struct pif *p, uint32_t pc, unsigned n)
{
    for (unsigned k = 0; k < PIF_UNITS; k++) {
        struct pif_unit *u = &p->unit[k];

        if (!u->insns || !(u->mode & PIFM_RE))
            continue;
        for (unsigned r = 0; r < PIF_RANGES; r++)
            range_passed(&u->range[r], pc, pc + 4 * (uint64_t)n);
    }
}

/* The words of a, each once: how many. */
static unsigned words(const struct pif_access *a)
{
    return (a->ea + a->size - (a->ea & ~3u) + 3) / 4;
}

enum pif_ahead pif_data_ahead(const struct pif *p, const struct pif_access *a,
                              uint32_t context)
{
    uint32_t ahead = 0 - (a->ea & 3);
    enum pif_ahead most = PIF_BARE;

    for (unsigned w = words(a); w; w--, ahead += 4)
        for (unsigned n = 0; n < PIF_UNITS; n++) {
            const struct pif_unit *u = &p->unit[n];
            enum pif_ahead one;

            if (!u->data)
                continue;
            one = pif_word_ahead(&u->side[1], a->frame, a->pa + ahead,
                                 a->ea + ahead, context);
            if (one == PIF_TALLIES || (one == PIF_BARE && u->mode & PIFM_RE))
                one = PIF_COUNTS;
            most = one > most ? one : most;
        }
    return most;
}

void pif_tally(struct pif *p, unsigned frame, uint32_t pa, uint32_t context,
               cycle_t at)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        struct pif_unit *u = &p->unit[n];
        struct shadow_frame *f;
        unsigned word;

        if (!u->insns) /* it may have no frames */
            continue;
        f = &u->side[0].frame[frame];
        word = shadow_word(&u->source, pa);
        if (f->format != SHADOW_NONE &&
            (!f->context || f->context == context) && f->indicator[word])
            shadow_count(&u->side[0], f, word, at);
    }
}

void pif_data_bare_ran(struct pif *p, const struct pif_access *a)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        struct shadow_stats *s = &p->unit[n].side[1].stats;

        if (!p->unit[n].data)
            continue;
        s->lookups += words(a);
        s->hits += words(a);
    }
}
