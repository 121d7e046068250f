/* stuck.c - waits for what can never come, in the way that its argument
 * names. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static void *lock_twice(void *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_lock(mutex);
    return NULL;
}

static void *write_soon(void *unused)
{
    usleep(30000);
    write(ends[1], "x", 1);
    return unused;
}

static void threads(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t t[20];

    for (int n = 0; n < 20; n++)
        pthread_create(&t[n], NULL, lock_twice, &mutex);
    pthread_join(t[0], NULL);
}

/* Its standard input is silent, but a thread is not. */
static void both(void)
{
    struct pollfd p[2] = {{0, POLLIN}, {ends[0], POLLIN}};
    pthread_t t;
    int n;

    pthread_create(&t, NULL, write_soon, NULL);
    n = poll(p, 2, -1);
    printf("%d: %d %d\n", n, p[0].revents, p[1].revents);
}

static volatile int rung;

static void rings(int signal)
{
    (void)signal;
    rung++;
}

/* As many timers as there are, as fast as they may be. */
static void timers(void)
{
    struct itimerspec soon = {{0, 1}, {0, 1}};
    timer_t t;

    signal(SIGALRM, rings);
    while (timer_create(CLOCK_MONOTONIC, NULL, &t) == 0)
        timer_settime(t, 0, &soon, NULL);
    while (rung < 200)
        ;
}

/* A thread gives a lock up. */
static void *give_up(void *fd)
{
    usleep(30000);
    flock((int)(long)fd, LOCK_UN);
    return NULL;
}

static void lock_of_another(void)
{
    int fd = open("locked", O_RDWR | O_CREAT, 0600);
    pthread_t t;

    flock(fd, LOCK_EX);
    pthread_create(&t, NULL, give_up, (void *)(long)fd);
    printf("%d\n", flock(open("locked", O_RDWR), LOCK_EX));
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    struct itimerval soon = {{0, 0}, {0, 20000}};
    char b[8];
    int fd;

    pipe(ends);
    if (!strcmp(way, "read"))
        read(ends[0], b, 1);
    if (!strcmp(way, "write"))
        while (write(ends[1], b, 8) > 0)
            ;
    if (!strcmp(way, "event")) {
        fd = eventfd(0, 0);
        fcntl(fd, F_SETFL, 0);
        read(fd, b, 8);
    }
    if (!strcmp(way, "pause"))
        pause();
    if (!strcmp(way, "poll"))
        poll(NULL, 0, -1);
    if (!strcmp(way, "futex"))
        threads();
    if (!strcmp(way, "both"))
        both();
    if (!strcmp(way, "flock")) {
        flock(open("locked", O_RDWR | O_CREAT, 0600), LOCK_EX);
        flock(open("locked", O_RDWR), LOCK_EX);
    }
    if (!strcmp(way, "locked"))
        lock_of_another();
    if (!strcmp(way, "timers"))
        timers();
    if (!strcmp(way, "timer")) { /* something does come */
        signal(SIGALRM, rings);
        setitimer(ITIMER_REAL, &soon, NULL);
        pause();
    }
    return 0;
}
