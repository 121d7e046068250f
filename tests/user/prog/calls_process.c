/* calls_process.c - identities, limits, scheduling, threads' calls. */
#include "check.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

static volatile uint32_t word = 5;

static void identities(void)
{
    struct utsname u;
    struct sysinfo s;
    uint32_t id[3];
    char name[32] = "";
    long pid = CALL(__NR_getpid);

    SAY("getpid", "%d", pid > 0);
    SAY("gettid", "%d", CALL(__NR_gettid) == pid);
    TRY(setuid, -1);
    TRY(setgid, -1);
    TRY(setreuid, -1, -1);
    TRY(setregid, -1, -1);
    TRY(setresuid, -1, -1, -1);
    TRY(setresgid, -1, -1, -1);
    FINE(setgroups, 70000, WILD);
    FINE(personality, 0xFFFFFFFF);
    TRY(waitid, 0, 0, NULL, 4, NULL);
    TRY(waitid, 9, 0, NULL, 4, NULL);
    TRY(waitid, 0, 0, NULL, 0, NULL);
    FINE(getppid);
    FINE(getuid);
    FINE(geteuid);
    FINE(getgid);
    FINE(getegid);
    TRY(getresuid, &id[0], &id[1], &id[2]);
    TRY(getresuid, &id[0], WILD, &id[2]);
    TRY(getresgid, &id[0], &id[1], &id[2]);
    FINE(getgroups, 0, NULL);
    TRY(getgroups, -1, NULL);
    FINE(getpgrp);
    FINE(getpgid, 0);
    FINE(getsid, 0);
    TRY(uname, &u);
    SAY("uname", "%s %s", u.sysname, u.machine);
    TRY(uname, WILD);
    TRY(sysinfo, &s);
    TRY(prctl, PR_SET_NAME, "newname");
    TRY(prctl, PR_GET_NAME, name);
    SAY("prctl", "%s", name);
    TRY(wait4, -1, NULL, 0, NULL);
    SAY("set_tid_address", "%d", CALL(__NR_set_tid_address, &word) == pid);
}

static void limits(void)
{
    struct rlimit64 l;
    uint32_t pair[2];
    unsigned char random[32] = {0};

    TRY(prlimit64, 0, RLIMIT_STACK, NULL, &l);
    TRY(prlimit64, 0, 99, NULL, &l);
    TRY(prlimit64, 0, RLIMIT_STACK, NULL, WILD);
    TRY(getrlimit, RLIMIT_DATA, pair);
    TRY(ugetrlimit, RLIMIT_DATA, pair);
    TRY(ugetrlimit, 99, pair);
    TRY(getrandom, random, 32, 0);
    TRY(getrandom, random, 32, 99);
    SAY("getrandom", "%d", random[0] | random[9] | random[20] ? 1 : 0);
    FINE(getpriority, 0, 0);
    TRY(getpriority, 77, 0);
    TRY(setpriority, 0, 0, 19);
    TRY(setpriority, 77, 0, 10);
    FINE(nice, 0);
    pair[0] = pair[1] = 0xFFFFFFFF;
    TRY(setrlimit, RLIMIT_CORE, WILD);
    TRY(setrlimit, 99, pair);
    pair[1] = 5;
    TRY(setrlimit, RLIMIT_NOFILE, pair);
}

static void scheduling(void)
{
    unsigned cpu = 99, node = 99;
    uint32_t parameter = 9, slice[4];
    cpu_set_t set;

    TRY(sched_yield);
    TRY(sched_getscheduler, 0);
    TRY(sched_getscheduler, -5);
    TRY(sched_getparam, 0, &parameter);
    SAY("sched_getparam", "%u", parameter);
    TRY(sched_get_priority_max, SCHED_FIFO);
    TRY(sched_get_priority_min, SCHED_FIFO);
    TRY(sched_get_priority_max, SCHED_OTHER);
    TRY(sched_get_priority_max, 44);
    parameter = 0;
    TRY(sched_setscheduler, 0, SCHED_OTHER, &parameter);
    TRY(sched_setscheduler, 0, 77, &parameter);
    TRY(sched_setscheduler, 0, SCHED_OTHER, NULL);
    TRY(sched_setparam, 0, &parameter);
    TRY(sched_setparam, 0, NULL);
    TRY(sched_setparam, -5, &parameter);
    FINE(sched_rr_get_interval, 0, slice);
    TRY(sched_rr_get_interval, -5, slice);
    FINE(sched_rr_get_interval_time64, 0, slice);
    TRY(sched_rr_get_interval_time64, -5, slice);
    CPU_ZERO(&set);
    FINE(sched_getaffinity, 0, sizeof set, &set);
    SAY("sched_getaffinity", "%d", CPU_COUNT(&set) > 0);
    TRY(sched_setaffinity, 0, sizeof set, &set);
    CPU_ZERO(&set);
    TRY(sched_setaffinity, 0, sizeof set, &set);
    TRY(getcpu, &cpu, &node);
    SAY("getcpu", "%d", cpu < 99);
}

static void futexes(void)
{
    struct timespec t = {0, 1000000};
    int64_t wide[2] = {0, 1000000};
    struct {
        void *next;
        long offset;
        void *pending;
    } list = {&list, 0, 0};
    long size = 0;
    void *head = NULL;

    TRY(futex, &word, FUTEX_WAIT, 6, NULL);
    TRY(futex, &word, FUTEX_WAIT, 5, &t);
    TRY(futex, &word, FUTEX_WAKE, 1);
    TRY(futex, (char *)&word + 1, FUTEX_WAIT, 5, &t);
    TRY(futex, WILD, FUTEX_WAKE, 1);
    TRY(futex, &word, FUTEX_WAIT_BITSET, 5, &t, NULL, 0);
    TRY(futex, &word, FUTEX_CMP_REQUEUE, 1, 1, &word, 6);
    TRY(futex, &word, 55, 1);
    TRY(futex_time64, &word, FUTEX_WAIT, 5, wide);
    /* one emulator knows the list, another does not */
    (void)size, (void)head;
    SAY("set_robust_list", "%d", CALL(__NR_set_robust_list, &list, 12) <= 0);
    SAY("get_robust_list", "%d",
        CALL(__NR_get_robust_list, 0, &head, &size) <= 0);
}

int main(void)
{
    identities();
    limits();
    scheduling();
    futexes();
    fflush(stdout);
    syscall(__NR_exit_group, 42);
    return 1;
}
