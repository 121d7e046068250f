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
#include <stdint.h>

#include "isa/types.h"
#include "sim/config/config.h"

struct btac_entry {
    ea_t fetch; /* asked with this */
    ea_t pc, target;
    uint64_t used; /* 0: free */
};

#define BTAC_FILTER 1024

struct predictor {
    unsigned bht_mask, btac_size;
    uint64_t stamp;
    uint8_t *bht;                  /* 0-1 not taken, 2-3 taken; owned */
    struct btac_entry *btac;       /* owned */
    uint16_t derived[BTAC_FILTER]; /* entries per hash: 0 is surely absent */
    uint16_t hint[BTAC_FILTER];    /* where the last one of a hash was found */
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
/* The BTAC's target for the branch at pc, in the fetch that began at `fetch`;
 * false: none. */
bool predict_target(struct predictor *p, ea_t fetch, ea_t pc, ea_t *target);
/* The same, as a look that the BTAC does not notice. */
bool predict_look(const struct predictor *p, ea_t fetch, ea_t pc, ea_t *target);
/* The BHT's direction for the branch at pc. */
bool predict_taken(const struct predictor *p, ea_t pc);
/* The branch at pc, fetched in the group that began at `fetch`, completed.
 * Conditional ones move the BHT; taken ones enter the BTAC, in place of what
 * that fetch had; an entry leaves when the BHT now says not taken. */
void predict_teach(struct predictor *p, ea_t fetch, ea_t pc, bool conditional,
                   bool taken, ea_t target);

/* As predict_target and then predict_teach of the same branch, where that is
 * short: it is taken, and the entry found last for such a fetch is its own; or
 * it is not, and the fetch has no entry. False: nothing was done. */
static inline bool predict_followed(struct predictor *p, ea_t fetch, ea_t pc,
                                    bool conditional, bool taken, ea_t target)
{
    unsigned f = (fetch >> 2) & (BTAC_FILTER - 1);
    struct btac_entry *e = &p->btac[p->hint[f]];
    uint8_t *state = &p->bht[(pc >> 2) & p->bht_mask];

    if (!taken) {
        if (p->derived[f])
            return false;
        if (conditional && *state > 0)
            (*state)--;
        return true;
    }
    if (e->fetch != fetch || e->pc != pc || !e->used ||
        (conditional && *state == 0))
        return false;
    if (conditional && *state < 3)
        (*state)++;
    e->target = target;
    e->used = p->stamp += 2;
    return true;
}

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool predict_state(struct snap *s, struct predictor *p);

#endif
