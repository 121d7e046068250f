/* priority.c - FIFO, round robin, niceness, and locks that lend a priority, as
 * far as numbers can tell that hang on nothing but the rules. All on CPU 0,
 * where main runs before the others. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct role {
    int policy, priority, nice, index;
};

static volatile unsigned long done[4];
static volatile int stop;
static char order[16];
static unsigned orders;
static pthread_mutex_t lock, other;
static sem_t go;

static void become(const struct role *r)
{
    struct sched_param p = {r->priority};

    if (pthread_setschedparam(pthread_self(), r->policy, &p))
        printf("no such policy\n");
    if (r->nice)
        setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), r->nice);
}

static void *spin(void *role)
{
    const struct role *r = role;

    become(r);
    while (!stop)
        done[r->index]++;
    return NULL;
}

/* Percents of what all got in 30 slices. */
static void shares(const char *what, struct role *r, int n)
{
    struct timespec time = {0, 30000000};
    pthread_t t[4];
    double all = 0;

    stop = 0;
    for (int i = 0; i < n; i++) {
        done[i] = 0;
        r[i].index = i;
        pthread_create(&t[i], NULL, spin, &r[i]);
    }
    nanosleep(&time, NULL);
    stop = 1;
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < n; i++)
        all += done[i];
    printf("%s:", what);
    for (int i = 0; i < n; i++)
        printf(" %.0f", done[i] * 100 / all);
    printf("\n");
}

static void *take(void *role)
{
    const struct role *r = role;

    become(r);
    sem_wait(&go);
    pthread_mutex_lock(&lock);
    order[orders++] = '0' + r->index;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *low(void *role)
{
    become(role);
    pthread_mutex_lock(&lock);
    sem_post(&go); /* main is preferred, and lets the others begin */
    order[orders++] = 'l';
    pthread_mutex_unlock(&lock);
    order[orders++] = '-';
    return NULL;
}

static void *middle(void *role)
{
    become(role);
    order[orders++] = 'm';
    return NULL;
}

static void *high(void *role)
{
    become(role);
    pthread_mutex_lock(&lock);
    order[orders++] = 'h';
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void make_lock(int protocol, int robust)
{
    pthread_mutexattr_t kind;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setprotocol(&kind, protocol);
    if (robust)
        pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &kind);
    orders = 0;
    memset(order, 0, sizeof order);
}

static void wakes(int protocol)
{
    struct role r[4] = {{SCHED_FIFO, 3, 0, 0},
                        {SCHED_FIFO, 9, 0, 1},
                        {SCHED_FIFO, 1, 0, 2},
                        {SCHED_RR, 6, 0, 3}};
    struct timespec time = {0, 1000000};
    pthread_t t[4];

    make_lock(protocol, 0);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, take, &r[i]);
    nanosleep(&time, NULL);
    for (int i = 0; i < 4; i++)
        sem_post(&go);
    nanosleep(&time, NULL);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("wakes: %s\n", order);
}

static void inversion(int protocol)
{
    struct role r[3] = {
        {SCHED_FIFO, 1, 0, 0}, {SCHED_FIFO, 2, 0, 0}, {SCHED_FIFO, 3, 0, 0}};
    pthread_t t[3];

    make_lock(protocol, 0);
    pthread_create(&t[0], NULL, low, &r[0]);
    sem_wait(&go);
    pthread_create(&t[2], NULL, high, &r[2]);
    pthread_create(&t[1], NULL, middle, &r[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("inversion: %s\n", order);
}

static void *dies(void *unused)
{
    pthread_mutex_lock(&lock);
    sem_post(&go);
    usleep(1000);
    return unused;
}

static void *crosses(void *unused)
{
    pthread_mutex_lock(&other);
    sem_post(&go);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&other);
    return unused;
}

static void locks(void)
{
    struct timespec soon;
    pthread_t t;

    make_lock(PTHREAD_PRIO_INHERIT, 1);
    pthread_create(&t, NULL, dies, NULL);
    sem_wait(&go);
    printf("busy: %d\n", pthread_mutex_trylock(&lock) == EBUSY);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 100000;
    printf("late: %d\n", pthread_mutex_timedlock(&lock, &soon) == ETIMEDOUT);
    printf("left: %d\n", pthread_mutex_lock(&lock) == EOWNERDEAD);
    pthread_mutex_consistent(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);

    make_lock(PTHREAD_PRIO_INHERIT, 0);
    other = lock;
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, crosses, NULL);
    sem_wait(&go);
    usleep(1000);
    printf("round: %ld\n", syscall(SYS_futex, &other.__data.__lock,
                                   6 /* FUTEX_LOCK_PI */ | 128, 0, NULL) < 0
                               ? (long)errno == EDEADLK
                               : -1);
    printf("not mine: %d\n",
           syscall(SYS_futex, &other.__data.__lock, 7 | 128) < 0 &&
               errno == EPERM);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
}

int main(void)
{
    struct role nice5[2] = {{SCHED_OTHER, 0, 0, 0}, {SCHED_OTHER, 0, 5, 0}};
    struct role idle[2] = {{SCHED_IDLE, 0, 0, 0}, {SCHED_OTHER, 0, 0, 0}};
    struct role real[3] = {
        {SCHED_OTHER, 0, 0, 0}, {SCHED_RR, 5, 0, 0}, {SCHED_RR, 5, 0, 0}};
    struct role fifo[3] = {
        {SCHED_FIFO, 5, 0, 0}, {SCHED_FIFO, 5, 0, 0}, {SCHED_RR, 4, 0, 0}};
    struct role main_role = {SCHED_FIFO, 50, 0, 0};
    struct sched_param p;
    struct timespec slice;
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);
    become(&main_role);
    sched_getparam(0, &p);
    printf("policy %d, priority %d\n", sched_getscheduler(0), p.sched_priority);
    p.sched_priority = 60;
    printf("setparam %d\n", sched_setparam(0, &p));
    p.sched_priority = 100;
    printf("too much %d\n", sched_setparam(0, &p) < 0 && errno == EINVAL);
    sched_rr_get_interval(0, &slice);
    printf("slice %ld\n", (long)slice.tv_nsec);
    shares("nice", nice5, 2);
    shares("idle", idle, 2);
    shares("round robin", real, 3);
    shares("fifo", fifo, 3);
    wakes(PTHREAD_PRIO_NONE);
    wakes(PTHREAD_PRIO_INHERIT);
    inversion(PTHREAD_PRIO_NONE);
    inversion(PTHREAD_PRIO_INHERIT);
    locks();
    return 0;
}
