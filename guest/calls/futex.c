/* futex.c - moving those who wait to another word, changing one in a wake-up.
 */
#include <linux/futex.h>

#include "guest/calls/calls.h"

/* Wake some, and let the rest wait for another word. */
static int32_t requeue(struct task *t, const uint32_t *a, bool compare)
{
    struct space *s = t->process->space;
    uint32_t value, other, woken, moved = 0;
    struct futex_key from, to;
    int32_t error = 0;

    futex_lock(a[0], a[4]);
    if (!futex_find(s, a[0], &from, &value, NULL) ||
        !futex_find(s, a[4], &to, &other, NULL))
        error = -EFAULT;
    else if (compare && value != a[5])
        error = -EAGAIN;
    woken = error ? 0 : futex_wake_key(from, a[2], 0xFFFFFFFF);
    if (!error)
        moved = futex_move(from, to, a[3]);
    futex_unlock(a[0], a[4]);
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
    struct futex_key from, to;
    int32_t woken = -EFAULT;

    futex_lock(a[0], a[4]);
    if (futex_find(s, a[0], &from, &value, NULL) &&
        futex_find(s, a[4], &to, &value, NULL) && change(s, a[4], code, &old)) {
        woken = (int32_t)futex_wake_key(from, a[2], 0xFFFFFFFF);
        if (compares(code >> 24 & 15, (int32_t)old, signed12(code)))
            woken += (int32_t)futex_wake_key(to, a[3], 0xFFFFFFFF);
    }
    futex_unlock(a[0], a[4]);
    return woken;
}

/* In front: how wide a time is. */
int32_t call_futex_more(struct task *t, const uint32_t *front)
{
    const uint32_t *a = front + 1;

    switch (a[1] & FUTEX_CMD_MASK) {
    case FUTEX_REQUEUE:
    case FUTEX_CMP_REQUEUE:
        return requeue(t, a, (a[1] & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE);
    case FUTEX_WAKE_OP:
        return wake_op(t, a);
    default:
        return futex_lend(t, front);
    }
}
