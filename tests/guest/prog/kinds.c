/* kinds.c - a program that is marked in every way: marks that interrupt, pass
 * limits, open windows, trace, and ranges. What each counts follows from the
 * arguments alone, not from the other threads.
 *
 * kinds ROUNDS THREADS [LETTERS]: goes through it, and so do THREADS threads at
 * once. With the letter f it forks behind that inside a window, which parent
 * and child both close, and the child becomes `kinds ROUNDS 0`. With t a timer
 * interrupts it all, whose handler is marked, too; how often it came is
 * printed.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/perfinst.h"

#define TABLE 64
#define THREADS 8

static unsigned table[TABLE] __attribute__((used));
static volatile unsigned flag __attribute__((used));
static volatile int ticks;
static int rounds;

/* Interrupts at its first instruction. */
__attribute__((noinline, used)) static unsigned start(unsigned value)
{
    return value * 3;
}
PERFINST_TABLE(start, PERFINST_ENTRY(0, 4, PERFINST_EXCEPTION, 0));

/* Counts, and interrupts when each has been executed more than 7 times. */
__attribute__((noinline, used)) static unsigned mix(unsigned value, int times)
{
    while (times--)
        value = value * 1664525u + 1013904223u;
    return value;
}
PERFINST_FUNCTION_LIMIT(mix, PERFINST_COUNT | PERFINST_LIMIT, 7);
PERFINST_RANGE_FUNCTION(mix);

/* Opens the window, and closes it. */
__attribute__((noinline, used)) static void open_window(void)
{
    __asm__ volatile("");
}
__attribute__((noinline, used)) static void close_window(void)
{
    __asm__ volatile("");
}
PERFINST_TABLE(open_window,
               PERFINST_ENTRY(0, 4, PERFINST_WINDOW_START | PERFINST_TSTART,
                              0));
PERFINST_TABLE(close_window,
               PERFINST_ENTRY(0, 4, PERFINST_WINDOW_STOP | PERFINST_TSTOP, 0));

/* Its calls leave the range, and their returns enter it again. */
__attribute__((noinline, used)) static void step(int n)
{
    unsigned *word = &table[n % TABLE];

    flag = start((unsigned)n);
    *(volatile unsigned *)word = mix((unsigned)n, n % 5);
    (void)flag;
}
PERFINST_RANGE_FUNCTION(step);
PERFINST_DATA(table, PERFINST_RANGE);
PERFINST_DATA(flag, PERFINST_EXCEPTION | PERFINST_STORES);

#ifdef MORE
MORE;
#endif

static void tick(int unused)
{
    (void)unused;
    ticks++;
}
PERFINST_TABLE(tick, PERFINST_ENTRY(0, 4, PERFINST_EXCEPTION, 0));

static void *go(void *unused)
{
    for (int n = 0; n < rounds; n++) {
        open_window();
        step(n);
        close_window();
        step(n);
    }
    return unused;
}

/* The window is open on both ways out of fork. */
static void fork_inside(char **argv)
{
    char *again[] = {argv[0], argv[1], "0", NULL};
    int status = 1;
    pid_t child;

    fflush(stdout);
    child = fork();
    step(1);
    close_window();
    step(2);
    if (child == 0) {
        execv(argv[0], again);
        _exit(9);
    }
    if (waitpid(child, &status, 0) != child || status)
        exit(3);
}

int main(int argc, char **argv)
{
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    int count = argc > 2 ? atoi(argv[2]) : 0;
    const char *letters = argc > 3 ? argv[3] : "";
    pthread_t threads[THREADS];

    rounds = argc > 1 ? atoi(argv[1]) : 1;
    signal(SIGALRM, tick);
    if (strchr(letters, 't'))
        setitimer(ITIMER_REAL, &often, NULL);
    for (int n = 0; n < count && n < THREADS; n++)
        pthread_create(&threads[n], NULL, go, NULL);
    go(NULL);
    for (int n = 0; n < count && n < THREADS; n++)
        pthread_join(threads[n], NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    printf("ticks %d\n", ticks);
    if (strchr(letters, 'f')) {
        open_window();
        step(0);
        fork_inside(argv);
    }
    return 0;
}
