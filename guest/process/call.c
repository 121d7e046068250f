/* call.c - from a system call's number to its function, and its result back to
 * the registers: r3, and cr0[SO] where r3 is an error.
 */
#include <linux/sched.h>

#include "guest/kernel/hook.h"
#include "guest/process/file.h"

#define CR0_SO 0x10000000u
#define CALLS 512

int32_t call_constant(struct task *t, const uint32_t *a)
{
    (void)t;
    return (int32_t)a[0];
}

struct call {
    call_function *serve;
    uint32_t front;
    bool with_front, on_file, on_space;
};

#define PLAIN .front = 0
#define WITH(x) .with_front = true, .front = (x)
#define ON_FILE .on_file = true
#define ON_SPACE .on_space = true
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

/* a: the registers, with a place in front. */
static int32_t serve(const struct call *c, struct task *t, uint32_t *a)
{
    int32_t r;

    a[0] = c->front;
    if (c->on_space) {
        mutex_lock(&t->process->space->lock);
        r = c->serve(t, a + 1);
        mutex_unlock(&t->process->space->lock);
        return r;
    }
    if (!c->on_file)
        return c->serve(t, c->with_front ? a : a + 1);
    t->file = file_get(t, a[1]);
    if (!t->file)
        return -EBADF;
    r = c->serve(t, a + 1);
    file_drop(t->file);
    return r;
}

void call_serve(struct task *t, struct user_frame *f)
{
    uint32_t number = f->trap.r0, a[7];
    int32_t r;

    memcpy(a + 1, f->trap.r3_r12, 6 * sizeof *a);
    f->asked_r3 = a[1];
    r = number < CALLS && calls[number].serve ? serve(&calls[number], t, a)
                                              : absent(t, number, a + 1);
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
