/* futex.c - waiting for a word of user memory to be changed. Those who wait
 * are in lists by where the word is: in a space, or, so that processes which
 * share a page meet, in its store; the place in the page chooses the list.
 */
#include <linux/futex.h>

#include "guest/process/process.h"

#define LOCKED_WAITED 2 /* glibc, lowlevellock.h */
#define OWNER 8         /* glibc, struct __pthread_mutex_s, bytes */

struct waiter {
    struct waiter *next;
    struct futex_key key;
    uint32_t bits;
    uint32_t owner; /* the third word, of a lock its owner */
    uint8_t priority;
    struct event event;
};

static struct futex_list {
    struct mutex lock;    /* of the list; before a space's lock */
    struct waiter *first; /* by real-time priority, longest waiting first */
} futexes[64];

static struct futex_list *list_of(uint32_t at)
{
    return &futexes[(at >> 2 ^ at >> 6) % 64];
}

void futex_lock(uint32_t one, uint32_t other)
{
    struct futex_list *a = list_of(one), *b = list_of(other);

    mutex_lock(a < b ? &a->lock : &b->lock);
    if (a != b)
        mutex_lock(a < b ? &b->lock : &a->lock);
}

void futex_unlock(uint32_t one, uint32_t other)
{
    mutex_unlock(&list_of(one)->lock);
    if (list_of(one) != list_of(other))
        mutex_unlock(&list_of(other)->lock);
}

static void put(struct waiter *w)
{
    struct waiter **last = &list_of(w->key.place)->first;

    while (*last && (*last)->priority >= w->priority)
        last = &(*last)->next;
    w->next = *last;
    *last = w;
}

/* Still in its list? Then it is not any more. */
static bool cut(struct waiter *w)
{
    struct waiter **place = &list_of(w->key.place)->first;

    while (*place && *place != w)
        place = &(*place)->next;
    if (!*place)
        return false;
    *place = w->next;
    return true;
}

bool futex_same(struct futex_key a, struct futex_key b)
{
    return a.space == b.space && a.place == b.place;
}

struct futex_key futex_key(const struct space *s, uint32_t at)
{
    const struct region *r = space_region(s, at);

    return r->shared && r->store
               ? (struct futex_key){r->store, r->place + at - r->start}
               : (struct futex_key){s, at};
}

bool futex_find(struct space *s, uint32_t at, struct futex_key *key,
                uint32_t *value, uint32_t *third)
{
    uint32_t place = page_lock(s, at, MAY_WRITE);

    if (!place)
        place = page_lock(s, at, MAY_READ);
    if (!place)
        return false;
    *value = *(volatile uint32_t *)place;
    *key = futex_key(s, at);
    if (third && (at & PAGE_MASK) <= PAGE - OWNER - 4)
        *third = *(volatile uint32_t *)(place + OWNER);
    mutex_unlock(&s->lock);
    return true;
}

uint32_t futex_wake_key(struct futex_key key, uint32_t count, uint32_t bits)
{
    uint32_t woken = 0;
    struct waiter *next;

    for (struct waiter *w = list_of(key.place)->first; w && woken < count;
         w = next) {
        next = w->next;
        if (!futex_same(w->key, key) || !(w->bits & bits))
            continue;
        cut(w);
        event_happen(&w->event);
        woken++;
    }
    return woken;
}

uint32_t futex_move(struct futex_key from, struct futex_key to, uint32_t most)
{
    uint32_t moved = 0;
    struct waiter *next;

    for (struct waiter *w = list_of(from.place)->first; w && moved < most;
         w = next) {
        next = w->next;
        if (!futex_same(w->key, from))
            continue;
        cut(w);
        w->key = to;
        put(w);
        moved++;
    }
    return moved;
}

int32_t futex_wake(struct space *s, uint32_t at, uint32_t count, uint32_t bits)
{
    uint32_t value;
    struct futex_key key;
    int32_t woken = -EFAULT;

    futex_lock(at, at);
    if (futex_find(s, at, &key, &value, NULL))
        woken = (int32_t)futex_wake_key(key, count, bits);
    futex_unlock(at, at);
    return woken;
}

/* Was it not woken? Meanwhile it may have been moved. */
static bool leave(struct waiter *w)
{
    uint32_t at;
    bool there;

    do {
        at = w->key.place;
        futex_lock(at, at);
        there = at == w->key.place && cut(w);
        futex_unlock(at, at);
    } while (!there && at != w->key.place);
    return there;
}

static int32_t wait(struct task *t, uint32_t at, uint32_t wanted, uint32_t bits,
                    uint64_t until, bool plain)
{
    struct waiter w = {.bits = bits, .priority = t->priority};
    enum waking why;
    uint32_t value;
    bool there;

    if (!bits)
        return -EINVAL;
    futex_lock(at, at);
    there = futex_find(t->process->space, at, &w.key, &value, &w.owner);
    if (there && value == wanted)
        put(&w);
    futex_unlock(at, at);
    if (!there)
        return -EFAULT;
    if (value != wanted)
        return -EAGAIN;
    /* The program's own numbers, only told: a mutex's third word is its owner.
     */
    plain &= wanted == LOCKED_WAITED;
    will_wait(plain ? STATE_LOCK : STATE_QUEUE, OBJECT_USER, at,
              plain ? w.owner : wanted);
    why = event_wait(&w.event, 0, until);
    if (why == WOKEN || !leave(&w))
        return 0;
    return why == WAKE_TIME ? -ETIMEDOUT : CALL_RESTART;
}

int32_t futex_until(struct task *t, uint32_t at, uint32_t op, uint32_t wide,
                    uint64_t *due)
{
    uint64_t ns, now;
    int32_t error;

    *due = FOR_EVER;
    if (!at)
        return 0;
    error = time_get(t, at, wide, &ns);
    if (error)
        return error;
    now = clock_ns();
    if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT)
        now = 0; /* a time from now; the others name a moment */
    else if (op & FUTEX_CLOCK_REALTIME)
        now += EPOCH * SECOND;
    *due = clock_due(ns > now ? ns - now : 0);
    return 0;
}

/* In front: how wide a time is. */
int32_t call_futex(struct task *t, const uint32_t *front)
{
    const uint32_t *a = front + 1;
    uint64_t due;
    int32_t error;
    bool plain;

    if (a[0] & 3)
        return -EINVAL;
    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        error = futex_until(t, a[3], a[1], *front, &due);
        if (error)
            return error;
        plain = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT;
        return wait(t, a[0], a[2], plain ? 0xFFFFFFFF : a[5], due, plain);
    case FUTEX_WAKE:
        return futex_wake(t->process->space, a[0], a[2], 0xFFFFFFFF);
    case FUTEX_WAKE_BITSET:
        return futex_wake(t->process->space, a[0], a[2], a[5]);
    default:
        return CALL_ABSENT;
    }
}
