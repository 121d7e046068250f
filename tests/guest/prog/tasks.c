/* tasks.c - contexts, names of threads, children that are waited for by waitid,
 * and space that a file is given: printed as it is under Linux.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t here, there;
static int turns;
static double sum = 1.5;
static __thread int own;

static void other(int a, int b)
{
    printf("arguments %d %d\n", a, b);
    for (int n = 0; n < 5; n++) {
        turns++;
        sum *= 1.25;
        swapcontext(&there, &here);
    }
}

static void coroutine(void)
{
    static char stack[65536];

    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, (void (*)(void))other, 2, 3, 4);
    for (int n = 0; n < 6; n++)
        swapcontext(&here, &there);
    printf("turns %d %g\n", turns, sum);
}

/* The mask belongs to the context. */
static void mask(void)
{
    volatile int again = 0;
    sigset_t set, old;
    ucontext_t k;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    getcontext(&k);
    sigprocmask(SIG_BLOCK, NULL, &old);
    printf("blocked %d\n", sigismember(&old, SIGUSR1));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (!again++)
        setcontext(&k);
}

/* Its thread's own variables stay where they are. */
static void *thread(void *unused)
{
    volatile int n = 0;
    char name[16];
    ucontext_t c;

    own = 7;
    getcontext(&c);
    if (++n < 3)
        setcontext(&c);
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("%d times, own %d, %s\n", n, own, name);
    pthread_setname_np(pthread_self(), "second");
    pthread_getname_np(pthread_self(), name, sizeof name);
    puts(name);
    return unused;
}

static void names(void)
{
    char name[16];
    pthread_t t;

    prctl(PR_SET_NAME, "a name that is too long");
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    prctl(PR_GET_NAME, name);
    puts(name);
    printf("%d %d\n", prctl(PR_SET_NAME, 16), errno);
    printf("%d %d\n", prctl(9999, 0), errno);
}

static void wait_for(const char *what, int type, int number, int options)
{
    siginfo_t i;
    int r;

    memset(&i, 1, sizeof i);
    errno = 0;
    r = waitid(type, number, &i, options);
    printf("%s: %d %d", what, r, errno);
    if (r == 0 && i.si_signo)
        printf(" %d %d %d", i.si_signo, i.si_code, i.si_status);
    puts("");
}

static void children(void)
{
    int go[2], p;
    char byte;

    fflush(stdout);
    if (!(p = fork()))
        _exit(3);
    wait_for("by number", P_PID, p, WEXITED);
    if (!fork()) {
        raise(SIGKILL);
    }
    wait_for("killed", P_ALL, 0, WEXITED);
    wait_for("none", P_ALL, 0, WEXITED);
    wait_for("wrong", P_ALL, 0, 0);
    pipe(go);
    if (!fork()) {
        read(go[0], &byte, 1);
        _exit(4);
    }
    wait_for("not yet", P_ALL, 0, WEXITED | WNOHANG);
    write(go[1], "x", 1);
    waitid(P_ALL, 0, NULL, WEXITED);
    wait_for("gone", P_ALL, 0, WEXITED | WNOHANG);
}

static void space(void)
{
    int f = open("/tmp/tasks.space", O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct statfs of_name, of_file;

    if (f < 0)
        f = open("/tasks.space", O_RDWR | O_CREAT | O_TRUNC, 0600);
    printf("%d\n", posix_fallocate(f, 0, 10000));
    printf("size %ld\n", (long)lseek(f, 0, SEEK_END));
    printf("%d %d\n", fstatfs(f, &of_file), statfs("/", &of_name));
    printf("%d\n", of_file.f_bsize == 4096 && of_name.f_bsize == 4096);
    printf("%d %d\n", statfs("/no such file", &of_name), errno);
    printf("%d %d\n", fstatfs(99, &of_name), errno);
    unlink("/tmp/tasks.space");
    unlink("/tasks.space");
}

int main(void)
{
    coroutine();
    mask();
    names();
    children();
    space();
    return 9;
}
