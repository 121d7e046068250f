/* storms.c - programs at their worst, each as a process of its own: more
 * memory, threads, processes, pipes and files than there are, stacks that
 * overflow, wild jumps and instructions, signals while pages come and go. The
 * system gives each an error or ends it; a line tells what became of it. Beside
 * each a process that has done nothing reads and writes its own pages, and must
 * be left alone. What was taken is there again at the end. With the argument
 * `all` there are more of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define FEW 4

static unsigned seed;

static unsigned pick(void)
{
    seed = seed * 1103515245 + 12345;
    return seed >> 8;
}

/* ---- too much of it ------------------------------------------------------ */

/* Until there is none, or the process is killed for it. */
static int memory(void)
{
    for (unsigned n = 0; n < 100000; n++) {
        char *p = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (p == MAP_FAILED)
            return 1;
        for (unsigned k = 0; k < 64; k++)
            p[k * PAGE] = (char)k;
    }
    return 2;
}

/* A file grows until there is no room, and is gone afterwards. */
static int disk(void)
{
    static char block[8192];
    int fd = open("/tmp/storm", O_RDWR | O_CREAT, 0600), n = 0;

    unlink("/tmp/storm");
    while (write(fd, block, sizeof block) > 0)
        n++;
    return errno == ENOSPC && n ? 1 : 2;
}

static void *nothing(void *arg)
{
    return arg;
}

static void *waiter(void *arg)
{
    pthread_barrier_wait(arg);
    return NULL;
}

/* As many at a time as there may be, the rest is refused; then one by one. */
static int make_threads(size_t stack)
{
    static pthread_t t[1000];
    pthread_barrier_t all;
    pthread_attr_t small;
    unsigned made = 0, refused = 0, later = 0;
    sigset_t none;

    sigemptyset(&none);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, stack);
    pthread_barrier_init(&all, NULL, 101);
    for (unsigned n = 0; n < 1000; n++) {
        if (made < 100 ? !pthread_create(&t[made], &small, waiter, &all)
                       : !pthread_create(&t[made], &small,
                                         (void *(*)(void *))pause, NULL))
            made++;
        else
            refused++;
    }
    pthread_barrier_wait(&all);
    for (unsigned n = 0; n < 100; n++)
        pthread_join(t[n], NULL);
    for (unsigned n = 0; n < 1000; n++) {
        pthread_t one;

        if (!pthread_create(&one, &small, nothing, NULL))
            later += !pthread_join(one, NULL);
    }
    return made > 100 && made + refused == 1000 && refused && later == 1000 ? 1
                                                                            : 2;
}

static int threads(void)
{
    return make_threads(PTHREAD_STACK_MIN);
}

/* Each needs a page of the kernel's for its table, which cannot go out. */
static int wide_threads(void)
{
    return make_threads(8u << 20);
}

/* Until no more is made; each of them tries that, too. */
static int forks(void)
{
    static pid_t child[200];
    unsigned n = 0;

    while (n < 200 && (child[n] = fork()) > 0)
        n++;
    if (n < 200 && !child[n]) {
        if (!fork())
            _exit(0);
        for (;;)
            pause();
    }
    for (unsigned k = 0; k < n; k++)
        kill(child[k], SIGKILL);
    while (wait(NULL) > 0)
        continue;
    return n > 10 && n < 200 ? 1 : 2;
}

/* Until there is no number; each is filled; then a writer and a reader who has
 * to wait for each other. */
static int pipes(void)
{
    static char block[PAGE], got[100];
    int end[2], n = 0, total = 0, r;

    while (!pipe2(end, O_NONBLOCK)) {
        while (write(end[1], block, 1000) > 0)
            continue;
        if (errno != EAGAIN)
            return 2;
        n++;
    }
    if (n < 20 || errno != EMFILE)
        return 3;
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    if (pipe(end))
        return 4;
    if (!fork()) {
        close(end[0]);
        for (int k = 0; k < 20; k++)
            write(end[1], block, PAGE);
        _exit(0);
    }
    close(end[1]);
    while ((r = read(end[0], got, sizeof got)) > 0)
        total += r;
    wait(NULL);
    return total == 20 * PAGE ? 1 : 5;
}

/* ---- where it must not go ------------------------------------------------ */

static unsigned deeper(volatile char *above)
{
    volatile char here[1000];

    here[0] = (char)(above[0] + 1);
    return deeper(here) + (unsigned)here[0];
}

static int overflow(void)
{
    char first[1] = {0};

    return (int)deeper(first);
}

/* Children that jump anywhere, and execute anything; each is ended by a signal,
 * or by itself. None may go on for ever. */
static int wild(void)
{
    unsigned *code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (unsigned n = 0; n < 60; n++) {
        seed = n + 1;
        fflush(stdout);
        if (!fork()) {
            struct itimerval soon = {.it_value = {0, 2000}};
            unsigned to = pick() << 8 ^ pick();

            setitimer(ITIMER_REAL, &soon, NULL);
            for (unsigned k = 0; k < 2 * PAGE / 4; k++)
                code[k] = pick() << 16 ^ pick();
            for (unsigned k = 0; k < 2 * PAGE; k += 32)
                __asm__ volatile("dcbst 0,%0\n\tsync\n\ticbi 0,%0\n\tisync"
                                 :
                                 : "r"((char *)code + k)
                                 : "memory");
            ((void (*)(void))(n % 2 ? (unsigned)code : to & ~3u))();
            for (;;)
                continue;
        }
        wait(NULL);
    }
    return 1;
}

/* ---- signals while pages come and go ------------------------------------- */

static volatile unsigned rang;
static unsigned char *big;

static void at_alarm(int number)
{
    (void)number;
    rang++;
    big[(rang * 7 % 256) * PAGE + 8]++;
}

static int signals(void)
{
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    unsigned wrong = 0, sum = 0;

    big = mmap(NULL, 256 * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGALRM, at_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (unsigned round = 0; round < 2 || rang < 20; round++) {
        for (unsigned k = 0; k < 256; k++) {
            wrong += big[k * PAGE] != (unsigned char)round;
            big[k * PAGE] = (unsigned char)(round + 1);
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    for (unsigned k = 0; k < 256; k++)
        sum += big[k * PAGE + 8];
    return !wrong && sum == rang ? 1 : 2;
}

/* ---- who has done nothing ------------------------------------------------ */

#define OWN 24 /* pages */

/* Until the other end of the pipe is closed: pages of its own, by accesses and
 * by calls. Status 0: all were as they should be. */
static int innocent(int closed)
{
    static unsigned char page[OWN][PAGE];
    const struct timespec rest = {0, 500000};
    unsigned char got[64];
    int end[2], wrong = pipe(end) != 0;

    fcntl(closed, F_SETFL, O_NONBLOCK);
    for (unsigned round = 0; read(closed, got, 1); round++) {
        for (unsigned n = 0; n < OWN; n++) {
            unsigned char *at = page[n] + round % (PAGE - 64);

            memset(at, (int)(n + round), 64);
            wrong += write(end[1], at, 64) != 64;
            wrong += read(end[0], page[(n + 1) % OWN], 64) != 64;
            wrong += page[(n + 1) % OWN][63] != (unsigned char)(n + round);
        }
        nanosleep(&rest, NULL);
    }
    return wrong != 0;
}

/* ---- all of them --------------------------------------------------------- */

static void tell(const char *name, const char *of, pid_t child)
{
    int status;

    if (child < 0 || waitpid(child, &status, 0) != child)
        printf("%s%s: no child, %s\n", name, of, strerror(errno));
    else if (WIFSIGNALED(status))
        printf("%s%s: signal %d\n", name, of, WTERMSIG(status));
    else if (!*of || status)
        printf("%s%s: status %d\n", name, of, WEXITSTATUS(status));
}

static void storm(const char *name, int (*blow)(void))
{
    pid_t child, beside;
    int end[2];

    fflush(stdout);
    if (pipe(end))
        puts("no pipe");
    beside = fork();
    if (!beside) {
        close(end[1]);
        _exit(innocent(end[0]));
    }
    close(end[0]);
    child = fork();
    if (!child) {
        close(end[1]);
        _exit(blow());
    }
    tell(name, "", child);
    close(end[1]);
    tell(name, ", beside it", beside);
}

static void too_much(void)
{
    storm("memory", memory);
    storm("threads", threads);
    storm("wide threads", wide_threads);
    storm("forks", forks);
    storm("pipes", pipes);
}

static void the_rest(void)
{
    storm("disk", disk);
    storm("overflow", overflow);
    storm("wild", wild);
    storm("signals", signals);
}

/* Pages of memory and disk that are free, and those that this process has. */
static long pages(void)
{
    struct sysinfo i;

    sysinfo(&i);
    return (long)((i.freeram + i.freeswap) / PAGE);
}

int main(int argc, char **argv)
{
    long first, then;

    too_much();
    first = pages();
    if (argc > 1 && argv[1][0] == 'a')
        the_rest();
    too_much();
    then = pages();
    if (then < first - FEW)
        printf("%ld pages are lost\n", first - then);
    puts("alive");
    return 0;
}
