/* hook.c - lists of hooks, and the window of what is measured. */
#include "guest/kernel/hook.h"

struct hook *volatile switch_hooks, *volatile trap_hooks;
struct hook *volatile wake_hooks, *volatile user_hooks, *volatile system_hooks;

void hook_add(struct hook *volatile *list, struct hook *h)
{
    uint32_t msr = sched_lock();

    h->next = *list;
    *list = h;
    sched_unlock(msr);
}

/* h keeps its next: another CPU may be at it. */
void hook_remove(struct hook *volatile *list, struct hook *h)
{
    uint32_t msr = sched_lock();

    if (*list == h) {
        *list = h->next;
    } else {
        struct hook *before = *list;

        while (before->next != h)
            before = before->next;
        before->next = h->next;
    }
    sched_unlock(msr);
}

void window_open(void)
{
    FOR_TABLE (hook, window)
        (*hook)(true);
}

void window_close(void)
{
    FOR_TABLE (hook, window)
        (*hook)(false);
}
