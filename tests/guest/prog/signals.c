/* signals.c - handlers, masks, waits that signals end, and floating point of
 * threads that take turns and are interrupted. Prints what any Linux prints.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static sigjmp_buf back;
static pid_t self;

static void count(int n)
{
    double disturb = n / 3.0;

    caught += disturb > 0;
}

static void informed(int n, siginfo_t *i, void *context)
{
    (void)context;
    printf("signal %d, code %d, %s\n", n, i->si_code,
           n == SIGSEGV ? i->si_addr == (void *)24 ? "address" : "elsewhere"
           : i->si_pid == self ? "from me"
                               : "from another");
    if (n == SIGSEGV)
        siglongjmp(back, 1);
}

static void set(int n, void (*handler)(int), int flags)
{
    struct sigaction a = {.sa_flags = flags};

    a.sa_handler = handler;
    sigaction(n, &a, NULL);
}

static void faults(void)
{
    struct sigaction a = {.sa_flags = SA_SIGINFO};

    a.sa_sigaction = informed;
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGUSR2, &a, NULL);
    for (int n = 0; n < 3; n++)
        if (!sigsetjmp(back, 1))
            *(volatile int *)24 = n;
    raise(SIGUSR2);
    kill(self, SIGUSR2);
}

static void masks(void)
{
    sigset_t one, old, now;

    set(SIGUSR1, count, 0);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, &old);
    raise(SIGUSR1);
    raise(SIGUSR1);
    sigpending(&now);
    printf("blocked: %d caught, pending %d\n", caught,
           sigismember(&now, SIGUSR1));
    printf("suspend: %d, %s\n", sigsuspend(&old), strerror(errno));
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("after: %d caught, blocked %d\n", caught,
           sigismember(&now, SIGUSR1));
    sigprocmask(SIG_SETMASK, &old, NULL);
}

/* A child sends a signal to a parent that reads from a pipe. */
static void interrupted(int flags)
{
    struct timespec moment = {0, 40000000};
    char byte = 0;
    int ends[2];
    ssize_t n;

    set(SIGUSR1, count, flags);
    pipe(ends);
    fflush(stdout);
    if (!fork()) {
        nanosleep(&moment, NULL);
        kill(self, SIGUSR1);
        nanosleep(&moment, NULL);
        write(ends[1], "x", 1);
        _exit(0);
    }
    n = read(ends[0], &byte, 1);
    printf("read %zd: %s, %d caught\n", n, n < 0 ? strerror(errno) : "a byte",
           caught);
    wait(NULL);
    close(ends[0]);
    close(ends[1]);
}

static void other_stack(void)
{
    static char room[20000];
    stack_t s = {.ss_sp = room, .ss_size = sizeof room}, old;

    printf("altstack %d\n", sigaltstack(&s, NULL));
    set(SIGUSR1, count, SA_ONSTACK);
    raise(SIGUSR1);
    printf("altstack %d, %d, used %d\n", sigaltstack(NULL, &old), old.ss_flags,
           memchr(room + 10000, 1, 9000) != NULL);
}

static void *harmonic(void *from)
{
    double sum = 0;

    for (int n = 1; n < 60000; n++)
        sum += 1.0 / (n + (long)from);
    return (void *)(long)(sum * 1000000);
}

static void floats(void)
{
    pthread_t thread[6];
    void *sum;

    for (long n = 0; n < 6; n++)
        pthread_create(&thread[n], NULL, harmonic, (void *)n);
    for (int n = 0; n < 200; n++)
        kill(self, SIGUSR1);
    for (int n = 0; n < 6; n++) {
        pthread_join(thread[n], &sum);
        printf("%ld\n", (long)sum);
    }
}

int main(void)
{
    self = getpid();
    faults();
    masks();
    interrupted(0);
    interrupted(SA_RESTART);
    other_stack();
    floats();
    fflush(stdout);
    raise(SIGTERM);
    return 0;
}
