/* call.c - from a call's number to its function; its result: r3, cr0[SO]. */
#include <linux/sched.h>

#include "guest/kernel/hook.h"
#include "guest/process/file.h"

#define CR0_SO 0x10000000u
#define CALLS 512

static const struct call calls[CALLS] = {
#define CALL(number, name, handler, how) [number] = {call_##handler, how},
#include "guest/process/calls.def"
#undef CALL
};

static uint32_t named[CALLS / 32]; /* process_lock: told once */

static int32_t absent(struct task *t, uint32_t number, const uint32_t *a)
{
    int32_t r;
    bool first;

    FOR_TABLE (hook, call) {
        if ((*hook)(t, number, a, &r))
            return r;
    }
    mutex_lock(&process_lock);
    number = number < CALLS ? number : CALLS - 1;
    first = !(named[number / 32] >> number % 32 & 1);
    named[number / 32] |= 1u << number % 32;
    mutex_unlock(&process_lock);
    if (first)
        kprintf("process %u (%s): system call %u is not there\n",
                t->process->number, t->process->name, number);
    return -ENOSYS;
}

int32_t call_make(const struct call *c, struct task *t, uint32_t *a)
{
    struct mutex *lock = c->on_space   ? &t->process->space->lock
                         : c->on_names ? &tree_lock
                                       : NULL;
    int32_t r = 0;

    a[0] = c->front;
    if (lock)
        mutex_lock(lock);
    if (!c->on_file)
        r = c->serve(t, c->with_front ? a : a + 1);
    if (lock)
        mutex_unlock(lock);
    if (!c->on_file)
        return r;
    t->file = file_get(t, a[1]);
    if (!t->file)
        return -EBADF;
    r = c->serve(t, c->with_front ? a : a + 1);
    file_drop(t->file);
    return r;
}

void call_serve(struct task *t, struct user_frame *f)
{
    uint32_t number = f->trap.r0, a[7];
    int32_t r;

    memcpy(a + 1, f->trap.r3_r12, 6 * sizeof *a);
    f->asked_r3 = a[1];
    r = number < CALLS && calls[number].serve ? call_make(&calls[number], t, a)
                                              : CALL_ABSENT;
    if (r == CALL_ABSENT)
        r = absent(t, number, a + 1);
    if (r == CALL_KEEP)
        return;
    if (r == CALL_RESTART) {
        f->trap.srr0 -= 4;
        t->restart = true;
        return;
    }
    f->trap.cr &= ~CR0_SO;
    if (r < 0 && r >= -4095) {
        f->trap.cr |= CR0_SO;
        r = -r;
    }
    f->trap.r3_r12[0] = (uint32_t)r;
}

int32_t answer(struct task *t, uint32_t at, const void *bytes, uint32_t n)
{
    return copy_out(t->process->space, at, bytes, n) ? 0 : -EFAULT;
}
