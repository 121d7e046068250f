/* stuck.c - waits for what never comes, or comes late, as its argument says. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *forth(void *unused)
{
    pthread_mutex_lock(&first);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&second);
    return unused;
}

static void *back(void *unused)
{
    pthread_mutex_lock(&second);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&first);
    return unused;
}

static void circle(void)
{
    pthread_t t[2];

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&t[0], NULL, forth, NULL);
    pthread_create(&t[1], NULL, back, NULL);
    pthread_join(t[0], NULL);
}

/* Each reads what the other would write. */
static void pipes(void)
{
    int there[2], here[2];
    char byte;

    pipe(there);
    pipe(here);
    read(fork() ? there[0] : here[0], &byte, 1);
}

static void rings(int signal)
{
    (void)signal;
}

int main(int count, char **word)
{
    const char *how = count > 1 ? word[1] : "";
    struct timespec long_time = {30, 0};
    struct itimerval in = {.it_value = {20, 0}};
    char byte;

    if (!strcmp(how, "circle"))
        circle();
    if (!strcmp(how, "pipes"))
        pipes();
    if (!strcmp(how, "late"))
        nanosleep(&long_time, NULL);
    if (!strcmp(how, "alarm")) {
        signal(SIGALRM, rings);
        setitimer(ITIMER_REAL, &in, NULL);
        pause();
    }
    if (!strcmp(how, "input"))
        read(0, &byte, 1);
    puts("it came");
    return 0;
}
