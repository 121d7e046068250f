/* marked.c - what is counted in it follows from its arguments alone: a function
 * and a table that a parent, its children and the programs that they become go
 * through, with a megabyte of other memory touched between, so that pages of
 * both have to go out where memory is small.
 *
 * marked ROUNDS: two children, of which one becomes `marked again`, and four
 * threads; each does ROUNDS rounds.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/perfinst.h"

#define TABLE 64
#define BALLAST (1 << 20)

static unsigned table[TABLE] __attribute__((used));
static int rounds;

/* It calls nothing: what is executed follows from `times`. */
__attribute__((noinline, used)) static unsigned mix(unsigned value, int times)
{
    while (times--)
        value = value * 1664525u + 1013904223u;
    return value;
}
PERFINST_COUNT_FUNCTION(mix);
PERFINST_DATA(table, PERFINST_COUNT);
#ifdef MORE
MORE;
#endif

static void touch(volatile char *ballast)
{
    for (int at = 0; at < BALLAST; at += 4096)
        ballast[at]++;
}

static void go(volatile char *ballast)
{
    for (int n = 0; n < rounds; n++) {
        unsigned *word = &table[n % TABLE];

        *(volatile unsigned *)word = mix((unsigned)n, n % 5);
        if (ballast)
            touch(ballast);
    }
}

static void *thread(void *unused)
{
    go(NULL);
    return unused;
}

static void child(char **argv, char *ballast, int becomes)
{
    char *again[] = {argv[0], argv[1], "again", NULL};

    go(ballast);
    if (becomes)
        execv(argv[0], again);
    _exit(becomes ? 9 : 0);
}

int main(int argc, char **argv)
{
    char *ballast = malloc(BALLAST);
    pthread_t threads[4];
    int status, sum = 0;

    rounds = argc > 1 ? atoi(argv[1]) : 1;
    go(ballast);
    if (argc > 2)
        return 0;
    for (int n = 0; n < 2; n++) {
        if (fork() == 0)
            child(argv, ballast, n);
    }
    while (wait(&status) > 0)
        sum += status;
    for (int n = 0; n < 4; n++)
        pthread_create(&threads[n], NULL, thread, NULL);
    for (int n = 0; n < 4; n++)
        pthread_join(threads[n], NULL);
    printf("done %d\n", sum);
    return sum != 0;
}
