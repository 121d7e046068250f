/* limit.c - the resource limits of the program, and what they hold it to:
 * descriptors, sizes of files, memory, stack, processor time. The limits of
 * processes (it is the only one), of locked and resident memory and the rest
 * can be set and are not enforced, as for root on Linux. The system calls that
 * read and set limits are in calls/limit.c.
 */
#define _GNU_SOURCE
#include "sim/user/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { /* the numbers of resources */
       LIMIT_CPU,
       LIMIT_FSIZE,
       LIMIT_DATA,
       LIMIT_STACK,
       LIMIT_CORE,
       LIMIT_NPROC = 6,
       LIMIT_NOFILE,
       LIMIT_AS = 9
};

/* The files that a program has open are open on the host as well: how many
 * may be is not to hang on what our shell was told. */
static void raise_host(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

void limit_init(struct user *u)
{
    for (unsigned i = 0; i < USER_LIMITS; i++)
        u->limit[i] = (struct bound){LIMIT_NONE, LIMIT_NONE};
    u->limit[LIMIT_STACK] = (struct bound){USER_STACK, USER_STACK};
    u->limit[LIMIT_CORE].soft = 0;
    u->limit[LIMIT_NPROC] = (struct bound){USER_THREADS, USER_THREADS};
    u->limit[LIMIT_NOFILE] = (struct bound){USER_FILES, USER_FILES};
    u->stack_low = USER_STACK_TOP - USER_STACK;
    raise_host();
}

/* ---- files --------------------------------------------------------------- */

unsigned limit_files(const struct user *u)
{
    return (unsigned)u->limit[LIMIT_NOFILE].soft;
}

void limit_passed(struct call *k)
{
    struct siginfo info = siginfo_kill(k->u, ABI_SI_USER, USER_PID);

    if (k->u->limit[LIMIT_FSIZE].soft != LIMIT_NONE)
        signal_send(k->u, k->t, SIGXFSZ, &info, k->now);
}

int limit_grow(struct call *k, int host, uint64_t size)
{
    struct stat st;

    if (size <= k->u->limit[LIMIT_FSIZE].soft || fstat(host, &st) != 0 ||
        !S_ISREG(st.st_mode) || size <= (uint64_t)st.st_size)
        return 0;
    limit_passed(k);
    return EFBIG;
}

int limit_write(struct user *u, int host, int64_t at, size_t *size)
{
    uint64_t most = u->limit[LIMIT_FSIZE].soft, wanted = *size;
    struct stat st;
    int error = *size ? limit_memory_file(u, host, &wanted) : 0;

    if (error)
        return error;
    *size = (size_t)wanted;
    if (most == LIMIT_NONE || !*size || fstat(host, &st) != 0 ||
        !S_ISREG(st.st_mode))
        return 0;
    if (fcntl(host, F_GETFL) & O_APPEND)
        at = st.st_size;
    else if (at < 0)
        at = lseek(host, 0, SEEK_CUR);
    if (at < 0 || (uint64_t)at >= most)
        return EFBIG;
    if (*size > most - (uint64_t)at)
        *size = (size_t)(most - (uint64_t)at);
    return 0;
}

/* ---- files without a name ------------------------------------------------ */

void limit_is_memory(struct user *u, int host)
{
    struct stat st;

    if (host < 0 || fstat(host, &st) != 0)
        return;
    u->memory = st.st_dev;
    u->memory_known = true;
}

static bool is_memory(const struct user *u, int host, struct stat *st)
{
    return u->memory_known && host >= 0 && fstat(host, st) == 0 &&
           st->st_dev == u->memory;
}

/* Bytes that they take; a page of one that is mapped and in memory counts
 * there. */
void limit_recount(void *arg)
{
    struct user *u = arg;
    uint64_t seen[USER_FILES], sum = 0;
    unsigned n = 0, i;
    struct stat st;

    for (unsigned fd = 0; fd < USER_FILES; fd++) {
        if (u->file[fd].kind != FILE_HOST ||
            !is_memory(u, u->file[fd].host, &st))
            continue;
        for (i = 0; i < n && seen[i] != st.st_ino; i++)
            ;
        if (i == n) {
            seen[n++] = st.st_ino;
            sum += (uint64_t)st.st_blocks * 512;
        }
    }
    u->space.reserved = space_nameless(&u->space, u->memory, seen, n, sum);
}

int limit_memory_file(struct user *u, int host, uint64_t *size)
{
    struct space *s = &u->space;
    struct stat st;
    uint64_t left, most;

    if (!is_memory(u, host, &st))
        return 0;
    left = space_left(s);
    if (left < s->reserved + *size + 2 * ABI_PAGE)
        limit_recount(u);
    most = left > s->reserved + 2 * ABI_PAGE ? left - s->reserved - 2 * ABI_PAGE
                                             : 0;
    if (!most)
        return ENOSPC;
    if (*size > most)
        *size = most;
    s->reserved += *size + 2 * ABI_PAGE; /* at most */
    return 0;
}

/* ---- memory -------------------------------------------------------------- */

/* Where the part of the stack begins that has been touched. */
static ea_t stack_used(const struct user *u)
{
    ea_t at = u->stack_low;

    while (at < USER_STACK_TOP && !space_resident(&u->space, at))
        at += ABI_PAGE;
    return at;
}

bool limit_memory(const struct user *u, uint32_t more, bool data)
{
    const struct space *s = &u->space;
    uint64_t all = more, own = more;

    if (u->limit[LIMIT_AS].soft == LIMIT_NONE &&
        u->limit[LIMIT_DATA].soft == LIMIT_NONE)
        return true;
    for (unsigned i = 0; i < s->regions; i++) {
        const struct region *r = &s->region[i];

        all += r->end - r->start;
        if (r->prot & SPACE_WRITE && !r->shared && r->start < u->stack_low)
            own += r->end - r->start;
    }
    all -= stack_used(u) - u->stack_low;
    return all <= u->limit[LIMIT_AS].soft &&
           (!data || own <= u->limit[LIMIT_DATA].soft);
}

/* The stack may reach so far. What it has got already it keeps. */
static void bound_stack(struct user *u, uint64_t size)
{
    ea_t whole = (ea_t)(size > USER_STACK ? USER_STACK : size);
    ea_t low = (USER_STACK_TOP - whole) & ~(ABI_PAGE - 1);
    ea_t used = stack_used(u);

    if (low > used)
        low = used;
    if (low > u->stack_low) {
        space_unmap(&u->space, u->stack_low, low - u->stack_low);
    } else if (low < u->stack_low) {
        if (!space_vacant(&u->space, low, u->stack_low - low) ||
            space_map(&u->space, low, u->stack_low - low,
                      SPACE_READ | SPACE_WRITE, false, -1, 0) != 0)
            return;
    }
    u->stack_low = low;
}

/* ---- processor time ------------------------------------------------------ */

static void bound_cpu(struct user *u, uint64_t seconds)
{
    struct timer *t = &u->timer[USER_CPU_LIMIT];

    if (!seconds)
        seconds = 1;
    t->used = t->cpu = true;
    t->signal = SIGXCPU;
    t->id = -1;
    t->due = seconds < UINT64_MAX / NANO ? user_after(u, 0, seconds * NANO)
                                         : CYCLE_NEVER;
    t->interval = user_after(u, 0, NANO);
}

int limit_cpu_signal(const struct user *u, cycle_t spent)
{
    uint64_t hard = u->limit[LIMIT_CPU].hard;

    return hard < UINT64_MAX / NANO && spent >= user_after(u, 0, hard * NANO)
               ? SIGKILL
               : SIGXCPU;
}

/* ---- setting ------------------------------------------------------------- */

int limit_set(struct user *u, uint32_t which, uint64_t soft, uint64_t hard)
{
    struct bound *l = &u->limit[which];

    if (soft > hard)
        return -EINVAL;
    if (hard > l->hard)
        return -EPERM;
    *l = (struct bound){soft, hard};
    if (which == LIMIT_STACK)
        bound_stack(u, soft);
    if (which == LIMIT_CPU)
        bound_cpu(u, soft);
    return 0;
}
