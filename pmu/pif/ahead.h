/* ahead.h - what the facility would do about an instruction that is still to
 * run, for a core that knows what the instruction costs and tells the facility
 * no more than it needs (sim/core/detailed/memo/heard.c).
 */
#ifndef PMU_PIF_AHEAD_H
#define PMU_PIF_AHEAD_H

#include "pmu/pif/pif.h"

enum pif_ahead {
    PIF_BARE,    /* lookups and ranges, which count: pif_bare_ran, pif_ranges */
    PIF_TALLIES, /* ... and a mark in shadow storage: pif_tally as well */
    PIF_COUNTS,  /* pif_before and pif_done are to be called, and count */
    PIF_ACTS     /* ... and something else may come of that: a report, an
                    exception, traffic of shadow storage */
};

/* What a mark may say that comes to more than counts, windows and filters. */
#define IND_ACTS (IND_EXC | IND_LIMIT | IND_TSTART | IND_TSTOP | IND_THEXC)

/* Of every instruction, until a register, the state of MSR or the marks change:
 * none needs more than the functions below say. */
bool pif_steady(const struct pif *p);

/* Does a line that comes into the data cache bring shadow storage along? If
 * not, it may come before marks hear of the instructions in front of it. */
static inline bool pif_fills_data(const struct pif *p)
{
    for (unsigned n = 0; n < PIF_UNITS; n++)
        if (p->unit[n].on && p->unit[n].mode & PIFM_DE)
            return true;
    return false;
}

/* Of the frame of `side` that the block of pa, at effective address ea, is
 * looked up in, and of the word there. */
static inline enum pif_ahead pif_word_ahead(const struct shadow_side *side,
                                            unsigned frame, uint32_t pa,
                                            uint32_t ea, uint32_t context)
{
    const struct shadow_frame *f = &side->frame[frame];
    uint32_t what;

    if (frame == side->frames || !shadow_holds(side, f, pa, ea))
        return PIF_ACTS;
    if (f->format == SHADOW_NONE || (f->context && f->context != context))
        return PIF_BARE;
    what = f->indicator[shadow_word(side->source, pa)];
    if (what & IND_ACTS)
        return PIF_ACTS;
    if (what == IND_COUNT)
        return PIF_TALLIES;
    return what ? PIF_COUNTS : PIF_BARE;
}

/* Of the instruction at pc, apart from its accesses. */
static inline enum pif_ahead pif_insn_ahead(const struct pif *p, unsigned frame,
                                            uint32_t pa, uint32_t pc,
                                            uint32_t context)
{
    enum pif_ahead most = PIF_BARE;

    for (unsigned n = 0; n < PIF_UNITS; n++) {
        const struct pif_unit *u = &p->unit[n];
        enum pif_ahead one;

        if (!u->insns)
            continue;
        one = pif_word_ahead(&u->side[0], frame, pa, pc, context);
        most = one > most ? one : most;
    }
    if (most == PIF_TALLIES && p->with.global_limits)
        return PIF_COUNTS;
    return most;
}

/* Of its access a; never PIF_TALLIES. */
enum pif_ahead pif_data_ahead(const struct pif *p, const struct pif_access *a,
                              uint32_t context);

/* While this stays what it was, and so do context, units that look instructions
 * up and the instruction cache's lines, answers do. */
static inline uint64_t pif_changes(const struct pif *p)
{
    uint64_t sum = 0;

    for (unsigned n = 0; n < PIF_UNITS; n++)
        sum += p->unit[n].side[0].changes;
    return sum;
}

/* Units, a bit each, that count the ranges which instructions lie in. */
static inline unsigned pif_ranging(const struct pif *p)
{
    unsigned units = 0;

    for (unsigned n = 0; n < PIF_UNITS; n++)
        units |= (unsigned)(p->unit[n].insns && p->unit[n].mode & PIFM_RE) << n;
    return units;
}

/* Instead of pif_before and pif_done: `ran` that are at most PIF_TALLIES ran;
 * and access a of one of them was made, which is PIF_BARE. */
static inline void pif_bare_ran(struct pif *p, unsigned ran)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        struct pif_unit *u = &p->unit[n];

        if (!u->insns)
            continue;
        u->side[0].stats.lookups += ran;
        u->side[0].stats.hits += ran;
        u->windowed += u->window ? ran : 0;
    }
}
/* ... of those `n` from pc on followed each other in memory, while units are
 * pif_ranging. */
void pif_ranges(struct pif *p, uint32_t pc, unsigned n);
/* ... the one in `frame`, at pa, which completed in cycle `at`, is PIF_TALLIES.
 */
void pif_tally(struct pif *p, unsigned frame, uint32_t pa, uint32_t context,
               cycle_t at);
void pif_data_bare_ran(struct pif *p, const struct pif_access *a);

/* ---- the account of sampled instructions --------------------------------- */
/* Inline: a core asks as often as it asks for anything. */

static inline bool sampled_host_counts(const struct sampled *s, bool user)
{
    return s->host.on &&
           s->host.states & (user ? SAMPLED_IN_USER : SAMPLED_IN_KERNEL);
}

static inline bool sampled_guest_counts(const struct sampled *s, bool user)
{
    return s->guest.on && s->control & (user ? SIC_US : SIC_SU) &&
           !(s->flags & SIF_VALID);
}

static inline uint32_t sampler_ahead(const struct sampler *k)
{
    return k->left ? k->left - 1 : 0;
}

/* So many may be dispatched, in user state or not, before one is followed. */
static inline uint32_t sampled_ahead(const struct sampled *s, bool user)
{
    uint32_t n = UINT32_MAX;

    if (sampled_host_counts(s, user))
        n = sampler_ahead(&s->host);
    if (sampled_guest_counts(s, user) && sampler_ahead(&s->guest) < n)
        n = sampler_ahead(&s->guest);
    return n;
}

/* Of the next `n` that are dispatched none is followed but the last, and that
 * by the host's sampler alone. */
static inline bool sampled_last(const struct sampled *s, bool user, uint32_t n)
{
    return sampled_host_counts(s, user) && sampler_ahead(&s->host) + 1 == n &&
           (!sampled_guest_counts(s, user) || sampler_ahead(&s->guest) >= n);
}

static inline void sampler_passed(struct sampler *k, uint32_t n)
{
    k->passed += n;
    k->left -= n;
}

/* So many have been. */
static inline void sampled_passed(struct sampled *s, bool user, uint32_t n)
{
    if (sampled_host_counts(s, user))
        sampler_passed(&s->host, n);
    if (sampled_guest_counts(s, user))
        sampler_passed(&s->guest, n);
}

#endif
