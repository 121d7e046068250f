/* hostile.c - every system call with arguments that make no sense: addresses
 * that are not mapped, of the kernel, read-only, at the end of a page; numbers
 * that are too large. An error is fine, a dead kernel is not. Calls that end
 * the program, or wait, are asked in a child or left out.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int waits(long n)
{
    static const int those[] = {1,   2,   29,  72,  114, 7,   3,  145, 119,
                                120, 172, 178, 179, 189, 234, 6,  91,  125,
                                45,  163, 167, 162, 248, 407, 11, 90,  192,
                                142, 280, 281, 413, 414, 176, 421};

    for (unsigned k = 0; k < sizeof those / sizeof *those; k++)
        if (those[k] == n)
            return 1;
    return 0;
}

static unsigned long wild[8];
static unsigned state = 12345;

static unsigned long pick(void)
{
    state = state * 1103515245 + 12345;
    return wild[state >> 16 & 7];
}

static void shoot(int from, int to, int rounds, int all)
{
    for (int k = 0; k < rounds; k++)
        for (long n = from; n < to; n++)
            if (all || !waits(n))
                syscall(n, pick(), pick(), pick(), pick(), pick(), pick());
}

/* Those that may end it: in a child, which an alarm of its parent's ends. */
static void shoot_child(int n)
{
    struct timespec moment = {0, 300000};
    int status;
    pid_t child = fork();

    if (!child) {
        for (int k = 0; k < 30; k++)
            syscall(n, pick(), pick(), pick(), pick(), pick(), pick());
        _exit(0);
    }
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
}

int main(void)
{
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    mprotect(page + 4096, 4096, PROT_NONE);
    for (int n = 1; n < 65; n++)
        signal(n, SIG_IGN);
    wild[0] = 0;
    wild[1] = 0x100;
    wild[2] = 0xFFFFFFFC;
    wild[3] = 0xC0000000;
    wild[4] = (unsigned long)page + 4094;
    wild[5] = 0x7FFFFFFF;
    wild[6] = (unsigned long)page;
    wild[7] = 3;
    fflush(stdout);
    shoot(0, 512, 20, 0);
    for (int n = 0; n < 512; n++)
        if (waits(n) && n != 2 && n != 189 && n != 120)
            shoot_child(n);
    syscall(SYS_write, 1, "alive\n", 6);
    _exit(0);
}
