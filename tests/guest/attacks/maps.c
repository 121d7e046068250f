/* maps.c - mappings at random, and reads and writes that go there. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static unsigned x;
static unsigned rnd(void)
{
    x = x * 1103515245 + 12345;
    return x >> 8 ^ x << 13;
}
static unsigned wild(void)
{
    static const unsigned at[] = {
        0,          0x1000,     0x0FFFF000, 0x10000000, 0x48000000,
        0xAFFFF000, 0xB0000000, 0xBFFFE000, 0xBFFFF000, 0xC0000000,
        0xFFFFF000, 0x80000000, 0x60000000};
    return rnd() % 3 ? 0x50000000 + (rnd() % 64) * 4096
                     : at[rnd() % 13] + (rnd() % 5 ? 0 : rnd() % 4096);
}
static unsigned len(void)
{
    return rnd() % 3   ? (rnd() % 16) * 4096
           : rnd() % 2 ? rnd()
                       : (rnd() % 9) * 0x10000000;
}
static void *go(void *p)
{
    int fd = open("/tmp/m", O_RDWR | O_CREAT, 0600);
    (void)p;
    if (fd < 0)
        return 0;
    ftruncate(fd, 100000);
    for (int n = 0; n < 1000; n++)
        switch (rnd() % 10) {
        case 0:
        case 1:
        case 2:
            syscall(SYS_mmap2, wild(), len(), rnd() & 7,
                    (rnd() & 0x33) | (rnd() % 3 ? 0x10 : 0) |
                        (rnd() % 2 ? 0x20 : 0),
                    rnd() % 2 ? fd : -1, rnd() % 40);
            break;
        case 3:
        case 4:
            syscall(SYS_munmap, wild(), len());
            break;
        case 5:
            syscall(SYS_mprotect, wild(), len(), rnd() & 7);
            break;
        case 6:
            syscall(SYS_mremap, wild(), len(), len(), rnd() & 3, wild());
            break;
        case 7:
            syscall(SYS_madvise, wild(), len(), rnd() % 20);
            break;
        case 8:
            syscall(SYS_read, fd, wild(), len());
            lseek(fd, rnd() % 100000, 0);
            break;
        default:
            syscall(SYS_write, fd, wild(), len() & 0xFFFF);
            lseek(fd, rnd() % 100000, 0);
            syscall(SYS_brk, wild());
        }
    return 0;
}
int main(void)
{
    int s, bad = 0;
    for (x = 1; x < 9; x++) {
        unsigned seed = x;
        if (!fork()) {
            x = seed * 99991;
            pthread_t t;
            if (seed % 2 && !pthread_create(&t, 0, go, 0)) {
                go(0);
                pthread_join(t, 0);
            } else
                go(0);
            _exit(0);
        }
        if (seed % 3 == 0)
            while (wait(&s) > 0)
                bad += s != 0;
        x = seed;
    }
    while (wait(&s) > 0)
        bad += s != 0;
    fprintf(stderr, "%d did not end well\n", bad);
    puts("alive");
    return 0;
}
