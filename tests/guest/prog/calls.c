/* calls.c - timers that a program makes, select and poll, signals that are
 * waited for, policies and priorities: as Linux answers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int rings, value;

static void tell(const char *what, long result)
{
    printf("%s: %ld%s%s\n", what, result, result < 0 ? ", " : "",
           result < 0 ? strerror(errno) : "");
}

static void on_ring(int signal, siginfo_t *info, void *unused)
{
    rings += signal == SIGUSR1 && info->si_code == SI_TIMER;
    value = info->si_value.sival_int;
}

static void *reader_of(void *fd)
{
    usleep(2000);
    return (void *)(long)write((int)(long)fd, "x", 1);
}

static void timers(void)
{
    struct sigaction action = {.sa_sigaction = on_ring, .sa_flags = SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                             .sigev_signo = SIGUSR1};
    struct itimerspec spec = {{0, 1000000}, {0, 2000000}}, old;
    struct timespec wait = {5, 0};
    sigset_t set;
    siginfo_t info;
    timer_t t, none;

    sigaction(SIGUSR1, &action, NULL);
    event.sigev_value.sival_int = 4711;
    tell("create", timer_create(CLOCK_MONOTONIC, &event, &t));
    tell("set", timer_settime(t, 0, &spec, NULL));
    while (rings < 5)
        pause();
    printf("rang, %d\n", value);
    memset(&spec, 0, sizeof spec);
    tell("stop", timer_settime(t, 0, &spec, &old));
    printf("%ld %ld, soon: %d\n", (long)old.it_interval.tv_sec,
           (long)old.it_interval.tv_nsec, old.it_value.tv_nsec <= 1000000);
    timer_gettime(t, &old);
    printf("%ld %ld\n", (long)old.it_value.tv_sec, (long)old.it_value.tv_nsec);
    /* Missed while it is blocked. */
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    spec.it_value.tv_nsec = spec.it_interval.tv_nsec = 1000000;
    timer_settime(t, 0, &spec, NULL);
    usleep(10000);
    tell("waited", sigwaitinfo(&set, &info));
    printf("code %d, value %d\n", info.si_code, info.si_value.sival_int);
    tell("delete", timer_delete(t));
    wait.tv_sec = 0;
    while (sigtimedwait(&set, &info, &wait) == SIGUSR1)
        continue;
    tell("none left", sigtimedwait(&set, &info, &wait));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    tell("again", timer_delete(t));
    tell("no clock", timer_create(77, &event, &none));
}

static volatile int called;

static void by_thread(union sigval v)
{
    called = v.sival_int;
}

static void thread_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_notify_function = by_thread};
    struct itimerspec spec = {{0, 0}, {0, 1000000}};
    timer_t t;

    event.sigev_value.sival_int = 99;
    tell("thread timer", timer_create(CLOCK_REALTIME, &event, &t));
    timer_settime(t, 0, &spec, NULL);
    while (!called)
        usleep(500);
    printf("called %d\n", called);
    timer_delete(t);
}

/* The call with microseconds, which this C library does not make. */
static void narrow_select(void)
{
    int32_t none[2] = {0, 2000}, much[2] = {5, 0};
    fd_set out;

    FD_ZERO(&out);
    FD_SET(1, &out);
    tell("narrow", (int)syscall(SYS__newselect, 0, NULL, NULL, NULL, none));
    printf("left %d %d\n", none[0], none[1]);
    tell("ready", (int)syscall(SYS__newselect, 2, NULL, &out, NULL, much));
    printf("much left: %d\n", much[0] == 4 && much[1] > 900000);
}

static void selects(void)
{
    struct timeval brief = {0, 3000};
    struct timespec moment = {0, 1000000};
    struct pollfd p[2];
    int fd[2], other[2];
    pthread_t t;
    fd_set in, out;

    pipe(fd);
    pipe(other);
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(fd[0], &in);
    FD_SET(other[0], &in);
    FD_SET(fd[1], &out);
    tell("select", select(other[1] + 1, &in, &out, NULL, NULL));
    printf("%d %d %d\n", FD_ISSET(fd[0], &in), FD_ISSET(other[0], &in),
           FD_ISSET(fd[1], &out));
    FD_SET(fd[0], &in);
    tell("nothing", select(fd[0] + 1, &in, NULL, NULL, &brief));
    printf("left %ld\n", (long)brief.tv_usec);
    narrow_select();
    pthread_create(&t, NULL, reader_of, (void *)(long)other[1]);
    FD_SET(fd[0], &in);
    FD_SET(other[0], &in);
    tell("a byte", select(other[0] + 1, &in, NULL, NULL, NULL));
    printf("%d %d\n", FD_ISSET(fd[0], &in), FD_ISSET(other[0], &in));
    pthread_join(t, NULL);
    close(fd[1]);
    p[0] = (struct pollfd){fd[0], POLLIN, 0};
    p[1] = (struct pollfd){other[0], POLLIN, 0};
    tell("ppoll", ppoll(p, 2, &moment, NULL));
    printf("%x %x\n", p[0].revents, p[1].revents & POLLIN);
    close(fd[0]);
    FD_ZERO(&in);
    FD_SET(fd[0], &in);
    tell("closed", select(fd[0] + 1, &in, NULL, NULL, NULL));
    tell("negative", select(-1, &in, NULL, NULL, NULL));
}

static void waits(void)
{
    struct timespec moment = {0, 2000000};
    siginfo_t info;
    sigset_t set;
    int child;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    tell("no signal", sigtimedwait(&set, &info, &moment));
    sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 31});
    tell("queued", sigwaitinfo(&set, &info));
    printf("%d %d\n", info.si_code == SI_QUEUE, info.si_value.sival_int);
    child = fork();
    if (!child)
        _exit(3);
    tell("child", sigwaitinfo(&set, &info));
    waitpid(child, NULL, 0);
}

static void policies(void)
{
    struct sched_param p = {.sched_priority = 5};
    struct timespec slice;

    printf("%d %d %d %d\n", sched_get_priority_max(SCHED_FIFO),
           sched_get_priority_min(SCHED_RR),
           sched_get_priority_max(SCHED_OTHER), sched_getscheduler(0));
    tell("no policy", sched_get_priority_max(77));
    tell("other, 5", sched_setscheduler(0, SCHED_OTHER, &p));
    tell("no task", sched_setscheduler(77777, SCHED_OTHER, &p));
    tell("interval", sched_rr_get_interval(0, &slice));
    errno = 0;
    printf("nice %d\n", getpriority(PRIO_PROCESS, 0));
    tell("nicer", nice(5));
    printf("nice %d\n", getpriority(PRIO_PROCESS, 0));
    tell("batch", sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}));
    tell("is", sched_getscheduler(0));
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    timers();
    thread_timer();
    selects();
    waits();
    policies();
    return 0;
}
