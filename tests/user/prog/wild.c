/* wild.c - system calls that no program would make: random numbers, random
 * arguments, pointers into nowhere, into text, across the end of a page. The
 * arguments are a seed and a count. It ends by itself, whatever happened. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t state;
static char *pages; /* one that can be used, one that cannot */

static uint32_t any(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static uint32_t argument(void)
{
    static const uint32_t odd[] = {
        0,          1,          2,          3,          4,          7,
        8,          16,         64,         255,        256,        4095,
        4096,       65536,      0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFF9C,
        0xFFFFF000, 0xC0000000, 0xBFFFFFFF, 0x10000000};

    switch (any() % 8) {
    case 0:
        return any();
    case 1:
    case 2:
        return odd[any() % (sizeof odd / sizeof odd[0])];
    case 3:
        return (uint32_t)(uintptr_t)pages + any() % 4096;
    case 4:
        return (uint32_t)(uintptr_t)pages + 4096 - any() % 64;
    case 5:
        return any() % 32;
    case 6:
        return (uint32_t)(uintptr_t)&state;
    default:
        return 1u << any() % 32;
    }
}

/* Calls that would end the test rather than a fault. */
static int spared(long n)
{
    switch (n) {
    case __NR_exit:
    case __NR_exit_group:
    case __NR_pause:
    case __NR_rt_sigreturn:
    case __NR_sigreturn:
    case __NR_rt_sigsuspend:
    case __NR_clone:
    case __NR_kill:
    case __NR_tkill:
    case __NR_tgkill:
    case __NR_rt_sigqueueinfo:
    case __NR_rt_tgsigqueueinfo:
    case __NR_alarm:
    case __NR_setitimer:
    case __NR_timer_create:
    case __NR_munmap:
    case __NR_mmap:
    case __NR_mmap2:
    case __NR_mremap:
    case __NR_mprotect:
    case __NR_brk:
    case __NR_madvise:
    case __NR_rt_sigaction:
    case __NR_sigaltstack:
    case __NR_rt_sigtimedwait:
    case __NR_rt_sigtimedwait_time64:
    case __NR_futex:
    case __NR_futex_time64:
    case __NR_nanosleep:
    case __NR_clock_nanosleep:
    case __NR_clock_nanosleep_time64:
    case __NR_poll:
    case __NR_ppoll:
    case __NR_ppoll_time64:
    case __NR__newselect:
    case __NR_pselect6:
    case __NR_pselect6_time64:
        return 1;
    default:
        return 0;
    }
}

int main(int argc, char **argv)
{
    long count = argc > 2 ? atol(argv[2]) : 1000;
    int deadly = argc > 3;

    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    for (int i = 0; i < 4096; i++)
        pages[i] = (char)(any() % 7 ? "a/.0x\0"[any() % 6] : any());
    if (deadly) /* even a call that never returns has an end */
        alarm(2);
    for (long i = 0; i < count; i++) {
        long n = any() % 16 ? any() % 450 : any();
        uint32_t a[6];

        for (int k = 0; k < 6; k++)
            a[k] = argument();
        if (!deadly && spared(n))
            continue;
        if (n == __NR_write || n == __NR_writev || n == __NR_pwritev)
            a[0] = 2 + any() % 40; /* not stdout */
        if (n == __NR_close || n == __NR_dup2 || n == __NR_dup3)
            a[0] += 3, a[1] += 3;
        syscall(n, a[0], a[1], a[2], a[3], a[4], a[5]);
        if (any() % 16 == 0)
            pages[any() % 4096] = (char)any();
    }
    write(1, "done\n", 5);
    return 0;
}
