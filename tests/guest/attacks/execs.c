/* execs.c - programs that begin with too much, with too little, or are none. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static void *sits(void *p)
{
    for (;;)
        pause();
    return p;
}
static char *many[40001];
int main(int count, char **word)
{
    int s;
    if (count == 2 && !strcmp(word[1], "x"))
        return 3;
    if (count == 3) {
        char n[9];
        int k = atoi(word[2]);
        snprintf(n, 9, "%d", k - 1);
        if (k)
            execl("/proc/self/exe", "e", "c", n, NULL);
        return 4;
    }
    if (count != 1)
        return count == 0 ? 5 : 6;
    for (int way = 0; way < 9; way++) {
        if (!fork()) {
            char *x[] = {"e", "x", 0};
            char *huge = malloc(3000000);
            pthread_t t;
            char *h[] = {"e", huge, 0};
            memset(huge, 'a', 2999999);
            huge[2999999] = 0;
            for (int n = 0; n < 40000; n++)
                many[n] = "12345678";
            switch (way) {
            case 0:
                execv("/proc/self/exe", many);
                break;
            case 1:
                execv("/proc/self/exe", h);
                break;
            case 2:
                execve("/proc/self/exe", (char **)0x3, 0);
                break;
            case 3:
                execve("/proc/self/exe", x, (char **)0xFFFFFFFC);
                break;
            case 4:
                execve("/proc/self/exe", 0, 0);
                break;
            case 5:
                execl("/proc/self/exe", "e", "c", "20", NULL);
                break;
            case 6:
                pthread_create(&t, 0, sits, 0);
                execv("/proc/self/exe", x);
                break;
            case 7:
                execve((char *)0xC0000000, x, 0);
                break;
            case 8: {
                int fd = open("/tmp/p", O_CREAT | O_RDWR, 0755),
                    in = open("/proc/self/exe", O_RDONLY), n;
                static char b[4096];
                while ((n = read(in, b, 4096)) > 0) {
                    b[40] ^= 1;
                    write(fd, b, n);
                }
                close(fd);
                execl("/tmp/p", "p", "x", NULL);
            }
            }
            _exit(errno);
        }
        wait(&s);
        printf("%d: %x\n", way, s);
        fflush(stdout);
    }
    puts("alive");
    return 0;
}
