/* call.c - from a system call's number to its function, and its result back to
 * the registers: r3, and cr0[SO] where r3 is an error.
 */
#include "guest/process/errno.h"
#include "guest/process/process.h"

#define CR0_SO 0x10000000u
#define CALLS 512

int32_t call_refuse(struct task *t, const uint32_t *a)
{
    (void)t, (void)a;
    return -ENOSYS;
}

static call_function *const calls[CALLS] = {
#define CALL(number, name, handler) [number] = call_##handler,
#include "guest/process/calls.def"
#undef CALL
};

static uint32_t named[CALLS / 32]; /* process_lock: told once */

static int32_t absent(struct task *t, uint32_t number)
{
    bool first;

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

void call_serve(struct task *t, struct user_frame *f)
{
    uint32_t number = f->trap.r0, a[6];
    int32_t r;

    memcpy(a, f->trap.r3_r12, sizeof a);
    f->asked_r3 = a[0];
    if (number < CALLS && calls[number])
        r = calls[number](t, a);
    else
        r = absent(t, number);
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
