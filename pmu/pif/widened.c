/* widened.c - see widened.h. An open hash; entries are never taken out, a mark
 * that is cleared stays with indicator 0 and its counts.
 */
#include "pmu/pif/widened.h"

#include <stdlib.h>
#include <string.h>

#include "include/mark_bits.h"

static void widened_init(struct widened *w)
{
    memset(w, 0, sizeof *w);
}

void widened_free(struct widened *w)
{
    free(w->slot);
    widened_init(w);
}

static struct widened_word *probe(const struct widened *w, uint32_t address)
{
    size_t at = (address >> 2) * 0x9E3779B1u >> 5 & (w->slots - 1);

    while (w->slot[at].address && w->slot[at].address != (address | 1))
        at = (at + 1) & (w->slots - 1);
    return &w->slot[at];
}

struct widened_word *widened_find(const struct widened *w, uint32_t address)
{
    struct widened_word *k;

    if (!w->used)
        return NULL;
    k = probe(w, address & ~3u);
    return k->address ? k : NULL;
}

static bool grow(struct widened *w)
{
    struct widened old = *w;

    w->slots = old.slots ? old.slots * 2 : 256;
    w->slot = calloc(w->slots, sizeof *w->slot);
    if (!w->slot) {
        w->slot = old.slot;
        w->slots = old.slots;
        return false;
    }
    for (size_t n = 0; n < old.slots; n++)
        if (old.slot[n].address)
            *probe(w, old.slot[n].address & ~3u) = old.slot[n];
    free(old.slot);
    return true;
}

struct widened_word *widened_make(struct widened *w, uint32_t address)
{
    struct widened_word *k = widened_find(w, address);

    if (k)
        return k;
    if (2 * (w->used + 1) > w->slots && !grow(w))
        return NULL;
    k = probe(w, address & ~3u);
    k->address = (address & ~3u) | 1;
    w->used++;
    return k;
}

static void take(const struct widened *w, struct widened_tag *t,
                 uint32_t address)
{
    const struct widened_word *k = widened_find(w, address);

    *t = (struct widened_tag){0, 0};
    if (k && !(k->indicator & IND_STICKY)) {
        t->indicator = k->indicator;
        t->limit = k->limit;
    }
}

/* A word is written with a register whose tag is t. A copy begins to count
 * anew. */
static void give(struct widened *w, const struct widened_tag *t,
                 uint32_t address)
{
    struct widened_word *k = widened_find(w, address);

    if (k && k->indicator & IND_STICKY)
        return;
    if (!k && (!t->indicator || !(k = widened_make(w, address))))
        return;
    w->copies += t->indicator != 0;
    w->clears += k->indicator && !t->indicator;
    if (t->indicator && !k->indicator)
        k->count = k->hits = 0;
    k->indicator = t->indicator;
    k->limit = t->limit;
}

void widened_move(struct widened *w, unsigned cpu, const struct widened_move *m)
{
    static const struct widened_tag none;
    struct widened_tag *tag = w->tag[cpu];
    struct widened_tag copied = tag[m->from];

    for (unsigned r = 0; r < 32; r++)
        if (m->clears >> r & 1)
            tag[r] = none;
    if (m->copy)
        tag[m->reg] = copied;
    for (unsigned n = 0; m->load && n < m->words; n++)
        take(w, &tag[(m->reg + n) % 32], m->address + 4 * n);
    for (unsigned n = 0; m->store && n < m->words; n++)
        give(w, &tag[(m->reg + n) % 32], m->address + 4 * n);
    for (uint32_t a = m->plain; a != m->plain_end; a += 4)
        give(w, &none, a);
}
