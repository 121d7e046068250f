/* virtual.c - timers of processor time: they stand still while everybody
 * sleeps and run four times as fast for four threads. Fails with a line for
 * whatever is not so. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int rings[65];
static volatile long sum;
static int bad;

static void ring(int signal)
{
    rings[signal]++;
}

static void *spin(void *much)
{
    for (long i = 0; i < (long)much; i++)
        sum += i;
    return NULL;
}

static long micros(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t) && ++bad)
        printf("clock %d cannot be read\n", (int)clock);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* As often as the time says, give or take one. */
static void count(const char *what, int signal, long spent, long interval)
{
    long due = spent / interval;

    if ((rings[signal] < due - 1 || rings[signal] > due + 1 || due < 5) &&
        ++bad)
        printf("%s: %d rings in %ld us, one in %ld\n", what, rings[signal],
               spent, interval);
    rings[signal] = 0;
}

static void want(const char *what, int right)
{
    if (!right && ++bad)
        printf("%s\n", what);
}

static void set(int which, int us)
{
    struct itimerval it = {{0, us}, {0, us}};

    want("setitimer", setitimer(which, &it, NULL) == 0);
}

static void threads(long n)
{
    pthread_t t[4];

    for (long i = 0; i < n; i++)
        pthread_create(&t[i], NULL, spin, (void *)200000);
    for (long i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}

static void posix_timer(clockid_t clock, int others)
{
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec every = {{0, 500000}, {0, 500000}}, left;
    timer_t id;
    long then;

    want("timer_create", timer_create(clock, &e, &id) == 0);
    want("timer_settime", timer_settime(id, 0, &every, NULL) == 0);
    then = micros(clock);
    if (others)
        threads(1);
    want("a timer of mine ran for others", !others || !rings[SIGUSR1]);
    spin((void *)300000);
    count("timer_create", SIGUSR1, micros(clock) - then, 500);
    want("timer_gettime", timer_gettime(id, &left) == 0 &&
                              left.it_value.tv_nsec > 0 &&
                              left.it_value.tv_nsec <= 500000);
    timer_delete(id);
}

int main(void)
{
    struct itimerval it;
    clockid_t clock;
    long then, wall;

    signal(SIGVTALRM, ring);
    signal(SIGPROF, ring);
    signal(SIGUSR1, ring);
    set(ITIMER_VIRTUAL, 1000);
    usleep(50000);
    want("a virtual timer ran while nobody did", rings[SIGVTALRM] == 0);
    then = micros(CLOCK_PROCESS_CPUTIME_ID);
    spin((void *)500000);
    count("ITIMER_VIRTUAL", SIGVTALRM, micros(CLOCK_PROCESS_CPUTIME_ID) - then,
          1000);
    want("getitimer", getitimer(ITIMER_VIRTUAL, &it) == 0 &&
                          it.it_interval.tv_usec == 1000 &&
                          it.it_value.tv_usec <= 1000);
    set(ITIMER_VIRTUAL, 0);
    spin((void *)100000);
    want("a timer that is off rang", rings[SIGVTALRM] == 0);

    set(ITIMER_PROF, 500);
    then = micros(CLOCK_PROCESS_CPUTIME_ID);
    wall = micros(CLOCK_MONOTONIC);
    threads(4);
    then = micros(CLOCK_PROCESS_CPUTIME_ID) - then;
    wall = micros(CLOCK_MONOTONIC) - wall;
    count("ITIMER_PROF", SIGPROF, then, 500);
    set(ITIMER_PROF, 0);
    want("four threads take no more than one", then > 2 * wall);

    posix_timer(CLOCK_PROCESS_CPUTIME_ID, 0);
    posix_timer(CLOCK_THREAD_CPUTIME_ID, 1);
    want("clock_getcpuclockid", clock_getcpuclockid(0, &clock) == 0);
    want("a process's clock", micros(clock) > 0);
    want("pthread_getcpuclockid",
         pthread_getcpuclockid(pthread_self(), &clock) == 0);
    want("a thread's clock", micros(clock) > 0);
    return bad;
}
