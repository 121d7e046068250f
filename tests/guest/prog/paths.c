/* paths.c - a thread that waits at the end of as many different paths of calls
 * as the argument says, 16 calls long each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned steps;

static void left(unsigned path, unsigned length);
static void right(unsigned path, unsigned length);

static inline void walk(unsigned path, unsigned length)
{
    const struct timespec rest = {0, 100000};

    if (!length)
        nanosleep(&rest, NULL);
    else if (path & 1)
        left(path >> 1, length - 1);
    else
        right(path >> 1, length - 1);
    steps++; /* so that no call is a jump */
}

static __attribute__((noinline)) void left(unsigned path, unsigned length)
{
    walk(path, length);
}

static __attribute__((noinline)) void right(unsigned path, unsigned length)
{
    walk(path, length);
}

int main(int argc, char **argv)
{
    unsigned paths = (unsigned)atoi(argv[argc - 1]);

    for (unsigned n = 0; n < paths; n++)
        walk(n * 40503 >> 4, 16);
    printf("steps %u\n", steps);
    return 0;
}
