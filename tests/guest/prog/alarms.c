/* alarms.c - SIGALRM: in a computation, in waits that it ends, again and again,
 * in a process of threads, in a child that does not handle it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int rang;

static void on_alarm(int number)
{
    rang += number == SIGALRM;
}

static void *reads(void *pipe)
{
    char byte;

    return read(*(int *)pipe, &byte, 1) < 0 ? strerror(errno) : "read";
}

static long ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(void)
{
    struct itimerval each = {{0, 2000}, {0, 3000}}, old,
                     none = {{0, 0}, {0, 0}};
    struct sigaction on = {.sa_handler = on_alarm};
    int status, ends[2];
    pthread_t thread;
    long from;
    void *said;

    sigaction(SIGALRM, &on, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
    from = ms();
    while (rang < 5)
        continue;
    from = ms() - from;
    printf("five by computing: %d\n", from >= 10 && from < 60);
    setitimer(ITIMER_REAL, &none, &old);
    printf("was %ld.%06ld, left %d\n", (long)old.it_interval.tv_sec,
           (long)old.it_interval.tv_usec, old.it_value.tv_usec <= 2000);
    getitimer(ITIMER_REAL, &old);
    printf("now %ld %ld\n", (long)old.it_interval.tv_usec,
           (long)old.it_value.tv_usec);
    each = (struct itimerval){{0, 0}, {0, 4000}};
    rang = 0;
    setitimer(ITIMER_REAL, &each, NULL);
    pipe(ends);
    printf("%d %s, %d\n", (int)read(ends[0], &status, 4), strerror(errno),
           rang);
    setitimer(ITIMER_REAL, &each, NULL);
    pthread_create(&thread, NULL, reads, ends);
    while (rang < 2)
        usleep(1000);
    write(ends[1], "x", 1);
    pthread_join(thread, &said);
    printf("%d, other thread: %s\n", rang, (char *)said);
    printf("%u %u %u\n", alarm(100), alarm(7), alarm(0));
    fflush(stdout);
    if (!fork()) {
        signal(SIGALRM, SIG_DFL);
        setitimer(ITIMER_REAL, &each, NULL);
        for (;;)
            continue;
    }
    wait(&status);
    printf("child: signal %d\n", WTERMSIG(status));
    return 0;
}
