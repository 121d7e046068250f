/* family.c - processes of the guest: fork and what is copied by it, pipes,
 * exec, wait, orphans, limits. Prints what it finds; the status is 7.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int page[1024] = {5};

static int ended(pid_t child)
{
    int status = -1;

    if (waitpid(child, &status, 0) != child)
        return -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void copies(void)
{
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    double third = 1.0 / 3;

    if (!child) {
        page[0] = 6;
        shared[0] = 8;
        _exit(page[0] + (third * 3 == 1.0));
    }
    printf("child %d, own %d, shared %d\n", ended(child), page[0], shared[0]);
}

/* As much as there is room for, while no one reads; round its end, too. */
static void pipe_full(void)
{
    static char in[65536], out[65536];
    int end[2], wrong = 0;

    for (unsigned k = 0; k < sizeof in; k++)
        in[k] = (char)(k % 251);
    pipe2(end, O_NONBLOCK);
    printf("room %zd\n", write(end[1], in, sizeof in));
    printf("full %zd, %s\n", write(end[1], in, 1), strerror(errno));
    for (unsigned k = 0; k < 5; k++) {
        wrong += read(end[0], out, 30000) != 30000;
        wrong += write(end[1], out, 30000) != 30000;
    }
    wrong += read(end[0], out, sizeof out) != sizeof out;
    for (unsigned k = 0; k < sizeof out; k++)
        wrong += out[k] != in[(k + 5 * 30000) % sizeof in];
    printf("wrong %d\n", wrong);
    close(end[0]);
    close(end[1]);
}

static void pipes(void)
{
    static char block[70000];
    int end[2];
    long sum = 0;
    ssize_t n;
    pid_t child;

    pipe(end);
    child = fork();
    if (!child) {
        close(end[0]);
        for (unsigned k = 0; k < sizeof block; k++)
            block[k] = (char)(k % 113);
        _exit(write(end[1], block, sizeof block) != sizeof block);
    }
    close(end[1]);
    while ((n = read(end[0], block, 1000)) > 0)
        for (ssize_t k = 0; k < n; k++)
            sum += block[k];
    printf("pipe %ld, writer %d\n", sum, ended(child));
    close(end[0]);
    pipe(end);
    close(end[0]);
    signal(SIGPIPE, SIG_IGN);
    n = write(end[1], "x", 1);
    printf("no reader: %zd, %s\n", n, strerror(errno));
    close(end[1]);
    pipe_full();
}

static void programs(const char *self)
{
    char *const argv[] = {"family", "again", "", "two words", NULL};
    char *const envp[] = {"A=b", NULL};
    pid_t child = fork();

    if (!child) {
        execve(self, argv, envp);
        _exit(99);
    }
    printf("exec %d\n", ended(child));
    child = fork();
    if (!child) {
        execve("/nothing", argv, envp);
        printf("no program: %s\n", strerror(errno));
        execve("/dev", argv, envp);
        printf("a directory: %s\n", strerror(errno));
        fflush(stdout);
        _exit(0);
    }
    printf("exec %d\n", ended(child));
}

static void deaths(void)
{
    pid_t child = fork();

    if (!child)
        abort();
    printf("abort %d\n", ended(child));
    child = fork();
    if (!child) {
        pause();
        _exit(0);
    }
    kill(child, SIGTERM);
    printf("killed %d\n", ended(child));
    printf("none left: %d, %s\n", wait(NULL), strerror(errno));
}

/* Children until there is no room, and all of them come to an end. */
static void bomb(void)
{
    int n = 0, gone = 0;
    pid_t child;

    while ((child = fork()) > 0)
        n++;
    if (!child) {
        pause();
        _exit(0);
    }
    printf("bomb: %s\n", strerror(errno));
    signal(SIGTERM, SIG_IGN);
    kill(0, 0);
    for (int k = 1; gone < n && k < 100000; k++)
        if (kill(getpid() + k, SIGKILL) == 0 &&
            waitpid(getpid() + k, NULL, 0) > 0)
            gone++;
    printf("bomb: %d of %d\n", gone, n);
}

static void memory(void)
{
    pid_t child = fork();
    size_t n = 0;

    if (!child) {
        for (char *p;
             (p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) != MAP_FAILED;
             n++)
            memset(p, 1, 1 << 20);
        _exit(1);
    }
    printf("memory %d\n", ended(child));
}

int main(int argc, char **argv)
{
    struct stat st;

    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc == 4) {
        printf("%s|%s|%s|%s|%s\n", argv[0], argv[1], argv[2], argv[3],
               getenv("A"));
        return 3;
    }
    copies();
    pipes();
    programs(argv[0]);
    deaths();
    bomb();
    memory();
    printf("%d %d\n", stat("/bin", &st), S_ISDIR(st.st_mode));
    return 7;
}
