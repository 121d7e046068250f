/* futex.c - waiting for a word of user memory to be changed. Those who wait
 * are in a list by where the word is: in a space, or, so that processes which
 * share a page meet, in its store.
 */
#include <linux/futex.h>

#include "guest/process/process.h"

#define LOCKED_WAITED 2 /* glibc, lowlevellock.h */
#define OWNER 8         /* glibc, struct __pthread_mutex_s, bytes */

struct key {
    const struct space *space; /* of shared memory: its store */
    uint32_t place;
    uint32_t owner; /* not part of it: the third word, of a lock its owner */
};

struct waiter {
    struct waiter *next;
    struct key key;
    uint32_t bits;
    struct event event;
};

static struct mutex lock;    /* of the list; before a space's lock */
static struct waiter *first; /* longest waiting first */

static void put(struct waiter *w)
{
    struct waiter **last = &first;

    while (*last)
        last = &(*last)->next;
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

static bool same(struct key a, struct key b)
{
    return a.space == b.space && a.place == b.place;
}

/* The key of a word, and what is there. False: it cannot be had. */
static bool find(struct space *s, uint32_t at, struct key *key, uint32_t *value)
{
    uint32_t place = page_lock(s, at, MAY_WRITE);
    const struct region *r;

    if (!place)
        place = page_lock(s, at, MAY_READ);
    if (!place)
        return false;
    *value = *(volatile uint32_t *)place;
    r = space_region(s, at);
    *key = r->shared && r->store
               ? (struct key){r->store, r->place + at - r->start, 0}
               : (struct key){s, at, 0};
    if ((at & PAGE_MASK) <= PAGE - OWNER - 4)
        key->owner = *(volatile uint32_t *)(place + OWNER);
    mutex_unlock(&s->lock);
    return true;
}

static uint32_t wake_key(struct key key, uint32_t count, uint32_t bits)
{
    uint32_t woken = 0;
    struct waiter *next;

    for (struct waiter *w = first; w && woken < count; w = next) {
        next = w->next;
        if (!same(w->key, key) || !(w->bits & bits))
            continue;
        cut(w);
        event_happen(&w->event);
        woken++;
    }
    return woken;
}

int32_t futex_wake(struct space *s, uint32_t at, uint32_t count, uint32_t bits)
{
    uint32_t value;
    struct key key;
    int32_t woken = -EFAULT;

    mutex_lock(&lock);
    if (find(s, at, &key, &value))
        woken = (int32_t)wake_key(key, count, bits);
    mutex_unlock(&lock);
    return woken;
}

/* What the C library waits for so, for records: a lock's word has the value 2
 * while others wait, and the third word of a mutex names its owner; a thread
 * that ends clears the word with its number. These are the program's numbers,
 * and only told. */
static void note_wait(const struct key *k, uint32_t at, uint32_t wanted,
                      bool plain)
{
    bool locked = plain && wanted == LOCKED_WAITED;

    will_wait(locked ? STATE_LOCK : STATE_QUEUE, OBJECT_USER, at,
              locked ? k->owner : wanted);
}

static int32_t wait(struct task *t, uint32_t at, uint32_t wanted, uint32_t bits,
                    uint64_t until, bool plain)
{
    struct waiter w = {.bits = bits};
    enum waking why;
    uint32_t value;
    bool there, gone;

    if (!bits)
        return -EINVAL;
    mutex_lock(&lock);
    there = find(t->process->space, at, &w.key, &value);
    if (there && value == wanted)
        put(&w);
    mutex_unlock(&lock);
    if (!there)
        return -EFAULT;
    if (value != wanted)
        return -EAGAIN;
    note_wait(&w.key, at, wanted, plain);
    why = event_wait(&w.event, 0, until);
    mutex_lock(&lock);
    gone = !cut(&w);
    mutex_unlock(&lock);
    return gone ? 0 : why == WAKE_TIME ? -ETIMEDOUT : CALL_RESTART;
}

/* Wake some, and let the rest wait for another word. */
static int32_t requeue(struct task *t, const uint32_t *a, bool compare)
{
    struct space *s = t->process->space;
    uint32_t value, other, woken, moved = 0;
    struct key from, to;
    int32_t error = 0;

    mutex_lock(&lock);
    if (!find(s, a[0], &from, &value) || !find(s, a[4], &to, &other))
        error = -EFAULT;
    else if (compare && value != a[5])
        error = -EAGAIN;
    woken = error ? 0 : wake_key(from, a[2], 0xFFFFFFFF);
    for (struct waiter *w = first; !error && w && moved < a[3]; w = w->next) {
        if (same(w->key, from)) {
            w->key = to;
            moved++;
        }
    }
    mutex_unlock(&lock);
    return error ? error : (int32_t)(woken + (compare ? moved : 0));
}

static uint32_t operate(uint32_t op, uint32_t old, uint32_t argument)
{
    op &= 7;
    return op == FUTEX_OP_SET    ? argument
           : op == FUTEX_OP_ADD  ? old + argument
           : op == FUTEX_OP_OR   ? old | argument
           : op == FUTEX_OP_ANDN ? old & ~argument
                                 : old ^ argument;
}

static bool compares(uint32_t op, int32_t old, int32_t with)
{
    return op == FUTEX_OP_CMP_EQ   ? old == with
           : op == FUTEX_OP_CMP_NE ? old != with
           : op == FUTEX_OP_CMP_LT ? old < with
           : op == FUTEX_OP_CMP_LE ? old <= with
           : op == FUTEX_OP_CMP_GT ? old > with
                                   : old >= with;
}

/* The low 12 bits of a number, with their sign. */
static int32_t signed12(uint32_t n)
{
    return (int32_t)(n << 20) >> 20;
}

/* Change a word, by the futex's code: what it was. False: it cannot be had. */
static bool change(struct space *s, uint32_t at, uint32_t code, uint32_t *old)
{
    uint32_t place = page_lock(s, at, MAY_WRITE), now;
    uint32_t argument = (uint32_t)signed12(code >> 12);

    if (!place)
        return false;
    if (code >> 28 & FUTEX_OP_OPARG_SHIFT)
        argument = 1u << (argument & 31);
    do {
        *old = *(volatile uint32_t *)place;
        now = operate(code >> 28, *old, argument);
    } while (atomic_swap_if((volatile uint32_t *)place, *old, now) != *old);
    mutex_unlock(&s->lock);
    return true;
}

/* Change a second word at once, wake for the first, and perhaps for it. */
static int32_t wake_op(struct task *t, const uint32_t *a)
{
    struct space *s = t->process->space;
    uint32_t value, old, code = a[5];
    struct key from, to;
    int32_t woken = -EFAULT;

    mutex_lock(&lock);
    if (find(s, a[0], &from, &value) && find(s, a[4], &to, &value) &&
        change(s, a[4], code, &old)) {
        woken = (int32_t)wake_key(from, a[2], 0xFFFFFFFF);
        if (compares(code >> 24 & 15, (int32_t)old, signed12(code)))
            woken += (int32_t)wake_key(to, a[3], 0xFFFFFFFF);
    }
    mutex_unlock(&lock);
    return woken;
}

/* Until when, by the time base: 0 or -errno. */
static int32_t until(struct task *t, uint32_t at, uint32_t op, uint32_t wide,
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
        error = until(t, a[3], a[1], *front, &due);
        if (error)
            return error;
        plain = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT;
        return wait(t, a[0], a[2], plain ? 0xFFFFFFFF : a[5], due, plain);
    case FUTEX_WAKE:
        return futex_wake(t->process->space, a[0], a[2], 0xFFFFFFFF);
    case FUTEX_WAKE_BITSET:
        return futex_wake(t->process->space, a[0], a[2], a[5]);
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        return requeue(t, a, (a[1] & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE);
    case FUTEX_WAKE_OP:
        return wake_op(t, a);
    default:
        return -ENOSYS;
    }
}
