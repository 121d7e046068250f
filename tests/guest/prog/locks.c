/* locks.c [PROCESSES] - locks whose owner ends (robust), and locks that lend a
 * priority: what each call answers. With an argument processes share them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 6
#define TURNS 300
#define CHAIN 5

static pthread_mutex_t *lock, many[CHAIN];
static sem_t *go;
static volatile unsigned count;
static const char *kind;

static void tell(const char *what, int error)
{
    printf("%s %s: %s\n", kind, what, error ? strerror(error) : "good");
    fflush(stdout);
}

static void make(pthread_mutex_t *m, int protocol, int robust, int type)
{
    pthread_mutexattr_t a;

    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, type);
    pthread_mutexattr_setprotocol(&a, protocol);
    pthread_mutexattr_setrobust(&a, robust);
    pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
    tell("init", pthread_mutex_init(m, &a));
}

static void *takes(void *error)
{
    *(int *)error = pthread_mutex_lock(lock);
    sem_post(go);
    return NULL; /* and ends with it */
}

static void *takes_late(void *error)
{
    sem_post(go);
    *(int *)error = pthread_mutex_lock(lock);
    if (*(int *)error == EOWNERDEAD)
        pthread_mutex_consistent(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void *takes_and_sleeps(void *unused)
{
    pthread_mutex_lock(lock);
    sem_post(go);
    usleep(100000); /* others wait by now */
    return unused;
}

/* Its owner ends: before another one asks, and while others wait. */
static void owner_ends(int protocol)
{
    int error = -1, late[2] = {-1, -1};
    pthread_t t, waits[2];

    make(lock, protocol, PTHREAD_MUTEX_ROBUST, PTHREAD_MUTEX_NORMAL);
    pthread_create(&t, NULL, takes, &error);
    pthread_join(t, NULL);
    sem_wait(go);
    tell("taken", error);
    tell("try what is left", pthread_mutex_trylock(lock));
    tell("consistent", pthread_mutex_consistent(lock));
    tell("once more", pthread_mutex_consistent(lock));
    tell("given back", pthread_mutex_unlock(lock));
    tell("again", pthread_mutex_lock(lock));
    pthread_mutex_unlock(lock);

    pthread_create(&t, NULL, takes_and_sleeps, NULL);
    sem_wait(go);
    tell("busy", pthread_mutex_trylock(lock));
    for (int n = 0; n < 2; n++) {
        pthread_create(&waits[n], NULL, takes_late, &late[n]);
        sem_wait(go);
    }
    pthread_join(t, NULL);
    for (int n = 0; n < 2; n++)
        pthread_join(waits[n], NULL);
    tell("one of those who waited", late[0] ? late[0] : late[1]);
    tell("the other one", late[0] ? late[1] : late[0]);

    pthread_create(&t, NULL, takes, &error);
    pthread_join(t, NULL);
    sem_wait(go);
    tell("left", pthread_mutex_lock(lock));
    tell("given back as it was", pthread_mutex_unlock(lock));
    tell("for ever", pthread_mutex_lock(lock));
    tell("even tried", pthread_mutex_trylock(lock));
}

static void *counts(void *unused)
{
    for (int n = 0; n < TURNS; n++) {
        pthread_mutex_lock(lock);
        count = count + 1;
        if (n % 50 == 0)
            usleep(100);
        pthread_mutex_unlock(lock);
    }
    return unused;
}

static void *holds(void *number)
{
    long n = (long)number;

    pthread_mutex_lock(&many[n]);
    sem_post(go);
    pthread_mutex_lock(&many[n - 1]); /* the one before has it */
    count = count * 10 + (unsigned)n;
    pthread_mutex_unlock(&many[n - 1]);
    pthread_mutex_unlock(&many[n]);
    return NULL;
}

static int word; /* a lock without a pthread_mutex_t around it */

static void *takes_word(void *unused)
{
    syscall(SYS_futex, &word, 6, 0, NULL);
    sem_post(go);
    usleep(100000); /* others wait by now */
    return unused;
}

/* Its owner ends, and has told of it in no list. */
static void word_is_left(void)
{
    pthread_t t;
    long error;

    pthread_create(&t, NULL, takes_word, NULL);
    sem_wait(go);
    error = syscall(SYS_futex, &word, 6, 0, NULL);
    printf("%s word: %ld, mine %d, left %d\n", kind, error,
           (word & 0x3FFFFFFF) == gettid(), word >> 30 & 1);
    pthread_join(t, NULL);
    printf("%s given back: %ld, ", kind, syscall(SYS_futex, &word, 7, 0, NULL));
    printf("%d\n", word & 0x3FFFFFFF);
}

static void lends(void)
{
    pthread_t t[THREADS];
    struct timespec soon;

    make(lock, PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED,
         PTHREAD_MUTEX_ERRORCHECK);
    count = 0;
    for (int n = 0; n < THREADS; n++)
        pthread_create(&t[n], NULL, counts, NULL);
    for (int n = 0; n < THREADS; n++)
        pthread_join(t[n], NULL);
    printf("%s counted %u, word %d\n", kind, count, lock->__data.__lock);

    pthread_mutex_lock(lock);
    printf("%s mine: %d\n", kind, lock->__data.__lock == (int)gettid());
    tell("twice", pthread_mutex_lock(lock));
    pthread_create(&t[0], NULL, takes_late, &(int){0});
    sem_wait(go);
    while (!(lock->__data.__lock & 0x80000000))
        usleep(100);
    pthread_mutex_unlock(lock);
    pthread_join(t[0], NULL);

    pthread_create(&t[0], NULL, takes_and_sleeps, NULL);
    sem_wait(go);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 1000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    tell("too late", pthread_mutex_timedlock(lock, &soon));
    tell("not mine", pthread_mutex_unlock(lock));
    printf("%s unlock of it: %ld\n", kind,
           syscall(SYS_futex, &lock->__data.__lock, 7, 0, NULL) < 0
               ? (long)errno
               : 0);
    pthread_join(t[0], NULL);
    printf("%s of one that has ended: %ld\n", kind,
           syscall(SYS_futex, &lock->__data.__lock, 6, 0, NULL) < 0
               ? (long)errno
               : 0);

    word_is_left();
    /* Each waits for the one before; the first one for main. */
    for (long n = 0; n < CHAIN; n++)
        make(&many[n], PTHREAD_PRIO_INHERIT, PTHREAD_MUTEX_STALLED,
             PTHREAD_MUTEX_NORMAL);
    count = 0;
    pthread_mutex_lock(&many[0]);
    for (long n = 1; n < CHAIN; n++) {
        pthread_create(&t[n], NULL, holds, (void *)n);
        sem_wait(go);
    }
    usleep(10000);
    printf("%s in a circle: %ld\n", kind,
           syscall(SYS_futex, &many[CHAIN - 1].__data.__lock, 6, 0, NULL) < 0
               ? (long)errno
               : 0);
    pthread_mutex_unlock(&many[0]);
    for (long n = 1; n < CHAIN; n++)
        pthread_join(t[n], NULL);
    printf("%s chain %u\n", kind, count);
}

/* A process is killed with the lock, while another one waits; one execs. */
static void processes(int protocol)
{
    int status, child, waits;

    make(lock, protocol, PTHREAD_MUTEX_ROBUST, PTHREAD_MUTEX_NORMAL);
    for (int way = 0; way < 2; way++) {
        child = fork();
        if (!child) {
            pthread_mutex_lock(lock);
            sem_post(go);
            usleep(100000);
            if (way == 0)
                for (;;)
                    pause();
            execl("/proc/self/exe", "locks", "none", NULL);
            _exit(9);
        }
        sem_wait(go);
        waits = fork();
        if (!waits) {
            int error = pthread_mutex_lock(lock);

            pthread_mutex_consistent(lock);
            pthread_mutex_unlock(lock);
            _exit(error == EOWNERDEAD ? 7 : error);
        }
        usleep(10000);
        if (way == 0)
            kill(child, SIGKILL);
        waitpid(waits, &status, 0);
        printf("%s who waited: %d\n", kind, WEXITSTATUS(status));
        waitpid(child, &status, 0);
        printf("%s who had it: %x\n", kind, status);
        tell("later", pthread_mutex_lock(lock));
        pthread_mutex_unlock(lock);
    }
}

int main(int args, char **arg)
{
    if (args > 1 && !strcmp(arg[1], "none"))
        return 3;
    lock = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                -1, 0);
    go = (sem_t *)((char *)lock + 2048);
    sem_init(go, 1, 0);
    for (int protocol = PTHREAD_PRIO_NONE; protocol <= PTHREAD_PRIO_INHERIT;
         protocol++) {
        kind = protocol == PTHREAD_PRIO_NONE ? "robust" : "robust, lends";
        owner_ends(protocol);
        if (args > 1)
            processes(protocol);
    }
    kind = "lends";
    lends();
    return 0;
}
