/* owners.c - see owners.h. */
#include "tools/analysis/causes/owners.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"

static void add(struct owners *o, const struct owners_note *note)
{
    o->note = grow(o->note, &o->room, o->count + 1, sizeof *o->note);
    o->note[o->count++] = *note;
}

static int by_lock(const void *a, const void *b)
{
    const struct owners_note *x = a, *y = b;

    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->had != y->had)
        return x->had < y->had ? -1 : 1;
    return x->has < y->has ? -1 : x->has > y->has;
}

void owners_read(struct owners *o, const struct scene *s)
{
    *o = (struct owners){0};
    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        const struct scene_wake *w =
            t->wake == SCENE_NONE ? NULL : &s->wake[t->wake];

        if (!scene_wants_lock(t))
            continue;
        if (t->state == STATE_LOCK && t->owner != SCENE_NONE)
            add(o, &(struct owners_note){t->from, t->lock, t->owner, t->owner,
                                         SCENE_NONE});
        if (w && w->by == WAKE_BY_THREAD)
            add(o, &(struct owners_note){w->cycle, t->lock, w->waker,
                                         t->kind == OBJECT_KERNEL ? t->thread
                                                                  : SCENE_NONE,
                                         t->thread});
    }
    if (o->count)
        qsort(o->note, o->count, sizeof *o->note, by_lock);
}

void owners_free(struct owners *o)
{
    free(o->note);
    *o = (struct owners){0};
}

uint32_t owners_at(const struct owners *o, const struct scene_stay *stay,
                   uint64_t cycle)
{
    size_t behind = SEARCH_FIRST(
        0, o->count, i,
        o->note[i].lock > stay->lock ||
            (o->note[i].lock == stay->lock && o->note[i].cycle > cycle));
    const struct owners_note *before =
        behind && o->note[behind - 1].lock == stay->lock ? &o->note[behind - 1]
                                                         : NULL;

    if (before && before->has != SCENE_NONE)
        return before->has;
    if (behind < o->count && o->note[behind].lock == stay->lock)
        return o->note[behind].had;
    return SCENE_NONE;
}
