/* tasks.c - calls by which a task names itself, waits for a child by more than
 * its number, and goes on in another context.
 */
#include <asm/ptrace.h>
#include <asm/siginfo.h>
#include <linux/prctl.h>
#include <linux/wait.h>

#include "guest/calls/calls.h"
#include "guest/kernel/hook.h"

#define UC_WORDS (PT_FPR0 + 66)
#define INFO_WORDS 32
#define INFO_STATUS 5

/* What to do, and its argument. */
int32_t call_prctl(struct task *t, const uint32_t *a)
{
    char name[NAME_SIZE] = "";

    switch (a[0]) {
    case PR_GET_NAME:
        text_copy(name, t->thread->name, NAME_SIZE);
        return answer(t, a[1], name, NAME_SIZE);
    case PR_SET_NAME:
        for (uint32_t n = 0; n < NAME_SIZE - 1; n++) {
            if (!copy_in(t->process->space, &name[n], a[1] + n, 1))
                return -EFAULT;
            if (!name[n])
                break;
        }
        text_copy(t->thread->name, name, NAME_SIZE);
        FOR_TABLE (hook, renamed)
            (*hook)(t->thread);
        return 0;
    default:
        return -EINVAL;
    }
}

/* Any child, or one; its number; where a siginfo goes; options; where the usage
 * goes. No child stops, and a group is a process. */
int32_t call_waitid(struct task *t, const uint32_t *a)
{
    uint32_t info[INFO_WORDS] = {0}, status = 0;
    uint32_t wait[] = {a[4] != 0, a[0] == P_ALL ? UINT32_MAX : a[1],
                       a[2] ? a[2] + 4 * INFO_STATUS : 0, a[3] & WNOHANG, a[4]};
    int32_t number;

    if (a[0] > P_PGID || !(a[3] & (WEXITED | WSTOPPED | WCONTINUED)) ||
        a[3] & ~(uint32_t)(WNOHANG | WEXITED | WSTOPPED | WCONTINUED))
        return -EINVAL;
    number = a[3] & WEXITED ? call_wait4(t, wait) : -ECHILD;
    if (number < 0 || !a[2])
        return number < 0 ? number : 0;
    if (number && !copy_in(t->process->space, &status, wait[2], sizeof status))
        return -EFAULT;
    if (number) {
        info[0] = SIGCHLD;
        info[2] = status & 0x7F ? CLD_KILLED : CLD_EXITED;
        info[3] = (uint32_t)number;
        info[INFO_STATUS] = status & 0x7F ? status & 0x7F : status >> 8;
    }
    return answer(t, a[2], info, sizeof info);
}

/* Where the context goes, 0: nowhere; the one to go on in, 0: this one; the
 * size of both. As Linux has it, r2 (the thread's own) stays. */
int32_t call_swapcontext(struct task *t, const uint32_t *a)
{
    uint32_t m[UC_WORDS] = {0}, at = (a[0] + 4 * UC_MCONTEXT) & ~15u;
    uint32_t own = *user_register(t->frame, 2);
    struct space *s = t->process->space;
    uint64_t set;

    if (a[2] < 4 * (UC_MCONTEXT + UC_WORDS))
        return -EINVAL;
    context_put(m, t);
    if (a[0] && (answer(t, at, m, sizeof m) ||
                 answer(t, a[0] + 4 * UC_REGS, &at, sizeof at) ||
                 signal_set_put(t, a[0] + 4 * UC_MASK, t->blocked)))
        return -EFAULT;
    if (!a[1])
        return 0;
    if (!copy_in(s, &at, a[1] + 4 * UC_REGS, sizeof at) ||
        !signal_set_get(t, a[1] + 4 * UC_MASK, &set) ||
        !copy_in(s, m, at, sizeof m))
        return -EFAULT;
    mutex_lock(&process_lock);
    t->blocked = set & ~NEVER_BLOCKED;
    mutex_unlock(&process_lock);
    t->poked = true; /* one may be pending that is not blocked any more */
    context_get(m, t);
    *user_register(t->frame, 2) = own;
    return CALL_KEEP;
}
