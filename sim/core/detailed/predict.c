/* predict.c - BHT and BTAC. See predict.h. */
#include "sim/core/detailed/predict.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/snap.h"

#define WEAKLY_NOT_TAKEN 1

bool predict_init(struct predictor *p, const struct params *params)
{
    memset(p, 0, sizeof *p);
    p->bht_mask = params->bht_entries - 1;
    p->btac_size = params->btac_entries;
    p->bht = malloc(params->bht_entries);
    p->btac = calloc(p->btac_size, sizeof *p->btac);
    p->order = calloc(p->btac_size, sizeof *p->order);
    if (!p->bht || !p->btac || !p->order)
        return false;
    for (unsigned n = 0; n < p->btac_size; n++)
        p->order[n].at = n;
    p->next = p->btac_size;
    memset(p->bht, WEAKLY_NOT_TAKEN, params->bht_entries);
    p->unused = p->btac_size;
    return true;
}

void predict_free(struct predictor *p)
{
    free(p->bht);
    free(p->btac);
    free(p->order);
    p->bht = NULL;
    p->btac = NULL;
    p->order = NULL;
}

void predict_flush(struct predictor *p)
{
    memset(p->btac, 0, p->btac_size * sizeof *p->btac);
    memset(p->derived, 0, sizeof p->derived);
    p->unused = p->btac_size;
}

/* Entry number `at`, of hash f, is now the one that was found last. */
static void found(struct predictor *p, unsigned f, unsigned at)
{
    p->second[f] = p->hint[f];
    p->hint[f] = (uint16_t)at;
}

static bool of_hash(const struct btac_entry *e, unsigned f)
{
    return e->used && predict_filter(e->fetch) == f;
}

struct btac_entry *predict_search(struct predictor *p, ea_t fetch)
{
    unsigned f = predict_filter(fetch);
    struct btac_entry *e = &p->btac[p->second[f]];

    if (e->fetch == fetch && e->used) {
        found(p, f, p->second[f]);
        return e;
    }
    /* Two have that hash, and none is of that fetch. */
    if (p->derived[f] == 2 && p->hint[f] != p->second[f] && of_hash(e, f) &&
        of_hash(&p->btac[p->hint[f]], f) && p->btac[p->hint[f]].fetch != fetch)
        return NULL;
    for (unsigned i = 0; i < p->btac_size; i++)
        if (p->btac[i].fetch == fetch && p->btac[i].used) {
            found(p, f, i);
            return &p->btac[i];
        }
    return NULL;
}

bool predict_look(const struct predictor *p, ea_t fetch, ea_t pc, ea_t *target)
{
    const struct btac_entry *e = &p->btac[p->hint[predict_filter(fetch)]];

    if (!p->derived[predict_filter(fetch)] ||
        (e->fetch != fetch && predict_no_other(p, predict_filter(fetch), e)))
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

/* The order of now. It is mostly near that of before: code runs again. */
static void put_in_order(struct predictor *p)
{
    for (unsigned n = 0; n < p->btac_size; n++) {
        struct btac_use is = {p->btac[p->order[n].at].used, p->order[n].at};
        struct btac_use *to = p->order + n;

        for (; to > p->order && to[-1].used > is.used; to--)
            *to = to[-1];
        *to = is;
    }
    p->next = 0;
}

/* The one used longest ago; a free one was never. */
static unsigned oldest(struct predictor *p)
{
    for (unsigned i = 0; p->unused && i < p->btac_size; i++)
        if (!p->btac[i].used) {
            p->unused--;
            return i;
        }
    for (;; put_in_order(p))
        while (p->next < p->btac_size) {
            const struct btac_use *first = &p->order[p->next++];

            if (p->btac[first->at].used == first->used)
                return first->at;
        }
}

struct btac_entry *predict_displace(struct predictor *p, ea_t fetch)
{
    unsigned at = oldest(p), f = predict_filter(fetch);
    struct btac_entry *e = &p->btac[at];

    if (e->used)
        p->derived[predict_filter(e->fetch)]--;
    p->derived[f]++;
    found(p, f, at);
    e->fetch = fetch;
    return e;
}

void predict_drop(struct predictor *p, ea_t fetch, ea_t pc)
{
    struct btac_entry *e = predict_entry(p, fetch);

    if (!e || e->pc != pc)
        return;
    e->used = 0;
    p->derived[predict_filter(fetch)]--;
    p->unused++;
}

/* What follows from the entries. */
static void look_anew(struct predictor *p)
{
    p->next = p->btac_size;
    memset(p->second, 0, sizeof p->second);
    p->unused = 0;
    for (unsigned n = 0; n < p->btac_size; n++)
        p->unused += !p->btac[n].used;
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
    SNAP_SKIP(s, p->unused, "counted again");
    SNAP_SKIP(s, p->order, "found again");
    SNAP_SKIP(s, p->next, "found again");
    SNAP_SKIP(s, p->second, "a hint, which changes no result");
    look_anew(p);
    for (unsigned n = 0; n < BTAC_FILTER; n++) {
        SNAP(s, p->derived[n]);
        SNAP_BELOW(s, p->hint[n], p->btac_size);
    }
    return snap_end(s);
}
