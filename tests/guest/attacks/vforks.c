/* vforks.c - the child of a vfork takes all memory, which is its parent's, and
 * has an earlier place in the table of processes than that.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int s, b = fork(), c;
    if (!b) {
        usleep(3000);
        _exit(0);
    }
    c = fork();
    if (!c) {
        usleep(20000);
        if (!vfork()) {
            char *p = mmap(0, 1 << 30, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            for (unsigned n = 0; n < 1 << 30; n += 4096)
                p[n] = 1;
            _exit(1);
        }
        _exit(5);
    }
    waitpid(b, &s, 0);
    printf("b %x\n", s);
    waitpid(c, &s, 0);
    printf("c %x\nalive\n", s);
    return 0;
}
