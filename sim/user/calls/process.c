/* process.c - system calls about threads, the process and the system as a
 * whole: clone, identities, limits.
 */
#define _GNU_SOURCE
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- beginning and end --------------------------------------------------- */

#define THREAD_FLAGS                                                           \
    (ABI_CLONE_VM | ABI_CLONE_THREAD | 0xE00u) /* FS FILES SIGHAND */

/* r3 flags, r4 stack, r5 parent's word, r6 thread pointer, r7 child's word.
 * Only threads: a process of its own would need a memory of its own. */
int32_t call_clone(struct call *k)
{
    struct user *u = k->u;
    struct space *s = &u->space;
    uint32_t flags = k->a[0];
    struct thread *t;
    struct cpu *c;

    if ((flags & THREAD_FLAGS) != THREAD_FLAGS) {
        if (!u->told_fork)
            user_say(u,
                     "%s: a new process (fork) is not to be had here; "
                     "clone gets ENOSYS",
                     u->with.image->name);
        u->told_fork = true;
        return -ENOSYS;
    }
    t = thread_new(u);
    if (!t)
        return -EAGAIN;
    c = &t->cpu_state;
    *c = k->core->cpu;
    if (k->a[1])
        c->gpr[1] = k->a[1];
    c->gpr[3] = 0;
    c->cr &= ~0x10000000u;
    if (flags & ABI_CLONE_SETTLS)
        c->gpr[2] = k->a[3];
    t->blocked = k->t->blocked;
    memcpy(t->name, k->t->name, sizeof t->name);
    thread_force(u, t);
    schedule_inherit(t, k->t);
    t->cpu = k->t->cpu;
    if (flags & ABI_CLONE_CHILD_CLEARTID)
        t->clear_tid = k->a[4];
    if ((flags & ABI_CLONE_PARENT_SETTID &&
         !space_write32(s, k->a[2], (uint32_t)t->tid)) ||
        (flags & ABI_CLONE_CHILD_SETTID &&
         !space_write32(s, k->a[4], (uint32_t)t->tid))) {
        t->state = THREAD_FREE;
        return -EFAULT;
    }
    thread_ready(u, t, k->now + u->m->with.params.syscall_cycles);
    return t->tid;
}

int32_t call_exit_group(struct call *k)
{
    user_exit(k->u, (int)k->a[0]);
    return CALL_SET;
}

int32_t call_exit(struct call *k)
{
    unsigned left = 0;

    for (unsigned i = 0; i < k->u->threads; i++)
        left += k->u->thread[i].state != THREAD_FREE;
    if (left == 1)
        return call_exit_group(k);
    thread_exit(k);
    return CALL_SET;
}

int32_t call_set_tid_address(struct call *k)
{
    k->t->clear_tid = k->a[0];
    return k->t->tid;
}

int32_t call_set_robust_list(struct call *k)
{
    if (k->a[1] != 12)
        return -EINVAL;
    k->t->robust = k->a[0];
    return 0;
}

int32_t call_get_robust_list(struct call *k)
{
    struct thread *t = k->a[0] ? thread_find(k->u, (int)k->a[0]) : k->t;

    if (!t)
        return -ESRCH;
    if (!space_write32(&k->u->space, k->a[2], 12) ||
        !space_write32(&k->u->space, k->a[1], t->robust))
        return -EFAULT;
    return 0;
}

int32_t call_wait4(struct call *k)
{
    (void)k;
    return -ECHILD; /* there never is one */
}

/* idtype, id, siginfo, options: nor here. */
int32_t call_waitid(struct call *k)
{
    if (k->a[0] > 3 || !(k->a[3] & 14)) /* exited, stopped, continued */
        return -EINVAL;
    return -ECHILD;
}

/* ---- identities ---------------------------------------------------------- */

/* It may become who it is: 0, or -1 where that means to stay. */
static int32_t become(struct call *k, unsigned ids, bool keeps)
{
    for (unsigned n = 0; n < ids; n++)
        if (k->a[n] != 0 && !(keeps && k->a[n] == UINT32_MAX))
            return !keeps && k->a[n] == UINT32_MAX ? -EINVAL : -EPERM;
    return 0;
}

int32_t call_stay(struct call *k)
{
    return become(k, 1, false);
}

int32_t call_stay2(struct call *k)
{
    return become(k, 2, true);
}

int32_t call_stay3(struct call *k)
{
    return become(k, 3, true);
}

/* There are no other groups than 0 to be in. */
int32_t call_setgroups(struct call *k)
{
    if (k->a[0] > 65536)
        return -EINVAL;
    for (uint32_t n = 0; n < k->a[0]; n++) {
        uint32_t group;

        if (!space_read32(&k->u->space, k->a[1] + 4 * n, &group))
            return -EFAULT;
        if (group)
            return -EPERM;
    }
    return 0;
}

/* Linux, and nothing else. */
int32_t call_personality(struct call *k)
{
    return k->a[0] == UINT32_MAX || k->a[0] == 0 ? 0 : -EINVAL;
}

int32_t call_getpid(struct call *k)
{
    (void)k;
    return USER_PID;
}

int32_t call_getppid(struct call *k)
{
    (void)k;
    return 1;
}

int32_t call_gettid(struct call *k)
{
    return k->t->tid;
}

int32_t call_getuid(struct call *k)
{
    (void)k;
    return 0;
}

int32_t call_getresuid(struct call *k)
{
    for (unsigned n = 0; n < 3; n++)
        if (!space_write32(&k->u->space, k->a[n], 0))
            return -EFAULT;
    return 0;
}

int32_t call_getgroups(struct call *k)
{
    return (int32_t)k->a[0] < 0 ? -EINVAL : 0; /* in none */
}

int32_t call_getpgid(struct call *k)
{
    return k->a[0] == 0 || k->a[0] == USER_PID ? USER_PID : -ESRCH;
}

int32_t call_uname(struct call *k)
{
    static const char *const fields[6] = {"Linux",  "simrun", "6.1.0",
                                          "#1 SMP", "ppc",    "(none)"};
    char b[6][65];

    memset(b, 0, sizeof b);
    for (unsigned n = 0; n < 6; n++)
        strcpy(b[n], fields[n]);
    return space_write(&k->u->space, k->a[0], b, sizeof b) ? 0 : -EFAULT;
}

int32_t call_sysinfo(struct call *k)
{
    const struct space *s = &k->u->space;
    uint32_t left = (s->limit - s->unused) + s->freed * ABI_PAGE;
    uint8_t b[64];

    memset(b, 0, sizeof b);
    be_put32(b, (uint32_t)(user_time(k->u, k->now) / NANO));
    be_put32(b + 16, s->limit);
    be_put32(b + 20, left);
    be_put16(b + 40, (uint32_t)k->u->threads);
    be_put32(b + 52, 1); /* mem_unit */
    return space_write(&k->u->space, k->a[0], b, sizeof b) ? 0 : -EFAULT;
}

/* ---- odds and ends ------------------------------------------------------- */

int32_t call_getrandom(struct call *k)
{
    uint32_t size = k->a[1] > INT32_MAX ? INT32_MAX : k->a[1];

    if (k->a[2] & ~7u || (k->a[2] & 6) == 6)
        return -EINVAL;
    for (uint32_t n = 0; n < size;) {
        ea_t at = k->a[0] + n;
        uint32_t now = ABI_PAGE - at % ABI_PAGE;
        uint8_t b[ABI_PAGE];

        if (now > size - n)
            now = size - n;
        for (uint32_t i = 0; i < now; i++)
            b[i] = (uint8_t)user_random(k->u);
        if (!space_write(&k->u->space, at, b, now))
            return n ? (int32_t)n : -EFAULT;
        n += now;
        if (n % (256 * ABI_PAGE) < ABI_PAGE && user_stopped(k->u))
            return (int32_t)n;
    }
    return (int32_t)size;
}

void thread_name(struct user *u, struct thread *t, const char *name,
                 size_t size, cycle_t at)
{
    uint64_t forced = t->forced_cpus;

    memset(t->name, 0, sizeof t->name);
    memcpy(t->name, name, size < THREAD_NAME ? size : THREAD_NAME - 1);
    thread_force(u, t);
    if (t->forced_cpus != forced)
        thread_kick(u, t, at); /* it may not be where it is */
    tell_named(u, t, at);
}

static int32_t name_thread(struct call *k, bool set)
{
    struct space *s = &k->u->space;
    char name[THREAD_NAME];

    if (!set)
        return space_write(s, k->a[1], k->t->name, THREAD_NAME) ? 0 : -EFAULT;
    if (space_string(s, k->a[1], name, THREAD_NAME - 1) == -1)
        return -EFAULT;
    thread_name(k->u, k->t, name, strnlen(name, THREAD_NAME - 1), k->now);
    return 0;
}

int32_t call_prctl(struct call *k)
{
    struct cpu *c = &k->core->cpu;
    uint32_t fe = MSR_FE0 | MSR_FE1, mode;

    switch (k->a[0]) {
    case 15: /* PR_SET_NAME */
    case 16:
        return name_thread(k, k->a[0] == 15);
    case 11: /* PR_GET_FPEXC */
        mode = !(c->msr & fe) ? 0 : c->msr & MSR_FE0 ? 3 : 1;
        return space_write32(&k->u->space, k->a[1], mode) ? 0 : -EFAULT;
    case 12: /* PR_SET_FPEXC: 0 off, 1 imprecise, 2 recoverable, 3 precise */
        if (k->a[1] > 3)
            return -EINVAL;
        c->msr = (c->msr & ~fe) | (k->a[1] & 2 ? MSR_FE0 : 0) |
                 (k->a[1] & 1 ? MSR_FE1 : 0);
        return 0;
    case 3: /* PR_GET_DUMPABLE, PR_SET_DUMPABLE */
        return 1;
    case 4:
        return k->a[1] > 1 ? -EINVAL : 0;
    default:
        return -EINVAL;
    }
}
