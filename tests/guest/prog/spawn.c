/* spawn.c - what a child that shares its parent's memory until it execs tells
 * it; what madvise does to shared and private pages; the end of a mapped file.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static sigjmp_buf back;
static void *where;

static void on_bus(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    where = info->si_addr;
    siglongjmp(back, number == SIGBUS ? info->si_code : 99);
}

static int start(const char *path, char *word)
{
    char *args[] = {(char *)path, word, NULL};
    pid_t pid = -1;
    int status = -1, error = posix_spawn(&pid, path, NULL, NULL, args, environ);

    if (error)
        printf("%s: %s\n", path, strerror(error));
    else if (waitpid(pid, &status, 0) == pid)
        printf("status %d\n", WEXITSTATUS(status));
    fflush(stdout);
    return error;
}

int main(int count, char **words)
{
    volatile int seen = 0;
    int fd, code, status;
    char *shared, *mine, *file;

    if (count > 1 && strcmp(words[1], "child") == 0)
        return 6;
    start("/proc/self/exe", "child");
    start("/bin/none at all", "child");
    start("/", "child");
    if (!vfork()) {
        seen = 5;
        _exit(4);
    }
    wait(&status);
    printf("vfork: %d, %d\n", seen, WEXITSTATUS(status));
    shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    mine = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    strcpy(shared + 5000, "shared");
    strcpy(mine + 5000, "mine");
    printf("%d %d", madvise(shared, 8192, MADV_DONTNEED),
           madvise(mine, 8192, MADV_DONTNEED));
    printf(" [%s] [%s]\n", shared + 5000, mine + 5000);
    fd = open("/proc/self/exe", O_RDONLY);
    code = (int)lseek(fd, 0, SEEK_END);
    file = mmap(NULL, code + 100000, PROT_READ, MAP_PRIVATE, fd, 0);
    struct sigaction on = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
    sigaction(SIGBUS, &on, NULL);
    sigaction(SIGSEGV, &on, NULL);
    code = (code + 4095) & ~4095;
    printf("%.3s %d\n", file + 1, file[code - 1]);
    status = sigsetjmp(back, 1);
    if (!status)
        printf("no fault: %d\n", file[code + 10]);
    printf("SIGBUS code %d, %d\n", status, (int)((char *)where - file - code));
    return 0;
}
