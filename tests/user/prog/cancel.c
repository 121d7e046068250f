/* cancel.c - threads that are cancelled where they wait, where they ask and
 * where they run; stacks that are unwound through a signal handler. Prints
 * what was cleaned up. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <unwind.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int ends[2];
static volatile double kept;

static void clean(void *what)
{
    printf("cleaned up: %s\n", (char *)what);
}

static void unlock(void *a)
{
    (void)a;
    printf("unlocked: %d\n", pthread_mutex_unlock(&lock));
}

static void *sleeps(void *a)
{
    pthread_cleanup_push(clean, "sleep");
    sleep(100);
    pthread_cleanup_pop(0);
    return a;
}

static void *reads(void *a)
{
    char b;

    pthread_cleanup_push(clean, "read");
    if (read(ends[0], &b, 1))
        clean("nothing");
    pthread_cleanup_pop(0);
    return a;
}

static void *pauses(void *a)
{
    pthread_cleanup_push(clean, "pause");
    pause();
    pthread_cleanup_pop(0);
    return a;
}

static void *waits_sem(void *a)
{
    pthread_cleanup_push(clean, "sem_wait");
    sem_wait(&sem);
    pthread_cleanup_pop(0);
    return a;
}

static void *waits_cond(void *a)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, NULL);
    for (;;)
        pthread_cond_wait(&news, &lock);
    pthread_cleanup_pop(1);
    return a;
}

static void *waits_set(void *a)
{
    sigset_t set;
    int n;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_cleanup_push(clean, "sigwait");
    sigwait(&set, &n);
    pthread_cleanup_pop(0);
    return a;
}

static void *asks(void *a)
{
    pthread_cleanup_push(clean, "testcancel");
    for (;;)
        pthread_testcancel();
    pthread_cleanup_pop(0);
    return a;
}

/* Wherever it is: registers must survive in the frames above. */
static void *runs(void *a)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    pthread_cleanup_push(clean, "a loop");
    for (double x = 1;; x += 1)
        kept = x;
    pthread_cleanup_pop(0);
    return a;
}

static void *refuses(void *a)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    usleep(5000);
    return a;
}

static _Unwind_Reason_Code frame(struct _Unwind_Context *c, void *a)
{
    int *seen = a, before;

    if (_Unwind_GetIPInfo(c, &before), before)
        seen[0]++; /* it was interrupted, not called */
    if ((void *)_Unwind_GetRegionStart(c) == (void *)abort)
        seen[1]++;
    seen[2]++;
    return _URC_NO_REASON;
}

static int seen[3];

static void plain(int n)
{
    (void)n;
    _Unwind_Backtrace(frame, seen);
}

static void informed(int n, siginfo_t *i, void *u)
{
    (void)n, (void)i, (void)u;
    _Unwind_Backtrace(frame, seen);
}

static void unwind_handlers(void)
{
    struct sigaction a = {.sa_flags = SA_SIGINFO};

    signal(SIGUSR1, plain);
    raise(SIGUSR1);
    printf("handler: %d interrupted, deep: %d\n", seen[0], seen[2] > 4);
    a.sa_sigaction = informed;
    sigaction(SIGUSR1, &a, NULL);
    seen[0] = seen[2] = 0;
    raise(SIGUSR1);
    printf("informed: %d interrupted, deep: %d\n", seen[0], seen[2] > 4);
}

int main(void)
{
    void *(*const ways[])(void *) = {sleeps,    reads,      pauses,
                                     waits_sem, waits_cond, waits_set,
                                     asks,      runs,       refuses};

    setvbuf(stdout, NULL, _IONBF, 0);
    sem_init(&sem, 0, 0);
    if (pipe(ends))
        return 1;
    for (unsigned n = 0; n < sizeof ways / sizeof *ways; n++) {
        pthread_t t;
        void *result;

        pthread_create(&t, NULL, ways[n], "came back");
        usleep(2000);
        pthread_cancel(t);
        pthread_join(t, &result);
        printf("%u %s\n", n,
               result == PTHREAD_CANCELED ? "cancelled" : (char *)result);
    }
    unwind_handlers();
    return 0;
}
