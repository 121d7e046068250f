/* waits.c - one wait of each kind: a lock, whose owner sleeps; a condition; a
 * pipe; a child; a thread's end; a time. The threads have names by what they
 * do: the functions.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int ready, ends[2];

static void nap(long us)
{
    struct timespec t = {0, us * 1000};

    nanosleep(&t, NULL);
}

static void *holds_the_lock(void *unused)
{
    pthread_mutex_lock(&lock);
    nap(2000);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *wants_the_lock(void *unused)
{
    nap(500);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *waits_for_a_turn(void *unused)
{
    pthread_mutex_lock(&guard);
    while (!ready)
        pthread_cond_wait(&turn, &guard);
    pthread_mutex_unlock(&guard);
    return unused;
}

static void *reads_a_pipe(void *unused)
{
    char byte;

    if (read(ends[0], &byte, 1) != 1)
        puts("no byte");
    return unused;
}

int main(void)
{
    void *(*const work[])(void *) = {holds_the_lock, wants_the_lock,
                                     waits_for_a_turn, reads_a_pipe};
    pthread_t thread[4];
    int status = 0;

    if (pipe(ends))
        return 1;
    for (int n = 0; n < 4; n++)
        pthread_create(&thread[n], NULL, work[n], NULL);
    if (!fork()) {
        nap(1000);
        _exit(3);
    }
    wait(&status);
    pthread_mutex_lock(&guard);
    ready = 1;
    pthread_cond_signal(&turn);
    pthread_mutex_unlock(&guard);
    if (write(ends[1], "x", 1) != 1)
        return 2;
    for (int n = 0; n < 4; n++)
        pthread_join(thread[n], NULL);
    printf("child %d\n", status >> 8);
    return 0;
}
