/* widened.c - see widened.h. An open hash; entries are never taken out, a mark
 * that is cleared stays with indicator 0 and its counts.
 */
#include "pmu/pif/widened.h"

#include <stdlib.h>
#include <string.h>

#include "include/mark_bits.h"

#include "lib/base/snap.h"

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

/* ---- save and load -------------------------------------------------------
 */

static void word_state(struct snap *s, struct widened_word *k)
{
    SNAP(s, k->indicator);
    SNAP(s, k->limit);
    SNAP(s, k->count);
    SNAP(s, k->hits);
    SNAP(s, k->before);
}

/* A load makes a hash of the size that was saved, so that it grows when the
 * other one does and its words come in the same order. */
static bool slots_resize(struct snap *s, struct widened *w)
{
    size_t slots = w->slots;

    SNAP(s, slots);
    if (slots & (slots - 1) || slots > UINT32_MAX)
        snap_refuse(s, "its hash cannot be that large: damaged");
    if (!snap_loading(s))
        return !s->bad;
    free(w->slot);
    w->slot = slots ? calloc(slots, sizeof *w->slot) : NULL;
    w->slots = w->slot ? slots : 0;
    w->used = 0;
    if (w->slots != slots)
        snap_refuse(s, "the host has no memory for it");
    return !s->bad;
}

static void words_state(struct snap *s, struct widened *w)
{
    size_t used = w->used, at = 0;

    SNAP(s, used);
    if (2 * used > w->slots)
        snap_refuse_value(s, "used", used, w->slots / 2 + 1);
    for (size_t n = 0; !s->bad && n < used; n++, at++) {
        while (s->way != SNAP_LOAD && !w->slot[at].address)
            at++;
        SNAP_BELOW(s, at, w->slots);
        if (!s->bad)
            SNAP(s, w->slot[at].address);
        if (!s->bad)
            word_state(s, &w->slot[at]);
    }
    if (!s->bad)
        w->used = used;
}

bool widened_state(struct snap *s, struct widened *w)
{
    struct widened_word spare = {0};

    snap_begin(s, "widened", 1);
    SNAP_OWNS(s, struct widened_word, &spare, 1);
    SNAP_SKIP(s, w->slot, "where the host has the words");
    SNAP_SKIP(s, w->slots, "of the hash");
    SNAP_SKIP(s, w->used, "of the hash");
    if (s->way == SNAP_COVER) {
        SNAP(s, spare.address);
        word_state(s, &spare);
    } else if (slots_resize(s, w)) {
        words_state(s, w);
    }
    for (unsigned cpu = 0; cpu < 8; cpu++)
        for (unsigned r = 0; r < 32; r++) {
            SNAP(s, w->tag[cpu][r].indicator);
            SNAP(s, w->tag[cpu][r].limit);
        }
    SNAP(s, w->copies);
    SNAP(s, w->clears);
    return snap_end(s);
}
