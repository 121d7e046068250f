/* calls_hostile.c - arguments that no program gives: pointers to nowhere,
 * lengths and places at the ends of their range, flags and numbers that do not
 * exist. Results and errors, where the emulator has those of Linux.
 */
#include "check.h"

#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <signal.h>
#include <time.h>

static char b[4096] __attribute__((aligned(8)));
static struct iovec v[1025];
static int fd, i;
static struct stat s;

static void part_0(void)
{
    fd = open("hf", O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static void part_1(void)
{
    TRY(ftruncate64, fd, 0, 0x7fffffff, 0xffffffff);
    TRY(ftruncate64, fd, 0, 0x80000000, 0);
    TRY(ftruncate64, fd, 0, 0x3f, 0xffffffff);
}

static void part_2(void)
{
    fstat(fd, &s);
}

static void part_3(void)
{
    TRY(_llseek, fd, 0x7fffffff, 0xffffffff, b, 0);
    TRY(write, fd, b, 1);
    TRY(_llseek, fd, 0x7fffffff, 0xffffffff, b, 1);
    TRY(_llseek, fd, 0, 0, b, 5);
    TRY(_llseek, fd, 0, 0, WILD, 0);
    TRY(lseek, fd, -1, 0);
    TRY(lseek, fd, 0x7fffffff, 0);
}

static void part_4(void)
{
    TRY(pwrite64, fd, b, 1, 0, 0x7fffffff, 0xffffffff);
    TRY(pread64, fd, b, 1, 0, 0x7fffffff, 0xffffffff);
    TRY(pread64, fd, b, 1, 0, 0xffffffff, 0xffffffff);
    TRY(pwrite64, fd, b, 0, 0, 0, 0);
}

static void part_5(void)
{
    TRY(fallocate, fd, 0, 0, 0, 0, 0);
    TRY(fallocate, fd, 0, 0x7fffffff, 0xffffffff, 0, 1);
    TRY(fallocate, fd, 0x100, 0, 0, 0, 1);
    TRY(fallocate, fd, 3, 0, 0, 0, 4096);
}

static void part_6(void)
{
    TRY(truncate64, "hf", 0, 0, 0);
    TRY(read, fd, WILD, 1);
    TRY(write, fd, WILD, 1);
    TRY(read, fd, b, -1);
    TRY(read, fd, WILD, 0);
    TRY(write, fd, WILD, 0);
}

static void part_7(void)
{
    for (i = 0; i < 1025; i++)
        v[i].iov_base = b, v[i].iov_len = 0x7fffffff;
}

static void part_8(void)
{
    TRY(readv, fd, v, 1025);
    TRY(readv, fd, v, -1);
    TRY(readv, fd, WILD, 1);
    TRY(readv, fd, v, 0);
    TRY(writev, fd, WILD, 0);
    v[0].iov_len = -1;
    TRY(writev, fd, v, 1);
    v[0].iov_len = 1;
    v[1].iov_base = WILD;
    v[1].iov_len = 1;
    TRY(writev, fd, v, 2);
    v[1].iov_len = 0;
    TRY(writev, fd, v, 2);
    v[0].iov_base = WILD;
    v[0].iov_len = 10;
    TRY(writev, fd, v, 1);
    TRY(readv, fd, v, 1);
}

static void part_9(void)
{
    TRY(dup, -1);
    TRY(dup, 9999);
    TRY(dup2, fd, -1);
    TRY(dup2, fd, 99999);
    TRY(dup2, -1, fd);
    TRY(dup2, fd, fd);
    TRY(dup3, fd, fd, 0);
    TRY(dup3, fd, 20, 1);
    TRY(close, -1);
    TRY(close, 20);
}

static void part_10(void)
{
    TRY(fcntl64, fd, 0, 99999);
    TRY(close, 1023);
    TRY(fcntl64, fd, 9999, 0);
    TRY(fcntl64, fd, 5, WILD);
    TRY(fcntl64, -1, 1, 0);
    TRY(fcntl64, fd, 2, 0x10000);
    TRY(fcntl64, fd, 1, 0);
}

static void part_11(void)
{
    TRY(ioctl, fd, 0x4004667f, WILD);
}

static void part_12(void)
{
    TRY(open, "hf", 3);
    TRY(open, WILD, 0);
    TRY(open, "hf", 0x80000000);
    TRY(open, "hf", O_CREAT | O_DIRECTORY, 0600);
    TRY(open, "hf/", 0);
    TRY(open, ".", O_RDWR);
    TRY(open, ".", O_CREAT, 0600);
    TRY(open, "hf", O_CREAT | O_EXCL, 0600);
    TRY(open, "nx", 0);
    TRY(open, "", 0);
    TRY(open, "hf", O_TMPFILE | 2, 0600);
    TRY(openat, -1, "x", 0);
    TRY(openat, fd, "x", 0);
    TRY(openat, -1, "/nx", 0);
}

static void part_13(void)
{
    TRY(pipe, WILD);
    TRY(pipe2, b, -1);
    TRY(pipe2, b, 0x4000);
    TRY(eventfd2, 0, -1);
    TRY(memfd_create, WILD, 0);
    TRY(memfd_create, "x", 0xff0);
}

static void part_14(void)
{
    TRY(unlink, ".");
    TRY(rmdir, ".");
    TRY(rmdir, "..");
    TRY(rmdir, "hf");
    TRY(unlinkat, -1, "x", 0);
    TRY(unlinkat, fd, "x", 0);
    TRY(unlinkat, -100, "x", 1);
    TRY(mkdir, "hf", 0);
    TRY(mkdir, "hf/x", 0);
    TRY(mkdir, WILD, 0);
    TRY(mkdir, "", 0);
    TRY(symlink, "", "");
    TRY(symlink, "x", "");
    TRY(symlink, WILD, "x");
    TRY(link, "nx", "ny");
    TRY(link, "hf", "hf");
    TRY(link, ".", "hl");
    TRY(rename, "hf", "hf");
    TRY(rename, ".", "x");
    TRY(rename, "nx", "ny");
    TRY(rename, "hf", ".");
    TRY(rename, "hf", "hf/");
    TRY(renameat2, -100, "hf", -100, "hg", 3);
    TRY(renameat2, -100, "hf", -100, "hf", 1);
    TRY(renameat2, -100, "hf", -100, "nx", 2);
}

static void part_15(void)
{
    TRY(readlink, "hf", b, 10);
    TRY(readlink, "nx", b, 10);
    TRY(readlink, "hf", b, 0);
    TRY(access, "hf", 8);
    TRY(access, "hf", -1);
    TRY(faccessat, -100, WILD, 0);
    TRY(chmod, "nx", 0);
    TRY(fchmod, -1, 0);
    TRY(chown, "nx", 0, 0);
    TRY(fchown, -1, 0, 0);
    TRY(fchownat, -100, "hf", 0, 0, 0x800);
    TRY(fchownat, fd, "", 0, 0, 0x1000);
    TRY(utimensat, -100, "hf", WILD, 0);
    TRY(utimensat, fd, NULL, NULL, 0);
    TRY(utimensat, -100, "hf", NULL, 0x800);
    {
        struct timespec t[2] = {{0, 1000000000}, {0, 0}};
        TRY(utimensat, -100, "hf", t, 0);
        t[0].tv_nsec = -1;
        TRY(utimensat, -100, "hf", t, 0);
        t[0].tv_nsec = 0x3ffffffe;
        t[1].tv_nsec = 0x3ffffffe;
        TRY(utimensat, -100, "nx", t, 0);
        TRY(utimensat, -100, "hf", t, 0);
    }
    {
        struct timeval t[2] = {{0, 1000000}, {0, 0}};
        TRY(utimes, "hf", t);
    }
}

static void part_16(void)
{
    TRY(stat64, "hf", WILD);
    TRY(fstat64, -1, b);
    TRY(fstat64, fd, WILD);
    TRY(fstatat64, -100, "", b, 0);
    TRY(fstatat64, -100, "hf", b, -1);
    TRY(statx, -100, "hf", 0, 0x80000000, b);
    TRY(statx, -100, "hf", -1, 0, b);
    TRY(statfs, "nx", b);
    TRY(fstatfs64, fd, 84, WILD);
    TRY(getdents64, fd, b, 100);
    i = open(".", O_RDONLY);
    TRY(getdents64, i, b, 1);
    TRY(getdents64, i, WILD, 1000);
    TRY(lseek, i, -1, 0);
    TRY(lseek, i, 0, 2);
    TRY(read, i, b, 1);
    TRY(write, i, b, 1);
    TRY(ftruncate, i, 0);
    TRY(fsync, i);
    TRY(fchdir, i);
    TRY(fchdir, fd);
    TRY(chdir, "hf");
    TRY(chdir, "nx");
    TRY(chdir, "");
    TRY(getcwd, b, 0);
    TRY(getcwd, b, 1);
    TRY(getcwd, WILD, 4096);
}

static void part_17(void)
{
    TRY(munmap, 0, 0);
    TRY(munmap, 1, 4096);
    TRY(munmap, 0xfffff000, 4096);
    TRY(munmap, 0, -1);
    TRY(mprotect, 0x10000000, 4096, 0x1000000);
    TRY(madvise, 1, 4096, 4);
    TRY(mincore, 0x10000000, 4096, WILD);
    TRY(mincore, 0x50000000, 4096, b);
    TRY(mlock, 0, 4096);
    TRY(msync, 0x10000000, 4096, 5);
    TRY(msync, 0x10000000, 4096, 99);
}

static void part_18(void)
{
    TRY(futex, 1, 0, 0, 0);
    TRY(futex, WILD, 0, 0, 0);
    TRY(futex, b, 99, 0, 0);
    TRY(futex, b, 9, 0, 0, 0, 0);
    TRY(futex, b, 1, -1, 0);
    TRY(futex, b, 1, 0, 0);
    TRY(futex, b, 3, -1, 1, b);
    TRY(futex, b, 4, 0, 0, b + 4, 12345);
    TRY(futex, b, 5, 0, 0, b + 4, 0xf0000000);
    {
        struct timespec t = {0, -1};
        *(int *)b = 0;
        TRY(futex, b, 0, 0, &t);
        t.tv_sec = -1;
        t.tv_nsec = 0;
        TRY(futex, b, 0, 0, &t);
        t.tv_sec = 0;
        TRY(futex, b, 0, 0, &t);
        TRY(futex, b, 0, 1, 0);
        TRY(futex, b, 0, 0, WILD);
        TRY(futex, b, 128 | 9, 0, &t, 0, -1);
    }
}

static void part_19(void)
{
    {
        struct timespec t = {0, 1000000000};
        TRY(nanosleep, &t, 0);
        t.tv_nsec = -1;
        TRY(nanosleep, &t, 0);
        t.tv_sec = -1;
        t.tv_nsec = 0;
        TRY(nanosleep, &t, 0);
        t.tv_sec = 0;
        t.tv_nsec = 1;
        TRY(nanosleep, &t, WILD);
        TRY(clock_nanosleep, 0, 2, &t, 0);
        TRY(clock_nanosleep, 99, 0, &t, 0);
        TRY(clock_gettime, 99, &t);
        TRY(clock_gettime, 0, WILD);
        TRY(clock_getres, 0, 0);
        TRY(clock_getres, -1, 0);
        TRY(clock_getres, 99, &t);
    }
}

static void part_20(void)
{
    {
        struct itimerval t = {{0, 1000000}, {0, 0}};
        TRY(setitimer, 0, &t, 0);
        TRY(setitimer, 3, &t, 0);
        TRY(setitimer, 0, WILD, 0);
        t.it_interval.tv_usec = 0;
        t.it_value.tv_sec = -1;
        TRY(setitimer, 0, &t, 0);
        TRY(getitimer, 0, WILD);
        TRY(getitimer, 3, b);
    }
    {
        struct sigevent e = {0};
        int id;
        e.sigev_notify = 99;
        TRY(timer_create, 0, &e, &id);
        TRY(timer_create, 99, 0, &id);
        TRY(timer_create, 0, WILD, &id);
        TRY(timer_create, 0, 0, WILD);
        e.sigev_notify = 0;
        e.sigev_signo = 0;
        TRY(timer_create, 0, &e, &id);
        e.sigev_signo = 65;
        TRY(timer_create, 0, &e, &id);
        TRY(timer_settime, 99, 0, b, 0);
        TRY(timer_gettime, -1, b);
        TRY(timer_delete, 99);
        TRY(timer_getoverrun, 99);
        TRY(timer_create, 0, 0, &id);
        TRY(timer_settime, id, 0, WILD, 0);
        TRY(timer_settime, id, 0, 0, 0);
        TRY(timer_delete, id);
        TRY(timer_delete, id);
    }
}

static void part_21(void)
{
    TRY(kill, getpid(), -1);
    TRY(kill, getpid(), 65);
    TRY(tkill, 0, 1);
    TRY(tgkill, getpid(), 0, 1);
    TRY(tgkill, 0, gettid(), 1);
    TRY(rt_sigaction, 0, 0, 0, 8);
    TRY(rt_sigaction, 9, b, 0, 8);
    TRY(rt_sigaction, 64, 0, WILD, 8);
    TRY(rt_sigprocmask, 0, WILD, 0, 8);
    TRY(rt_sigprocmask, 3, b, 0, 8);
    TRY(rt_sigprocmask, 0, 0, WILD, 8);
    TRY(rt_sigpending, WILD, 8);
    TRY(rt_sigpending, b, 16);
    TRY(rt_sigsuspend, b, 4);
    TRY(rt_sigsuspend, WILD, 8);
    TRY(rt_sigtimedwait, b, 0, 0, 4);
    TRY(rt_sigtimedwait, WILD, 0, 0, 8);
    {
        uint64_t z = 0;
        struct timespec t = {0, 1000000000};
        TRY(rt_sigtimedwait, &z, 0, &t, 8);
        t.tv_nsec = 0;
        TRY(rt_sigtimedwait, &z, 0, &t, 8);
        TRY(rt_sigtimedwait, &z, 0, WILD, 8);
    }
    TRY(sigaltstack, WILD, 0);
    TRY(sigaltstack, 0, WILD);
}

static void part_22(void)
{
    TRY(getrlimit, 99, b);
    TRY(setrlimit, 99, b);
    TRY(getrlimit, 0, WILD);
    TRY(prlimit64, 0, 99, 0, 0);
    TRY(prlimit64, 99999, 0, 0, 0);
    TRY(getrusage, 5, b);
    TRY(getrusage, 0, WILD);
    TRY(times, WILD);
    TRY(uname, WILD);
    TRY(sysinfo, WILD);
    TRY(gettimeofday, WILD, 0);
    TRY(getgroups, -1, b);
    TRY(getpgid, 99999);
    TRY(getsid, 99999);
    TRY(getpriority, 9, 0);
    TRY(setpriority, 9, 0, 0);
    TRY(sched_getaffinity, 0, 1, b);
    TRY(sched_getaffinity, 0, 128, WILD);
    TRY(sched_getaffinity, 99999, 128, b);
    TRY(sched_setaffinity, 0, 0, b);
    TRY(sched_setaffinity, 0, 4, WILD);
    TRY(sched_getparam, 0, 0);
    TRY(sched_getparam, -1, b);
    TRY(sched_getscheduler, -1);
    TRY(sched_getscheduler, 99999);
    TRY(sched_get_priority_max, 99);
    TRY(sched_setscheduler, 0, 99, b);
    TRY(getcpu, WILD, 0, 0);
    TRY(prctl, 9999, 0);
    TRY(prctl, 15, WILD);
    TRY(prctl, 16, WILD);
    TRY(prctl, 1, 65);
    TRY(getrandom, b, 10, 8);
    TRY(getrandom, b, 10, 6);
    TRY(getrandom, WILD, 10, 0);
    TRY(getrandom, WILD, 0, 0);
    TRY(poll, WILD, 1, 0);
    TRY(poll, 0, 0, 0);
    TRY(ppoll, 0, 0, WILD, 0, 8);
    TRY(_newselect, -1, 0, 0, 0, b);
    TRY(_newselect, 10, WILD, 0, 0, 0);
    {
        struct timeval t = {0, 0};
        TRY(_newselect, 0, 0, 0, 0, &t);
        TRY(_newselect, 2000, 0, 0, 0, &t);
        t.tv_usec = -1;
        TRY(_newselect, 0, 0, 0, 0, &t);
        b[0] = b[1] = b[2] = b[3] = 0;
        TRY(_newselect, 0, b, 0, 0, &t);
        t.tv_sec = -1;
        t.tv_usec = 0;
        TRY(_newselect, 0, 0, 0, 0, &t);
    }
}

static void part_23(void)
{
    TRY(sendfile, 1, fd, WILD, 1);
    TRY(sendfile, fd, -1, 0, 1);
    TRY(sendfile64, fd, fd, WILD, 1);
    TRY(flock, fd, 99);
    TRY(flock, -1, 1);
    TRY(fadvise64, -1, 0, 0, 0, 0);
    TRY(wait4, -1, 0, 1, 0);
    TRY(waitid, 9, 0, 0, 0);
    TRY(waitid, 0, 0, 0, 4);
    TRY(getxattr, "nx", "user.a", b, 1);
    TRY(fgetxattr, -1, "user.a", b, 1);
    TRY(mknod, "hf", 0100600, 0);
    TRY(mknod, "mk", 0100600, 0);
    TRY(mknod, "mk2", 0, 0);
    TRY(mknod, "mk3", 0040700, 0);
    TRY(mknod, "mk4", 0170000, 0);
    TRY(setgroups, -1, b);
    TRY(swapcontext, 0, 0, 1);
}

int main(void)
{
    part_0();
    part_1();
    part_2();
    part_3();
    part_4();
    part_5();
    part_6();
    part_7();
    part_8();
    part_9();
    part_10();
    part_11();
    part_12();
    part_13();
    part_14();
    part_15();
    part_16();
    part_17();
    part_18();
    part_19();
    part_20();
    part_21();
    part_22();
    part_23();
    return 0;
}
