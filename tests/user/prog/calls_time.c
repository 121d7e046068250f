/* calls_time.c - clocks, sleeping, timers, poll and select. */
#include "check.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

static volatile int rings;

static void ring(int signal)
{
    (void)signal;
    rings++;
}

static long ms_since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - then->tv_sec) * 1000 +
           (now.tv_nsec - then->tv_nsec) / 1000000;
}

static void clocks(void)
{
    struct timespec t = {-1, -1}, u;
    struct timeval v;
    int64_t wide[2] = {-1, -1};
    struct tms m;
    struct rusage r;

    TRY(clock_gettime, CLOCK_REALTIME, &t);
    SAY("clock_gettime", "%d", t.tv_sec > 900000000 && t.tv_nsec < 1000000000);
    TRY(clock_gettime, CLOCK_MONOTONIC, &t);
    TRY(clock_gettime, 99, &t);
    TRY(clock_gettime, CLOCK_REALTIME, WILD);
    TRY(clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
    TRY(clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
    for (volatile int i = 0; i < 100000; i++)
        ;
    TRY(clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &u);
    SAY("clock_gettime", "%d", u.tv_sec > t.tv_sec || u.tv_nsec > t.tv_nsec);
    TRY(clock_gettime64, CLOCK_MONOTONIC, wide);
    SAY("clock_gettime64", "%d", wide[0] >= 0 && wide[1] >= 0);
    TRY(clock_getres, CLOCK_MONOTONIC, &t);
    SAY("clock_getres", "%ld %ld", (long)t.tv_sec, t.tv_nsec);
    TRY(clock_getres, 99, &t);
    TRY(clock_getres_time64, CLOCK_MONOTONIC, wide);
    TRY(gettimeofday, &v, NULL);
    TRY(gettimeofday, WILD, NULL);
    SAY("time", "%d", CALL(__NR_time, NULL) > 900000000);
    FINE(times, &m);
    TRY(getrusage, RUSAGE_SELF, &r);
    TRY(getrusage, 77, &r);
}

static void sleeping(void)
{
    struct timespec t = {0, 20000000}, left, then;
    struct timespec bad = {0, 1000000000};
    int64_t wide[2] = {0, 5000000};
    struct itimerval it = {{0, 0}, {0, 10000}}, old;
    struct sigaction a = {.sa_handler = ring};

    sigaction(SIGALRM, &a, NULL);
    clock_gettime(CLOCK_MONOTONIC, &then);
    TRY(nanosleep, &t, NULL);
    SAY("nanosleep", "%d", ms_since(&then) >= 20);
    TRY(nanosleep, &bad, NULL);
    TRY(clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
    TRY(clock_nanosleep, CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
    TRY(clock_nanosleep_time64, CLOCK_MONOTONIC, 0, wide, NULL);
    TRY(setitimer, ITIMER_REAL, &it, &old);
    SAY("setitimer", "%ld %ld", (long)old.it_value.tv_sec,
        (long)old.it_value.tv_usec);
    t.tv_sec = 5;
    TRY(nanosleep, &t, &left);
    SAY("nanosleep", "%d rings, left %d", rings, left.tv_sec >= 4);
    TRY(setitimer, 9, &it, NULL);
    TRY(getitimer, ITIMER_REAL, &old);
    SAY("getitimer", "%ld", (long)old.it_value.tv_usec);
    TRY(alarm, 100);
    TRY(alarm, 0);
    TRY(setitimer, ITIMER_REAL, &it, NULL);
    TRY(pause);
    SAY("pause", "%d", rings);
}

static void timers(void)
{
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec it = {{0, 5000000}, {0, 5000000}}, now;
    int64_t wide[4] = {0, 0, 0, 0};
    int id = -1;

    rings = 0;
    TRY(timer_create, CLOCK_MONOTONIC, &e, &id);
    TRY(timer_create, 99, &e, &id);
    TRY(timer_settime, id, 0, &it, NULL);
    while (rings < 4)
        pause();
    SAY("timer_settime", "%d", rings >= 4); /* 5, where pause came late */
    TRY(timer_gettime, id, &now);
    SAY("timer_gettime", "%ld", now.it_interval.tv_nsec);
    TRY(timer_gettime64, id, wide);
    SAY("timer_gettime64", "%lld", (long long)wide[1]);
    memset(wide, 0, sizeof wide);
    TRY(timer_settime64, id, 0, wide, NULL);
    FINE(timer_getoverrun, id);
    TRY(timer_delete, id);
    TRY(timer_delete, 12345);
    TRY(timer_settime, 12345, 0, &it, NULL);
}

static void waiting(void)
{
    int64_t wide[2] = {0, 1000000};
    int32_t brief[2] = {0, 1000000};
    struct timeval tv = {0, 2000};
    struct pollfd p[3];
    fd_set r, w;
    int fd[2];

    CALL(__NR_pipe, fd);
    p[0] = (struct pollfd){fd[0], POLLIN, 0};
    p[1] = (struct pollfd){fd[1], POLLOUT, 0};
    p[2] = (struct pollfd){99, POLLIN, 0};
    TRY(poll, p, 1, 0);
    TRY(poll, p, 1, 10);
    TRY(poll, p, 3, 10);
    SAY("poll", "%x %x %x", p[0].revents, p[1].revents, p[2].revents);
    TRY(poll, WILD, 1, 0);
    TRY(ppoll_time64, p, 1, wide, NULL, 8);
    FD_ZERO(&r);
    FD_ZERO(&w);
    FD_SET(fd[0], &r);
    TRY(_newselect, fd[1] + 1, &r, NULL, NULL, &tv);
    SAY("_newselect", "%d", !!FD_ISSET(fd[0], &r));
    CALL(__NR_write, fd[1], "x", 1);
    FD_SET(fd[0], &r);
    FD_SET(fd[1], &w);
    TRY(_newselect, fd[1] + 1, &r, &w, NULL, &tv);
    SAY("_newselect", "%d %d", !!FD_ISSET(fd[0], &r), !!FD_ISSET(fd[1], &w));
    TRY(pselect6_time64, fd[1] + 1, &r, NULL, NULL, wide, NULL);
    FD_SET(50, &r);
    TRY(_newselect, 51, &r, NULL, NULL, &tv);
    TRY(_newselect, -1, &r, NULL, NULL, &tv);
    CALL(__NR_read, fd[0], &tv, 1);
    TRY(ppoll, p, 1, brief, NULL, 8);
    SAY("ppoll", "%d %d", brief[0], brief[1]);
    brief[1] = 1000000;
    FD_ZERO(&w);
    FD_SET(fd[0], &w);
    TRY(pselect6, fd[1] + 1, &w, NULL, NULL, brief, NULL);
    SAY("pselect6", "%d %d %d", !!FD_ISSET(fd[0], &w), brief[0], brief[1]);
    brief[1] = 1000000000;
    TRY(ppoll, p, 1, brief, NULL, 8);
    CALL(__NR_write, fd[1], "x", 1);
    brief[0] = 1000;
    brief[1] = 0;
    FD_SET(fd[0], &w);
    TRY(pselect6, fd[1] + 1, &w, NULL, NULL, brief, NULL);
    SAY("pselect6", "%d", brief[0] > 900);
    tv.tv_sec = 0;
    tv.tv_usec = 3000;
    TRY(_newselect, 0, NULL, NULL, NULL, &tv);
    SAY("_newselect", "%d %d", (int)tv.tv_sec, (int)tv.tv_usec);
    TRY(poll, p, 1, -1);
}

int main(void)
{
    clocks();
    sleeping();
    timers();
    waiting();
    return 0;
}
