/* deadlock.c - see deadlock.h. */
#include "tools/analysis/causes/deadlock.h"

const struct scene_hold *deadlock_holds(const struct scene *s, uint32_t thread)
{
    const struct scene_thread *t = &s->thread[thread];
    const struct spaces *spaces = &s->r->map.spaces;
    uint32_t space = spaces_at(spaces, t->id, s->r->end);

    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];
        const struct scene_lock *l = &s->lock[h->lock];

        if (l->kind == OBJECT_USER && l->object == t->asked &&
            h->given >= s->r->end &&
            spaces_at(spaces, s->thread[h->thread].id, s->r->end) == space)
            return h;
    }
    return NULL;
}

/* Its last stay, if it waits there for a lock and is never woken. */
static const struct scene_stay *blocked(const struct scene *s, uint32_t thread)
{
    const struct scene_thread *t = &s->thread[thread];
    const struct scene_stay *last =
        t->stays ? &s->stay[t->first + t->stays - 1] : NULL;

    return last && last->state == STATE_LOCK && last->wake == SCENE_NONE &&
                   last->to >= s->r->end
               ? last
               : NULL;
}

/* Who has the lock for which it waits then; SCENE_NONE: it waits for none, or
 * that is not known. *stay: its last. */
static uint32_t waits_for(const struct scene *s, const struct owners *o,
                          uint32_t thread, const struct scene_stay **stay)
{
    const struct scene_thread *t = &s->thread[thread];
    const struct scene_hold *h =
        t->asks && t->stays ? deadlock_holds(s, thread) : NULL;

    *stay = h ? &s->stay[t->first + t->stays - 1] : blocked(s, thread);
    if (h)
        return h->thread;
    return *stay ? owners_at(o, *stay, (*stay)->to - 1) : SCENE_NONE;
}

/* From `first` on, until it is back there; one that goes round elsewhere is
 * found from there. */
static bool circle(struct chain *c, const struct scene *s,
                   const struct owners *o, uint32_t first)
{
    uint32_t thread = first;

    *c = (struct chain){.root = ROOT_DEADLOCK};
    do {
        const struct scene_stay *stay;
        uint32_t next = waits_for(s, o, thread, &stay);

        if (next == SCENE_NONE || c->hops == CHAIN_HOPS)
            return false;
        c->hop[c->hops++] =
            (struct chain_hop){thread, (uint32_t)(stay - s->stay), NULL};
        thread = next;
    } while (thread != first);
    c->thread[0] = first;
    c->threads = 1;
    c->stack = s->stay[c->hop[0].stay].stack;
    return true;
}

bool deadlock_find(struct chain *c, const struct scene *s)
{
    struct owners owners;
    bool found = false;

    owners_read(&owners, s);
    for (uint32_t n = 0; n < s->threads && !found; n++)
        found = circle(c, s, &owners, n);
    owners_free(&owners);
    return found;
}

/* Its last stay, if it is blocked there without an end, or asks a word in vain;
 * NULL: it has ended, or *goes_on. */
static const struct scene_stay *waits(const struct scene *s, uint32_t thread,
                                      bool *goes_on)
{
    const struct scene_thread *t = &s->thread[thread];
    const struct scene_stay *last =
        t->stays ? &s->stay[t->first + t->stays - 1] : NULL;

    *goes_on = false;
    if (!last || t->sampler || t->daemon || last->state == STATE_ENDED)
        return NULL;
    if (t->asks)
        return last;
    *goes_on = !scene_blocked(last) || last->wake != SCENE_NONE ||
               last->to < s->r->end || last->state == STATE_TIMER ||
               last->state == STATE_IO || last->state == STATE_STOPPED;
    return *goes_on ? NULL : last;
}

bool deadlock_waits(struct chain *c, const struct scene *s, uint32_t *more)
{
    bool goes_on = !s->r->ended;

    *c = (struct chain){.root = ROOT_NEVER};
    *more = 0;
    for (uint32_t n = 0; n < s->threads && !goes_on; n++) {
        const struct scene_stay *stay = waits(s, n, &goes_on);

        if (!stay ||
            (stay->state == STATE_BARRIER && stay->owner != SCENE_NONE))
            continue;
        if (c->hops < CHAIN_HOPS)
            c->hop[c->hops++] =
                (struct chain_hop){n, (uint32_t)(stay - s->stay), NULL};
        else
            ++*more;
    }
    return !goes_on && c->hops;
}
