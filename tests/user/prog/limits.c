/* limits.c - what setrlimit holds a program to. Without an argument: limits
 * of files, whose results every kernel agrees on. "own": the rest, which
 * qemu-ppc leaves out, one fact a line. "cpu": uses up processor time.
 */
#include "check.h"

#include <alloca.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

static volatile int got;

static void handler(int signal)
{
    got = signal;
}

static long limit(int which, unsigned long soft, unsigned long hard)
{
    struct rlimit r = {soft, hard};

    return setrlimit(which, &r) == 0 ? 0 : -errno;
}

static void say(const char *what, long result)
{
    printf("%s: %ld, error %d, signal %d\n", what, result,
           result < 0 ? errno : 0, got);
    got = 0;
}

static void descriptors(void)
{
    struct rlimit r;
    int both[2], keep = dup(0);

    say("no more than 5", limit(RLIMIT_NOFILE, 5, 1000));
    getrlimit(RLIMIT_NOFILE, &r);
    printf("%ld of %ld\n", (long)r.rlim_cur, (long)r.rlim_max);
    say("dup", dup(0));
    say("dup", dup(0));
    say("dup2", dup2(0, 5));
    say("F_DUPFD", fcntl(0, F_DUPFD, 5));
    close(4);
    say("pipe", pipe(both));
    say("dup", dup(0));
    say("open", open("new", O_CREAT | O_WRONLY, 0600));
    say("nothing was made", access("new", F_OK));
    say("up", limit(RLIMIT_NOFILE, 500, 1000));
    say("up", dup2(0, 400));
    close(4);
    close(keep);
}

static void sizes(void)
{
    static char bytes[8192];
    int f = open("file", O_RDWR | O_CREAT, 0600), both[2];

    say("4096 bytes", limit(RLIMIT_FSIZE, 4096, 8192));
    say("write", write(f, bytes, 3000));
    say("write", write(f, bytes, 3000));
    say("write", write(f, bytes, 1));
    say("pwrite", pwrite(f, bytes, 10, 4090));
    say("pwrite", pwrite(f, bytes, 10, 4096));
    say("ftruncate", ftruncate(f, 4097));
    say("ftruncate", ftruncate(f, 4096));
    say("truncate", truncate("file", 5000));
    say("fallocate", fallocate(f, 0, 0, 5000));
    fcntl(f, F_SETFL, O_APPEND);
    say("append", write(f, bytes, 1));
    say("8192 bytes", limit(RLIMIT_FSIZE, 8192, 8192));
    say("append", write(f, bytes, 8192));
    say("smaller", ftruncate(f, 100));
    say("wrong", limit(RLIMIT_FSIZE, 9, 8));
    pipe(both);
    say("a pipe", write(both[1], bytes, 8192));
    signal(SIGXFSZ, SIG_DFL);
    fflush(stdout);
    pwrite(f, bytes, 1, 8192);
    say("not reached", 0);
}

static __attribute__((noinline)) void deep(unsigned kilobytes)
{
    volatile char *room = alloca(kilobytes << 10);

    *room = 1;
    printf("%u KiB of stack\n", kilobytes);
}

static int map(unsigned megabytes, int prot)
{
    return mmap(NULL, megabytes << 20, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0) != MAP_FAILED;
}

/* All that one can have. */
static void all(void)
{
    int last, fd;

    for (last = -1; (fd = dup(0)) >= 0; last = fd)
        ;
    say("the last", last);
    for (fd = 3; fd <= last; fd++)
        close(fd);
}

static void memory(void)
{
    unsigned long none = RLIM_INFINITY;

    say("data", limit(RLIMIT_DATA, 1 << 20, none));
    printf("brk %d, data %d, text %d\n", sbrk(2 << 20) != (void *)-1,
           map(2, PROT_READ | PROT_WRITE), map(2, PROT_READ));
    limit(RLIMIT_DATA, none, none);
    printf("data %d\n", map(2, PROT_READ | PROT_WRITE));
    say("all", limit(RLIMIT_AS, 12 << 20, none));
    printf("3 MiB %d, 12 MiB %d\n", map(3, PROT_READ), map(12, PROT_READ));
    say("stack", limit(RLIMIT_STACK, 1 << 20, 8 << 20));
    deep(900);
    say("more", limit(RLIMIT_STACK, 4 << 20, 8 << 20));
    deep(3900);
    say("for good", limit(RLIMIT_STACK, 4 << 20, 4 << 20));
    say("no more", limit(RLIMIT_STACK, 4 << 20, 8 << 20));
    deep(4200);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    signal(SIGXFSZ, handler);
    signal(SIGXCPU, handler);
    if (argc == 1) {
        descriptors();
        sizes();
    } else if (strcmp(argv[1], "own") == 0) {
        all();
        memory();
    } else {
        say("cpu", limit(RLIMIT_CPU, 1, 3));
        for (;;)
            if (got)
                say("used up", 0);
    }
    return 0;
}
