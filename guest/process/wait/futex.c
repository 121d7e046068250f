/* futex.c - waiting for a word of user memory to be changed. Those who wait
 * are in a list by where the word is: in a space, or, so that processes which
 * share a page meet, in its store.
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

struct mutex futex_lock;     /* of the list; before a space's lock */
static struct waiter *first; /* by real-time priority, longest waiting first */

static void put(struct waiter *w)
{
    struct waiter **last = &first;

    while (*last && (*last)->priority >= w->priority)
        last = &(*last)->next;
    w->next = *last;
    *last = w;
}

/* Still in the list? Then it is not any more. */
static bool cut(struct waiter *w)
{
    struct waiter **place = &first;

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

    for (struct waiter *w = first; w && woken < count; w = next) {
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

    for (struct waiter *w = first; w && moved < most; w = w->next) {
        if (futex_same(w->key, from)) {
            w->key = to;
            moved++;
        }
    }
    return moved;
}

int32_t futex_wake(struct space *s, uint32_t at, uint32_t count, uint32_t bits)
{
    uint32_t value;
    struct futex_key key;
    int32_t woken = -EFAULT;

    mutex_lock(&futex_lock);
    if (futex_find(s, at, &key, &value, NULL))
        woken = (int32_t)futex_wake_key(key, count, bits);
    mutex_unlock(&futex_lock);
    return woken;
}

/* What the C library waits for so, for records: a lock's word has the value 2
 * while others wait, and the third word of a mutex names its owner; a thread
 * that ends clears the word with its number. These are the program's numbers,
 * and only told. */
static void note_wait(const struct waiter *w, uint32_t at, uint32_t wanted,
                      bool plain)
{
    bool locked = plain && wanted == LOCKED_WAITED;

    will_wait(locked ? STATE_LOCK : STATE_QUEUE, OBJECT_USER, at,
              locked ? w->owner : wanted);
}

static int32_t wait(struct task *t, uint32_t at, uint32_t wanted, uint32_t bits,
                    uint64_t until, bool plain)
{
    struct waiter w = {.bits = bits, .priority = t->priority};
    enum waking why;
    uint32_t value;
    bool there, gone;

    if (!bits)
        return -EINVAL;
    mutex_lock(&futex_lock);
    there = futex_find(t->process->space, at, &w.key, &value, &w.owner);
    if (there && value == wanted)
        put(&w);
    mutex_unlock(&futex_lock);
    if (!there)
        return -EFAULT;
    if (value != wanted)
        return -EAGAIN;
    note_wait(&w, at, wanted, plain);
    why = event_wait(&w.event, 0, until);
    mutex_lock(&futex_lock);
    gone = !cut(&w);
    mutex_unlock(&futex_lock);
    return gone ? 0 : why == WAKE_TIME ? -ETIMEDOUT : CALL_RESTART;
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
