/* info.c - calls that tell what there is, how much of it and what was used. */
#include <asm/ioctls.h>
#include <asm/statfs.h>
#include <linux/limits.h>
#include <linux/resource.h>
#include <linux/sysinfo.h>
#include <linux/time.h>
#include <linux/utsname.h>

#include "guest/calls/calls.h"
#include "guest/process/disk.h"
#include "guest/process/file.h"

/* Memory and the disk's pages, in bytes. */
int32_t call_sysinfo(struct task *t, const uint32_t *a)
{
    uint32_t rest;
    struct sysinfo s = {.uptime = (int32_t)clock_split(clock_ns(), &rest),
                        .totalram = frames_all() * PAGE,
                        .freeram = frames_free() * PAGE,
                        .totalswap = slots_all() * PAGE,
                        .freeswap = slots_free() * PAGE,
                        .mem_unit = 1};

    return answer(t, a[0], &s, sizeof s);
}

/* A file, or its number; the size of what is told, and its place. All files are
 * of memory. */
int32_t call_fstatfs(struct task *t, const uint32_t *a)
{
    struct statfs64 s = {.f_type = 0x858458F6, /* RAMFS_MAGIC */
                         .f_bsize = PAGE,
                         .f_blocks = frames_all(),
                         .f_bfree = frames_free(),
                         .f_bavail = frames_free(),
                         .f_namelen = NAME_MAX,
                         .f_frsize = PAGE};

    return a[1] == sizeof s ? answer(t, a[2], &s, sizeof s) : -EINVAL;
}

int32_t call_statfs(struct task *t, const uint32_t *a)
{
    int32_t error;

    return path_find(t, AT_FDCWD, a[0], true, &error) ? call_fstatfs(t, a)
                                                      : error;
}

int32_t call_umask(struct task *t, const uint32_t *a)
{
    int32_t old = (int32_t)t->process->mask;

    t->process->mask = a[0] & 0777;
    return old;
}

int32_t call_uname(struct task *t, const uint32_t *a)
{
    static const struct new_utsname name = {.sysname = "Linux",
                                            .nodename = "simrun",
                                            .release = "5.10.0",
                                            .version = "#1 SMP guest",
                                            .machine = "ppc",
                                            .domainname = "(none)"};

    return answer(t, a[0], &name, sizeof name);
}

static uint32_t limit_of(uint32_t what)
{
    return what == RLIMIT_STACK    ? USER_STACK
           : what == RLIMIT_NPROC  ? TASKS
           : what == RLIMIT_NOFILE ? FILES
                                   : 0xFFFFFFFF;
}

int32_t call_getrlimit(struct task *t, const uint32_t *a)
{
    uint32_t pair[2] = {limit_of(a[0]), limit_of(a[0])};

    return a[0] < RLIM_NLIMITS ? answer(t, a[1], pair, sizeof pair) : -EINVAL;
}

/* Limits are what they are: they can be asked, not set. */
int32_t call_prlimit(struct task *t, const uint32_t *a)
{
    uint32_t n = limit_of(a[1]), high = n == 0xFFFFFFFF ? n : 0;
    uint32_t pair[4] = {high, n, high, n};

    if (a[1] >= RLIM_NLIMITS)
        return -EINVAL;
    if (a[0] && a[0] != t->process->number)
        return -ESRCH;
    if (a[2])
        return -EPERM;
    return a[3] ? answer(t, a[3], pair, sizeof pair) : 0;
}

/* The console is a line without settings: what a program prints there is put
 * together as if into a pipe. */
int32_t call_ioctl(struct task *t, const uint32_t *a)
{
    uint32_t held;

    if (a[1] != FIONREAD || !t->file->pipe)
        return -ENOTTY;
    held = pipe_held(t->file->pipe);
    return answer(t, a[2], &held, sizeof held);
}

int32_t call_gettimeofday(struct task *t, const uint32_t *a)
{
    uint32_t rest, s = clock_split(clock_now(CLOCK_REALTIME), &rest);
    uint32_t w[2] = {s, rest / 1000};

    if (a[0] && answer(t, a[0], w, sizeof w))
        return -EFAULT;
    return a[1] && !fill_out(t->process->space, a[1], 8) ? -EFAULT : 0;
}

int32_t call_time(struct task *t, const uint32_t *a)
{
    uint32_t rest, s = clock_split(clock_now(CLOCK_REALTIME), &rest);

    return a[0] && answer(t, a[0], &s, sizeof s) ? -EFAULT : (int32_t)s;
}
