/* wide.c - see wide.h. An open hash; entries are never taken out, a mark that
 * is cleared stays with indicator 0 and its counts.
 */
#include "pmu/wide.h"

#include <stdlib.h>
#include <string.h>

#include "pmu/indicator.h"

void wide_init(struct wide *w)
{
    memset(w, 0, sizeof *w);
}

void wide_free(struct wide *w)
{
    free(w->slot);
    wide_init(w);
}

static struct wide_word *probe(const struct wide *w, uint32_t address)
{
    size_t at = (address >> 2) * 0x9E3779B1u >> 5 & (w->slots - 1);

    while (w->slot[at].address && w->slot[at].address != (address | 1))
        at = (at + 1) & (w->slots - 1);
    return &w->slot[at];
}

struct wide_word *wide_find(const struct wide *w, uint32_t address)
{
    struct wide_word *k;

    if (!w->used)
        return NULL;
    k = probe(w, address & ~3u);
    return k->address ? k : NULL;
}

static bool grow(struct wide *w)
{
    struct wide old = *w;

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

struct wide_word *wide_make(struct wide *w, uint32_t address)
{
    struct wide_word *k = wide_find(w, address);

    if (k)
        return k;
    if (2 * (w->used + 1) > w->slots && !grow(w))
        return NULL;
    k = probe(w, address & ~3u);
    k->address = (address & ~3u) | 1;
    w->used++;
    return k;
}

static void take(const struct wide *w, struct wide_tag *t, uint32_t address)
{
    const struct wide_word *k = wide_find(w, address);

    *t = (struct wide_tag){0, 0};
    if (k && !(k->indicator & IND_STICKY)) {
        t->indicator = k->indicator;
        t->limit = k->limit;
    }
}

/* A word is written with a register whose tag is t. A copy begins to count
 * anew. */
static void give(struct wide *w, const struct wide_tag *t, uint32_t address)
{
    struct wide_word *k = wide_find(w, address);

    if (k && k->indicator & IND_STICKY)
        return;
    if (!k && (!t->indicator || !(k = wide_make(w, address))))
        return;
    w->copies += t->indicator != 0;
    w->clears += k->indicator && !t->indicator;
    if (t->indicator && !k->indicator)
        k->count = k->hits = 0;
    k->indicator = t->indicator;
    k->limit = t->limit;
}

void wide_move(struct wide *w, unsigned cpu, const struct wide_move *m)
{
    static const struct wide_tag none;
    struct wide_tag *tag = w->tag[cpu];
    struct wide_tag copied = tag[m->from];

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
