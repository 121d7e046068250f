/* predict.h - branch history table and branch target address cache.
 * Guesses directions and targets; never knows the truth until it is taught.
 * 604 UM p.35: BHT 512 x 2 bits, BTAC 64 entries, fully associative.
 *
 * APPROX: index EA[21-29], every counter weakly not taken at first, the BTAC
 * replaced by least use and without branches that the BHT thinks not taken. A
 * branch teaches both as soon as it is timed, so that the next one, fetched
 * before it executes on the chip, is guessed by what it taught. Source: no
 * page. Cost: teaching at completion instead moved tests/bench/work.c by
 * nothing and the guest's transactions by 21 cycles in 915,301.
 *
 * The BTAC is asked with the address of the fetch, that of its first
 * instruction, which knows of no branch yet (604 UM p.250). So it has one
 * target a fetch, and a branch that is reached through several fetches has to
 * be learnt by each.
 *
 * APPROX: an entry remembers whose target it has, and is no answer for another
 * branch of the same fetch, nor for one that ends before that branch. Source: a
 * choice. Cost: the chip follows the target and has decode correct it: a bubble
 * each time.
 */
#ifndef SIM_CORE_DETAILED_PREDICT_H
#define SIM_CORE_DETAILED_PREDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/types.h"
#include "sim/config/config.h"

struct btac_entry {
    ea_t fetch; /* asked with this */
    ea_t pc, target;
    uint64_t used; /* 0: free */
};

#define BTAC_FILTER 1024

/* When entry `at` was used. */
struct btac_use {
    uint64_t used;
    unsigned at;
};

struct predictor {
    unsigned bht_mask, btac_size;
    uint64_t stamp;
    uint8_t *bht;                  /* 0-1 not taken, 2-3 taken; owned */
    struct btac_entry *btac;       /* owned */
    uint16_t derived[BTAC_FILTER]; /* entries per hash: 0 is surely absent */
    uint16_t hint[BTAC_FILTER];    /* where the last one of a hash was found */
    uint16_t second[BTAC_FILTER];  /* where another one was, before */
    unsigned unused;               /* entries that are free */
    /* All entries in the order in which they were used, as it was once; owned.
     * From `next` on, those that have not been used since are the oldest. */
    struct btac_use *order;
    unsigned next;
};

/* What each stage believed of a branch. Addresses of the next instruction. */
struct prediction {
    ea_t at_fetch, at_decode, at_dispatch;
    bool btac;  /* the target came from the BTAC */
    bool taken; /* the direction, as decode has it */
    bool known; /* condition and target were known at dispatch */
};

bool predict_init(struct predictor *p, const struct params *params);
void predict_free(struct predictor *p);
/* Forget the BTAC (HID0[BTCD]). */
void predict_flush(struct predictor *p);
/* The same, as a look that the BTAC does not notice. */
bool predict_look(const struct predictor *p, ea_t fetch, ea_t pc, ea_t *target);
/* What predict_entry and predict_teach leave to be done out of the way: all
 * entries are looked through; an entry is made for `fetch`, in place of the one
 * used longest ago; that of the branch at pc leaves, if there is one. */
struct btac_entry *predict_search(struct predictor *p, ea_t fetch);
struct btac_entry *predict_displace(struct predictor *p, ea_t fetch);
void predict_drop(struct predictor *p, ea_t fetch, ea_t pc);

static inline unsigned predict_filter(ea_t fetch)
{
    return (fetch >> 2) & (BTAC_FILTER - 1);
}

/* There is surely no entry for fetches of hash f but e, its hint: none has that
 * hash, or one, which is e. */
static inline bool predict_no_other(const struct predictor *p, unsigned f,
                                    const struct btac_entry *e)
{
    return !p->derived[f] ||
           (p->derived[f] == 1 && e->used && predict_filter(e->fetch) == f);
}

/* The BTAC's entry for the fetch that began at `fetch`; NULL: none. */
static inline struct btac_entry *predict_entry(struct predictor *p, ea_t fetch)
{
    unsigned f = predict_filter(fetch);
    struct btac_entry *e = &p->btac[p->hint[f]];

    if (!p->derived[f] || (e->fetch != fetch && predict_no_other(p, f, e)))
        return NULL;
    return e->fetch == fetch && e->used ? e : predict_search(p, fetch);
}

/* The BTAC's target for the branch at pc, in the fetch that began at `fetch`;
 * false: none. */
static inline bool predict_target(struct predictor *p, ea_t fetch, ea_t pc,
                                  ea_t *target)
{
    struct btac_entry *e = predict_entry(p, fetch);

    if (!e || e->pc != pc)
        return false;
    e->used = ++p->stamp;
    *target = e->target;
    return true;
}

/* The BHT's direction for the branch at pc. */
static inline bool predict_taken(const struct predictor *p, ea_t pc)
{
    return p->bht[(pc >> 2) & p->bht_mask] >= 2;
}

/* The branch at pc, fetched in the group that began at `fetch`, completed.
 * Conditional ones move the BHT; taken ones enter the BTAC, in place of what
 * that fetch had; an entry leaves when the BHT now says not taken. */
static inline void predict_teach(struct predictor *p, ea_t fetch, ea_t pc,
                                 bool conditional, bool taken, ea_t target)
{
    uint8_t *state = &p->bht[(pc >> 2) & p->bht_mask];
    struct btac_entry *e;

    if (conditional) {
        if (taken && *state < 3)
            (*state)++;
        else if (!taken && *state > 0)
            (*state)--;
        if (*state < 2) {
            if (p->derived[predict_filter(fetch)])
                predict_drop(p, fetch, pc);
            return;
        }
    }
    if (!taken)
        return;
    e = predict_entry(p, fetch);
    if (!e)
        e = predict_displace(p, fetch);
    e->pc = pc;
    e->target = target;
    e->used = ++p->stamp;
}

/* The entry found last for fetches of the hash of `fetch`; and is it that of
 * the branch at pc? */
static inline struct btac_entry *predict_hinted(const struct predictor *p,
                                                ea_t fetch)
{
    return &p->btac[p->hint[predict_filter(fetch)]];
}

static inline bool predict_own(const struct predictor *p, ea_t fetch, ea_t pc)
{
    const struct btac_entry *e = predict_hinted(p, fetch);

    return e->fetch == fetch && e->used && e->pc == pc;
}

/* Where the predictor has what it knows of a branch. */
struct predict_place {
    const uint16_t *hint; /* of the hash of its fetch */
    uint16_t *derived;    /* ... */
    uint8_t *state;       /* its BHT entry */
};

static inline struct predict_place predict_placed(struct predictor *p,
                                                  ea_t fetch, ea_t pc)
{
    unsigned f = predict_filter(fetch);

    return (struct predict_place){&p->hint[f], &p->derived[f],
                                  &p->bht[(pc >> 2) & p->bht_mask]};
}

/* As predict_target and then predict_teach of the same branch, which is found
 * at `at`, where that is short: the entry found last for such a fetch is its
 * own, or it has none and needs none. False: nothing was done. */
static inline bool predict_followed(struct predictor *p,
                                    struct predict_place at, ea_t fetch,
                                    ea_t pc, bool conditional, bool taken,
                                    ea_t target)
{
    struct btac_entry *e = &p->btac[*at.hint];
    uint8_t now = *at.state;
    ea_t other = e->fetch ^ fetch;
    bool found = other == 0 && e->used;
    bool against; /* the BHT now says not taken */

    if (conditional)
        now = (uint8_t)(taken ? now + (now < 3) : now - (now > 0));
    against = conditional && now < 2;
    if (found && e->pc == pc) {
        e->used = ++p->stamp;
        if (against) {
            e->used = 0;
            --*at.derived;
            p->unused++;
        }
    } else if (!found) {
        if (taken && !against)
            return false;
        if (*at.derived &&
            (*at.derived > 1 || !e->used || predict_filter(other)))
            return false;
    }
    if (conditional)
        *at.state = now;
    if (taken && !against) {
        e->pc = pc;
        e->target = target;
        e->used = ++p->stamp;
    }
    return true;
}

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool predict_state(struct snap *s, struct predictor *p);

#endif
