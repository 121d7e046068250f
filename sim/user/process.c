/* process.c - system calls about threads, the process and the system as a
 * whole: clone, futex, scheduling, identities, limits.
 */
#define _GNU_SOURCE
#include "sim/user/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- beginning and end
 * ---------------------------------------------------------- */

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
    t->affinity = k->t->affinity;
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

/* ---- futex
 * ------------------------------------------------------------------------ */

static bool futex_pa(struct call *k, uint32_t at, pa_t *pa, int32_t *error)
{
    struct space *s = &k->u->space;
    uint32_t left;
    uint8_t *b;

    *error = -EINVAL;
    if (at & 3)
        return false;
    *error = -EFAULT;
    b = space_bytes(s, at, SPACE_READ, &left);
    if (!b)
        return false;
    *pa = (pa_t)(b - s->ram->bytes);
    return true;
}

/* The limit of a wait: an interval, or (absolute) a time of a clock. */
static int32_t futex_limit(struct call *k, bool wide, bool absolute,
                           bool calendar, cycle_t *until)
{
    uint64_t s, n, now;
    uint8_t b[16];

    *until = CYCLE_NEVER;
    if (!k->a[3])
        return 0;
    if (!space_read(&k->u->space, k->a[3], b, wide ? 16 : 8))
        return -EFAULT;
    s = wide ? abi_get64(b) : abi_get32(b);
    n = wide ? abi_get32(b + 12) : abi_get32(b + 4);
    if (n >= NANO || s > INT64_MAX / NANO)
        return -EINVAL;
    n += s * NANO;
    if (absolute) {
        now = calendar ? user_date(k->u, k->now) : user_time(k->u, k->now);
        n = n > now ? n - now : 0;
    }
    *until = user_after(k->u, k->now, n);
    return 0;
}

static int32_t futex_wait(struct call *k, bool wide, uint32_t bits,
                          bool absolute)
{
    struct thread *t = k->t;
    cycle_t until;
    uint32_t value;
    int32_t error;
    pa_t pa;

    if (!bits)
        return -EINVAL;
    error = futex_limit(k, wide, absolute, k->a[1] & 0x100, &until);
    if (error || !futex_pa(k, k->a[0], &pa, &error))
        return error;
    space_read32(&k->u->space, k->a[0], &value);
    if (value != k->a[2])
        return -EAGAIN;
    if (until <= k->now)
        return -ETIMEDOUT;
    if (signal_waits(k->u, t))
        return -EINTR;
    t->futex_pa = pa;
    t->futex_bits = bits;
    t->queued = ++k->u->queue_tick;
    t->restartable = !k->a[3];
    thread_block(k, WAIT_FUTEX, until);
    return CALL_BLOCKED;
}

static int32_t futex_wake(struct call *k, uint32_t bits)
{
    int32_t error;
    pa_t pa;

    if (!bits)
        return -EINVAL;
    if (!futex_pa(k, k->a[0], &pa, &error))
        return error;
    return thread_futex_wake(k->u, pa, (int)k->a[2] > 0 ? (int)k->a[2] : 1,
                             bits, k->now);
}

/* Wake some, let others wait on a second word. */
static int32_t futex_requeue(struct call *k, bool compare)
{
    int32_t error, woken, moved = 0;
    pa_t from, to;
    uint32_t value;

    if (!futex_pa(k, k->a[0], &from, &error) ||
        !futex_pa(k, k->a[4], &to, &error))
        return error;
    if ((int32_t)k->a[2] < 0 || (int32_t)k->a[3] < 0)
        return -EINVAL;
    space_read32(&k->u->space, k->a[0], &value);
    if (compare && value != k->a[5])
        return -EAGAIN;
    woken = thread_futex_wake(k->u, from, (int)k->a[2], 0xFFFFFFFFu, k->now);
    for (unsigned i = 0; i < k->u->threads && moved < (int32_t)k->a[3]; i++) {
        struct thread *t = &k->u->thread[i];

        if (t->state == THREAD_BLOCKED && t->waiting == WAIT_FUTEX &&
            t->futex_pa == from) {
            t->futex_pa = to;
            moved++;
        }
    }
    return compare ? woken + moved : woken;
}

static bool compares(uint32_t how, int32_t a, int32_t b)
{
    switch (how) {
    case 0:
        return a == b;
    case 1:
        return a != b;
    case 2:
        return a < b;
    case 3:
        return a <= b;
    case 4:
        return a > b;
    default:
        return a >= b;
    }
}

/* Change a second word, wake on the first, and on the second if what was
 * there compares. The operation stands in r8: op, cmp, oparg, cmparg. */
static int32_t futex_wake_op(struct call *k)
{
    uint32_t op = k->a[5], old, value, arg = op >> 12 & 0xFFF;
    int32_t error, woken;
    pa_t first, second;

    if (!futex_pa(k, k->a[0], &first, &error) ||
        !futex_pa(k, k->a[4], &second, &error))
        return error;
    if (op >> 31)
        arg = 1u << (arg & 31);
    else
        arg = (uint32_t)((int32_t)(arg << 20) >> 20);
    space_read32(&k->u->space, k->a[4], &old);
    switch (op >> 28 & 7) {
    case 0:
        value = arg;
        break;
    case 1:
        value = old + arg;
        break;
    case 2:
        value = old | arg;
        break;
    case 3:
        value = old & ~arg;
        break;
    case 4:
        value = old ^ arg;
        break;
    default:
        return -ENOSYS;
    }
    if ((op >> 24 & 15) > 5)
        return -ENOSYS;
    if (!space_write32(&k->u->space, k->a[4], value))
        return -EFAULT;
    woken = thread_futex_wake(k->u, first, (int)k->a[2], 0xFFFFFFFFu, k->now);
    if (compares(op >> 24 & 15, (int32_t)old, (int32_t)(op << 20) >> 20))
        woken +=
            thread_futex_wake(k->u, second, (int)k->a[3], 0xFFFFFFFFu, k->now);
    return woken;
}

static int32_t futex(struct call *k, bool wide)
{
    switch (k->a[1] & 0x7F) {
    case 0:
        return futex_wait(k, wide, 0xFFFFFFFFu, false);
    case 1:
        return futex_wake(k, 0xFFFFFFFFu);
    case 3:
        return futex_requeue(k, false);
    case 4:
        return futex_requeue(k, true);
    case 5:
        return futex_wake_op(k);
    case 9:
        return futex_wait(k, wide, k->a[5], true);
    case 10:
        return futex_wake(k, k->a[5]);
    default: /* priority inheritance is not there */
        return -ENOSYS;
    }
}

int32_t call_futex(struct call *k)
{
    return futex(k, false);
}

int32_t call_futex64(struct call *k)
{
    return futex(k, true);
}

/* ---- scheduling
 * --------------------------------------------------------------------- */

int32_t call_sched_yield(struct call *k)
{
    k->u->yielding = k->t;
    return 0;
}

static struct thread *named(struct call *k)
{
    return k->a[0] ? thread_find(k->u, (int)k->a[0]) : k->t;
}

int32_t call_sched_setaffinity(struct call *k)
{
    struct thread *t = named(k);
    uint64_t mask, have = (UINT64_C(1) << k->u->m->with.cpus) - 1;
    uint8_t b[8] = {0};

    if (!t)
        return -ESRCH;
    if (!space_read(&k->u->space, k->a[2], b, k->a[1] < 8 ? k->a[1] : 8))
        return -EFAULT;
    mask = call_pair(abi_get32(b + 4), abi_get32(b)) & have;
    if (!mask)
        return -EINVAL;
    t->affinity = mask;
    if (t->state == THREAD_RUNNING && t != k->t)
        thread_kick(k->u, t, k->now);
    return 0;
}

int32_t call_sched_getaffinity(struct call *k)
{
    struct thread *t = named(k);
    uint64_t mask;
    uint8_t b[8];

    if (k->a[1] < 4 || k->a[1] % 4)
        return -EINVAL;
    if (!t)
        return -ESRCH;
    mask = t->affinity & ((UINT64_C(1) << k->u->m->with.cpus) - 1);
    abi_put32(b, (uint32_t)mask);
    abi_put32(b + 4, 0);
    if (!space_write(&k->u->space, k->a[2], b, k->a[1] < 8 ? 4 : 8))
        return -EFAULT;
    return k->a[1] < 8 ? 4 : 8;
}

int32_t call_sched_getparam(struct call *k)
{
    if ((int32_t)k->a[0] < 0 || !k->a[1])
        return -EINVAL;
    if (!named(k))
        return -ESRCH;
    return space_write32(&k->u->space, k->a[1], 0) ? 0 : -EFAULT;
}

int32_t call_sched_getscheduler(struct call *k)
{
    if ((int32_t)k->a[0] < 0)
        return -EINVAL;
    return named(k) ? 0 : -ESRCH; /* SCHED_OTHER */
}

static int32_t priority(uint32_t policy, int32_t real)
{
    switch (policy) {
    case 0: /* OTHER, BATCH, IDLE */
    case 3:
    case 5:
        return 0;
    case 1: /* FIFO, RR */
    case 2:
        return real;
    default:
        return -EINVAL;
    }
}

int32_t call_sched_priority_max(struct call *k)
{
    return priority(k->a[0], 99);
}

int32_t call_sched_priority_min(struct call *k)
{
    return priority(k->a[0], 1);
}

int32_t call_getpriority(struct call *k)
{
    if (k->a[0] > 2)
        return -EINVAL;
    return 20;
}

int32_t call_getcpu(struct call *k)
{
    struct space *s = &k->u->space;

    if ((k->a[0] && !space_write32(s, k->a[0], k->core->number)) ||
        (k->a[1] && !space_write32(s, k->a[1], 0)))
        return -EFAULT;
    return 0;
}

/* ---- identities
 * ---------------------------------------------------------------------- */

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
    abi_put32(b, (uint32_t)(user_time(k->u, k->now) / NANO));
    abi_put32(b + 16, s->limit);
    abi_put32(b + 20, left);
    abi_put16(b + 40, (uint32_t)k->u->threads);
    abi_put32(b + 52, 1); /* mem_unit */
    return space_write(&k->u->space, k->a[0], b, sizeof b) ? 0 : -EFAULT;
}

/* ---- limits
 * ------------------------------------------------------------------------------
 */

#define NO_LIMIT UINT64_MAX
#define LIMITS 16

/* What cannot be set stays what it is. */
static uint64_t limit_of(uint32_t which)
{
    switch (which) {
    case 3: /* STACK */
        return 8u << 20;
    case 4: /* CORE */
        return 0;
    case 6: /* NPROC */
        return USER_THREADS;
    case 7: /* NOFILE */
        return USER_FILES;
    default:
        return NO_LIMIT;
    }
}

int32_t call_getrlimit(struct call *k)
{
    uint64_t limit = limit_of(k->a[0]);
    uint8_t b[8];

    if (k->a[0] >= LIMITS)
        return -EINVAL;
    abi_put32(b, limit > UINT32_MAX ? UINT32_MAX : (uint32_t)limit);
    abi_put32(b + 4, limit > UINT32_MAX ? UINT32_MAX : (uint32_t)limit);
    return space_write(&k->u->space, k->a[1], b, sizeof b) ? 0 : -EFAULT;
}

int32_t call_prlimit64(struct call *k)
{
    uint64_t limit = limit_of(k->a[1]);
    uint8_t b[16];

    if (k->a[0] && k->a[0] != USER_PID)
        return -ESRCH;
    if (k->a[1] >= LIMITS)
        return -EINVAL;
    if (k->a[2]) {
        if (!space_read(&k->u->space, k->a[2], b, sizeof b))
            return -EFAULT;
        if (abi_get64(b) > abi_get64(b + 8))
            return -EINVAL;
    }
    abi_put64(b, limit);
    abi_put64(b + 8, limit);
    if (k->a[3] && !space_write(&k->u->space, k->a[3], b, sizeof b))
        return -EFAULT;
    return 0;
}

/* ---- odds and ends
 * ----------------------------------------------------------------------- */

int32_t call_getrandom(struct call *k)
{
    uint32_t size = k->a[1] > INT32_MAX ? INT32_MAX : k->a[1];

    if (k->a[2] & ~7u || (k->a[2] & 6) == 6)
        return -EINVAL;
    for (uint32_t n = 0; n < size; n++) {
        uint8_t b = (uint8_t)user_random(k->u);

        if (!space_write(&k->u->space, k->a[0] + n, &b, 1))
            return n ? (int32_t)n : -EFAULT;
    }
    return (int32_t)size;
}

static int32_t name_thread(struct call *k, bool set)
{
    struct user *u = k->u;
    int n;

    if (!set)
        return space_write(&u->space, k->a[1], u->name, 16) ? 0 : -EFAULT;
    n = space_string(&u->space, k->a[1], u->name, 15);
    u->name[15] = '\0';
    return n == -1 ? -EFAULT : 0;
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
