/* paging.c - memory of every private kind, more of it than there is: threads
 * fill it, a deep stack, a child that changes its copy while the parent changes
 * its own, a mapping that moves. With an argument: until there is no more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#define PAGES 700
static unsigned *area;
static unsigned value(unsigned page, unsigned n)
{
    return page * 2654435761u + n * 40503u;
}
static void *fill(void *arg)
{
    unsigned from = (unsigned)(long)arg;
    for (unsigned p = from; p < PAGES; p += 4)
        for (unsigned n = 0; n < 1024; n += 64)
            area[p * 1024 + n] = value(p, n);
    return 0;
}
static unsigned check(unsigned more)
{
    unsigned wrong = 0;
    for (unsigned p = 0; p < PAGES; p++)
        for (unsigned n = 0; n < 1024; n += 64)
            wrong += area[p * 1024 + n] != value(p, n) + more;
    return wrong;
}
static int deep(int n)
{
    char b[3000];
    memset(b, n, sizeof b);
    if (n && deep(n - 1) != n - 1)
        return -1;
    for (unsigned k = 0; k < sizeof b; k++)
        if (b[k] != (char)n)
            return -2;
    return n;
}
int main(int argc, char **argv)
{
    pthread_t t[4];
    int status;
    area = mmap(0, PAGES * 4096, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long k = 0; k < 4; k++)
        pthread_create(&t[k], 0, fill, (void *)k);
    for (int k = 0; k < 4; k++)
        pthread_join(t[k], 0);
    printf("wrong %u\n", check(0));
    printf("deep %d\n", deep(500));
    fflush(stdout);
    if (!fork()) {
        for (unsigned p = 0; p < PAGES; p += 3)
            for (unsigned n = 0; n < 1024; n += 64)
                area[p * 1024 + n] += 7;
        unsigned wrong = 0;
        for (unsigned p = 0; p < PAGES; p++)
            for (unsigned n = 0; n < 1024; n += 64)
                wrong += area[p * 1024 + n] != value(p, n) + (p % 3 ? 0 : 7);
        printf("child wrong %u\n", wrong);
        fflush(stdout);
        _exit(wrong ? 1 : 5);
    }
    for (unsigned p = 0; p < PAGES; p++)
        for (unsigned n = 0; n < 1024; n += 64)
            area[p * 1024 + n] += 3;
    printf("parent wrong %u\n", check(3));
    wait(&status);
    printf("status %d, still %u\n", WEXITSTATUS(status), check(3));
    area = mremap(area, PAGES * 4096, 2 * PAGES * 4096, MREMAP_MAYMOVE);
    printf("moved %d\n", check(3));
    if (getenv("HOME")[1] == 0) { /* in the guest, and only there */
        struct rusage use;
        struct sysinfo info;
        getrusage(RUSAGE_SELF, &use);
        sysinfo(&info);
        fprintf(stderr, "made %ld, read %ld, out %ld\n", use.ru_minflt,
                use.ru_majflt, (info.totalswap - info.freeswap) / 4096);
    }
    while (argc > 1)
        memset(malloc(1 << 20), 1, 1 << 20);
    return 3;
}
