/* robusts.c - lists and words of locks that make no sense, words that go away
 * while they are waited for, and threads and processes that do all there is to
 * locks until they are killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static unsigned list[64], words[64], *shared;
static int futex(void *w, int op, int v)
{
    return syscall(SYS_futex, w, op, v, 0, 0, 0);
}
static void *dies(void *how)
{
    static const unsigned at[] = {0x100, 0xB0000000, 0xC0000000, 0xFFFFFFFC,
                                  3,     0xF0000000, 0x10000000};
    int h = (int)(long)how;
    unsigned me = gettid();
    if (h < 7)
        syscall(SYS_set_robust_list, at[h], 12);
    else if (h == 7) {
        list[0] = (unsigned)list;
        syscall(SYS_set_robust_list, list, 12);
    } else if (h == 8) {
        list[4] = (unsigned)&list[8];
        list[8] = (unsigned)&list[8];
        list[5] = 0;
        syscall(SYS_set_robust_list, &list[4], 12);
    } else if (h == 9) {
        list[12] = (unsigned)&list[16] | 1;
        list[16] = (unsigned)&list[12];
        list[13] = 0x10000001;
        list[14] = 0xFFFFFFFF;
        syscall(SYS_set_robust_list, &list[12], 12);
    } else {
        list[20] = (unsigned)&list[24] | 1;
        list[24] = (unsigned)&list[20];
        list[21] = (unsigned)&words[h] - (unsigned)&list[24];
        list[22] = (unsigned)&list[24];
        words[h] = me | 0x80000000;
        syscall(SYS_set_robust_list, &list[20], 12);
    }
    return 0;
}
static void *waits(void *w)
{
    return (void *)(long)futex(w, 6, 0);
}
static void *chaos(void *seed)
{
    unsigned n = (unsigned)(long)seed * 7919 + 1;
    for (int k = 0; k < 400; k++) {
        n = n * 1103515245 + 12345;
        unsigned *w = (n >> 9 & 1 ? shared : words) + (n >> 16) % 6;
        switch (n >> 24 & 7) {
        case 0:
        case 1: {
            struct {
                int s, ns;
            } t = {0, 0};
            syscall(SYS_futex, w, n >> 28 & 1 ? 6 : 13, 0, &t, 0, 0);
        } break;
        case 2:
        case 3:
            futex(w, 7, 0);
            break;
        case 4:
            *w = gettid();
            break;
        case 5:
            *w = 0;
            break;
        case 6:
            *w = n;
            break;
        default:
            futex(w, 8, 0);
        }
    }
    return 0;
}
int main(void)
{
    pthread_t t[8];
    int s;
    shared = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (long h = 0; h < 13; h++) {
        pthread_create(&t[0], 0, dies, (void *)h);
        pthread_join(t[0], 0);
    }
    printf("%x %x %x\n", words[10], words[11], words[12]);
    printf("bad %d %d\n", (int)syscall(SYS_set_robust_list, list, 13),
           futex((void *)0x100, 6, 0));
    printf("wild %d %d %d\n", futex((void *)0xC0000000, 6, 0),
           futex((void *)0xC0000000, 7, 0), futex((char *)words + 1, 6, 0));
    /* a waiter whose word goes away */
    char *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    futex(p, 6, 0);
    pthread_create(&t[0], 0, waits, p);
    usleep(1000);
    munmap(p, 4096);
    printf("unlock of none %d\n", futex(p, 7, 0));
    p = mmap(p, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    printf("of zeros %d\n", futex(p, 7, 0));
    *(int *)p = gettid();
    printf("mine %d\n", futex(p, 7, 0));
    pthread_join(t[0], 0);
    /* processes that share, and threads, do all they can; killed by and by */
    for (int round = 0; round < 6; round++) {
        int c[3];
        for (int n = 0; n < 3; n++)
            if (!(c[n] = fork())) {
                for (long k = 0; k < 5; k++)
                    pthread_create(&t[k], 0, chaos,
                                   (void *)(k + n * 10 + round * 100));
                for (long k = 0; k < 5; k++)
                    pthread_join(t[k], 0);
                _exit(0);
            }
        usleep(4000);
        for (int n = 0; n < 3; n++) {
            kill(c[n], SIGKILL);
            waitpid(c[n], &s, 0);
        }
    }
    puts("alive");
    return 0;
}
