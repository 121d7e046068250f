/* word_locks.c - see word_locks.h. */
#include "sim/observe/locks/word_locks.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "include/record_put.h"
#include "lib/base/grow.h"
#include "sim/machine/machine.h"

static void put(struct experiment *e, const struct core *c,
                const struct word_lock *k, const struct word_store *s,
                unsigned event)
{
    struct experiment_stamp stamp = {REC_LOCK, c->number, c->context, s->at};
    uint32_t w[LOCK_WORDS];

    record_put_lock_event(w, event);
    record_put_lock_kind(w, OBJECT_USER);
    record_put_lock_object(w, k->ea);
    record_put_lock_since(w, s->at - s->since > UINT32_MAX
                                 ? UINT32_MAX
                                 : (uint32_t)(s->at - s->since));
    record_put_lock_caller(w, s->pc);
    experiment_record(e, &stamp, w, LOCK_WORDS);
}

/* NULL: it is none. */
static struct word_lock *lock_of(struct word_locks *l,
                                 const struct word_store *s)
{
    const uint32_t *known = hash_find(&l->at, s->pa);
    bool fresh;

    if (known)
        return &l->lock[*known - 1];
    if (!s->conditional)
        return NULL;
    l->lock = grow(l->lock, &l->room, l->locks + 1, sizeof *l->lock);
    l->lock[l->locks++] = (struct word_lock){.ea = s->ea & ~(ea_t)3};
    *hash_at(&l->at, s->pa, &fresh) = (uint32_t)l->locks;
    return &l->lock[l->locks - 1];
}

static uint32_t value_of(const struct core *c, pa_t pa)
{
    uint32_t value;

    memcpy(&value, c->with.ram->bytes + pa, sizeof value);
    return be32toh(value);
}

static struct word_waiter *waiter_of(struct word_lock *k, uint32_t context)
{
    size_t n = 0;

    while (n < k->waiters && k->waiter[n].context != context)
        n++;
    if (n == k->waiters) {
        k->waiter = grow(k->waiter, &k->room, n + 1, sizeof *k->waiter);
        k->waiter[k->waiters++] = (struct word_waiter){.context = context};
    }
    return &k->waiter[n];
}

static void waits(struct word_lock *k, uint32_t context, cycle_t since)
{
    struct word_waiter *w = waiter_of(k, context);

    if (!w->since)
        w->since = since;
}

static void take(struct word_lock *k, uint32_t context, struct word_store *s)
{
    struct word_waiter *w = waiter_of(k, context);

    k->had = true;
    k->owner = context;
    k->open = s->old;
    if (w->since)
        s->since = w->since;
    w->since = 0;
}

bool word_locks_store(struct word_locks *l, struct experiment *e,
                      const struct core *c, const struct word_store *store)
{
    struct word_lock *k = lock_of(l, store);
    struct word_store s = *store;

    if (!k || k->none)
        return k;
    if (!k->had && s.conditional) {
        take(k, c->context, &s);
        put(e, c, k, &s, LOCK_WORD_TAKEN);
        return true;
    }
    if (k->had && k->owner != c->context && s.conditional && s.old != k->open) {
        waits(k, c->context, s.since);
        return true;
    }
    if (!k->had)
        return true; /* it is made, or something else is there by now */
    k->none = k->owner != c->context || value_of(c, s.pa) != k->open;
    k->had = false;
    put(e, c, k, &s, k->none ? LOCK_NONE : LOCK_WORD_GIVEN);
    return true;
}

void word_locks_free(struct word_locks *l)
{
    for (size_t n = 0; n < l->locks; n++)
        free(l->lock[n].waiter);
    free(l->lock);
    hash_free(&l->at);
    *l = (struct word_locks){.lock = NULL};
}
