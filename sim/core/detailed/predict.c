/* predict.c - BHT and BTAC. See predict.h. */
#include "sim/core/detailed/predict.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/snap.h"

#define WEAKLY_NOT_TAKEN 1

static unsigned filter_of(ea_t fetch)
{
    return (fetch >> 2) & (BTAC_FILTER - 1);
}

bool predict_init(struct predictor *p, const struct params *params)
{
    memset(p, 0, sizeof *p);
    p->bht_mask = params->bht_entries - 1;
    p->btac_size = params->btac_entries;
    p->bht = malloc(params->bht_entries);
    p->btac = calloc(p->btac_size, sizeof *p->btac);
    if (!p->bht || !p->btac)
        return false;
    memset(p->bht, WEAKLY_NOT_TAKEN, params->bht_entries);
    return true;
}

void predict_free(struct predictor *p)
{
    free(p->bht);
    free(p->btac);
    p->bht = NULL;
    p->btac = NULL;
}

void predict_flush(struct predictor *p)
{
    memset(p->btac, 0, p->btac_size * sizeof *p->btac);
    memset(p->derived, 0, sizeof p->derived);
}

static struct btac_entry *btac_find(struct predictor *p, ea_t fetch)
{
    unsigned f = filter_of(fetch), i;
    struct btac_entry *e = &p->btac[p->hint[f]];

    if (!p->derived[f])
        return NULL;
    if (e->fetch == fetch && e->used)
        return e;
    for (i = 0; i < p->btac_size; i++)
        if (p->btac[i].fetch == fetch && p->btac[i].used) {
            p->hint[f] = (uint16_t)i;
            return &p->btac[i];
        }
    return NULL;
}

bool predict_target(struct predictor *p, ea_t fetch, ea_t pc, ea_t *target)
{
    struct btac_entry *e = btac_find(p, fetch);

    if (!e || e->pc != pc)
        return false;
    e->used = ++p->stamp;
    *target = e->target;
    return true;
}

bool predict_look(const struct predictor *p, ea_t fetch, ea_t pc, ea_t *target)
{
    const struct btac_entry *e = &p->btac[p->hint[filter_of(fetch)]];

    if (!p->derived[filter_of(fetch)])
        return false;
    if (e->fetch != fetch || !e->used) {
        for (e = p->btac; e < p->btac + p->btac_size; e++)
            if (e->fetch == fetch && e->used)
                break;
        if (e == p->btac + p->btac_size)
            return false;
    }
    *target = e->pc == pc ? e->target : *target;
    return e->pc == pc;
}

bool predict_taken(const struct predictor *p, ea_t pc)
{
    return p->bht[(pc >> 2) & p->bht_mask] >= 2;
}

static void btac_enter(struct predictor *p, ea_t fetch, ea_t pc, ea_t target)
{
    struct btac_entry *e = btac_find(p, fetch), *oldest = p->btac;
    unsigned i;

    if (!e) {
        for (i = 1; i < p->btac_size; i++)
            if (p->btac[i].used < oldest->used)
                oldest = &p->btac[i];
        e = oldest;
        if (e->used)
            p->derived[filter_of(e->fetch)]--;
        p->derived[filter_of(fetch)]++;
        e->fetch = fetch;
    }
    e->pc = pc;
    e->target = target;
    e->used = ++p->stamp;
}

static void btac_drop(struct predictor *p, ea_t fetch, ea_t pc)
{
    struct btac_entry *e = btac_find(p, fetch);

    if (!e || e->pc != pc)
        return;
    e->used = 0;
    p->derived[filter_of(fetch)]--;
}

void predict_teach(struct predictor *p, ea_t fetch, ea_t pc, bool conditional,
                   bool taken, ea_t target)
{
    uint8_t *state = &p->bht[(pc >> 2) & p->bht_mask];

    if (conditional) {
        if (taken && *state < 3)
            (*state)++;
        else if (!taken && *state > 0)
            (*state)--;
        if (*state < 2) {
            btac_drop(p, fetch, pc);
            return;
        }
    }
    if (taken)
        btac_enter(p, fetch, pc, target);
}

bool predict_state(struct snap *s, struct predictor *p)
{
    snap_begin(s, "predictor", 2);
    SNAP_SAME(s, p->bht_mask);
    SNAP_SAME(s, p->btac_size);
    SNAP(s, p->stamp);
    SNAP_SKIP(s, p->bht, "where the host has it; it follows");
    SNAP_MANY(s, p->bht, (size_t)p->bht_mask + 1);
    SNAP_SKIP(s, p->btac, "where the host has it; it follows");
    SNAP_OWNS(s, struct btac_entry, p->btac, p->btac_size);
    for (unsigned n = 0; n < p->btac_size; n++) {
        SNAP(s, p->btac[n].fetch);
        SNAP(s, p->btac[n].pc);
        SNAP(s, p->btac[n].target);
        SNAP(s, p->btac[n].used);
    }
    for (unsigned n = 0; n < BTAC_FILTER; n++) {
        SNAP(s, p->derived[n]);
        SNAP_BELOW(s, p->hint[n], p->btac_size);
    }
    return snap_end(s);
}
