/* used.c - processor time, of threads and processes: who computes has used
 * about as much as the clock on the wall says, who sleeps hardly any; a process
 * has the sum of its threads, also of those that have ended. Prints what holds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static long us(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t))
        return -1;
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Use so much of the thread's time. */
static void use(long of)
{
    long until = us(CLOCK_THREAD_CPUTIME_ID) + of;

    while (us(CLOCK_THREAD_CPUTIME_ID) < until)
        for (int i = 0; i < 1000; i++)
            sink += (unsigned)i;
}

static void nap(long ms)
{
    struct timespec t = {0, ms * 1000000};

    nanosleep(&t, NULL);
}

static void *worker(void *sleeps)
{
    if (sleeps)
        nap(40);
    else
        use(30000);
    return NULL;
}

static void say(const char *what, long value, long least, long most)
{
    printf("%s: %s\n", what,
           value >= least && value < most ? "as it should be" : "wrong");
    if (value < least || value >= most)
        fprintf(stderr, "%s: %ld\n", what, value);
}

static void threads(void)
{
    long before = us(CLOCK_PROCESS_CPUTIME_ID),
         own = us(CLOCK_THREAD_CPUTIME_ID);
    pthread_t t[3];
    clockid_t clock;

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, i == 2 ? &sink : NULL);
    nap(10);
    printf("the sleeper's clock: %d", pthread_getcpuclockid(t[2], &clock));
    say(", which", us(clock), 0, 10000);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    say("main", us(CLOCK_THREAD_CPUTIME_ID) - own, 0, 20000);
    say("all of them", us(CLOCK_PROCESS_CPUTIME_ID) - before, 60000, 120000);
}

static long used(int who)
{
    struct rusage r;

    if (getrusage(who, &r))
        return -1;
    return r.ru_utime.tv_sec * 1000000 + r.ru_utime.tv_usec +
           r.ru_stime.tv_sec * 1000000 + r.ru_stime.tv_usec;
}

int main(void)
{
    long all;
    clock_t c = clock();
    clockid_t own, none;
    struct timespec t;
    struct tms s;

    use(20000);
    say("clock", clock() - c, 20000, 60000);
    threads();
    fflush(stdout);
    if (fork() == 0) {
        say("a child's own", us(CLOCK_PROCESS_CPUTIME_ID), 0, 10000);
        fflush(stdout);
        use(50000);
        _exit(0);
    }
    wait(NULL);
    say("children", used(RUSAGE_CHILDREN), 50000, 100000);
    all = us(CLOCK_PROCESS_CPUTIME_ID);
    say("getrusage", used(RUSAGE_SELF) - all, -20000, 50000);
    say("the thread's", used(RUSAGE_THREAD) - us(CLOCK_THREAD_CPUTIME_ID),
        -20000, 50000);
    say("times", times(&s) < 0 ? -1 : s.tms_utime + s.tms_stime - all / 10000,
        -3, 6);
    say("times, children", s.tms_cutime + s.tms_cstime, 4, 12);
    printf("own number: %d\n", clock_getcpuclockid(getpid(), &own));
    say("which", us(own) - all, 0, 50000);
    printf("none: %d\n", clock_getcpuclockid(32000, &none) == ESRCH);
    printf("resolution: %d\n", clock_getres(CLOCK_PROCESS_CPUTIME_ID, &t));
    return 0;
}
