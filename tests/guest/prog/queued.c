/* queued.c - real-time signals wait in a queue, each with its value; a timer
 * whose signal waits counts how often it rang meanwhile, and goes on when it is
 * taken; what is ignored or blocked ends no sleep.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t got;
static sigset_t blocked;
static siginfo_t told;

static void handler(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (got < 6)
        printf("handled %d\n", info->si_value.sival_int);
    got++;
}

static int nap(long ms)
{
    struct timespec t = {0, ms * 1000000};

    return nanosleep(&t, NULL);
}

static void take(void)
{
    struct timespec now = {0, 0};
    int r = sigtimedwait(&blocked, &told, &now);

    if (r < 0)
        printf("none: %s\n", strerror(errno));
    else
        printf("real-time %d, value %d\n", r >= SIGRTMIN,
               told.si_value.sival_int);
}

static void values(void)
{
    for (int i = 0; i < 4; i++) {
        sigqueue(getpid(), SIGRTMIN + i % 2, (union sigval){.sival_int = i});
        sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = i});
    }
    for (int i = 0; i < 6; i++)
        take();
    for (int i = 4; i < 8; i++)
        sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i});
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    take();
}

static void set(timer_t timer, long first, long period)
{
    struct itimerspec t = {{0, period * 1000000}, {0, first * 1000000}};

    timer_settime(timer, 0, &t, NULL);
}

static void timer(int number, const char *name)
{
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = number};
    sigset_t pending;
    timer_t timer;

    timer_create(CLOCK_MONOTONIC, &how, &timer);
    set(timer, 100, 100);
    for (int i = 0; i < 2; i++) {
        int r = sigwaitinfo(&blocked, &told);

        printf("%s: %d, timer's %d, overrun %d\n", name, r == number,
               told.si_code == SI_TIMER, timer_getoverrun(timer));
    }
    printf("%s: slept %d", name, nap(550));
    sigpending(&pending);
    printf(", pending %d", sigismember(&pending, number));
    sigwaitinfo(&blocked, &told);
    printf(", overrun %d %d\n", timer_getoverrun(timer), told.si_overrun);
    timer_delete(timer);
}

int main(void)
{
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL,
                           .sigev_signo = SIGCONT};
    timer_t ignored;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGRTMIN);
    sigaddset(&blocked, SIGRTMIN + 1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    sigaction(SIGRTMIN, &a, NULL);
    values();
    timer(SIGUSR1, "SIGUSR1");
    timer(SIGRTMIN + 1, "SIGRTMIN + 1");
    timer_create(CLOCK_MONOTONIC, &how, &ignored);
    set(ignored, 10, 10);
    printf("slept %d beside what is ignored\n", nap(100));
    timer_delete(ignored);
    return 0;
}
