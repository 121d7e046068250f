/* waiters.c - threads that wait for words of private memory while the process
 * forks: what they wait for is where it was, though its page is copied.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER;
static int waiting, going;

static void *wait_for(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting++;
    while (!going)
        pthread_cond_wait(&go, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread[THREADS];
    int to_child[2], status, ready = 0;
    char byte = 0;

    for (int n = 0; n < THREADS; n++)
        pthread_create(&thread[n], NULL, wait_for, NULL);
    while (ready < THREADS) {
        usleep(1000);
        pthread_mutex_lock(&lock);
        ready = waiting;
        pthread_mutex_unlock(&lock);
    }
    pipe(to_child);
    if (!fork()) {
        close(to_child[1]);
        read(to_child[0], &byte, 1); /* keeps its share of the pages */
        _exit(3);
    }
    pthread_mutex_lock(&lock);
    going = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(&go);
    for (int n = 0; n < THREADS; n++)
        pthread_join(thread[n], NULL);
    close(to_child[1]);
    wait(&status);
    printf("all go on, %d\n", WEXITSTATUS(status));
    return 0;
}
