/* refused.c - what simrun does not do: each call says so by its error, and
 * the program goes on. Prints what is otherwise. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <mqueue.h>
#include <netdb.h>
#include <pwd.h>
#include <semaphore.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int bad;

static void want(const char *what, long got, int error)
{
    if ((got != -1 || errno != error) && ++bad)
        printf("%s: %ld, %s\n", what, got, strerror(errno));
}

/* A signal when a file is ready. */
static void async_files(void)
{
    int p[2], on = 1, off = 0;

    if (pipe(p) != 0)
        return;
    want("F_SETOWN", fcntl(p[0], F_SETOWN, getpid()), EINVAL);
    want("F_SETFL O_ASYNC", fcntl(p[0], F_SETFL, O_ASYNC), EINVAL);
    want("F_SETSIG", fcntl(p[0], F_SETSIG, 40), EINVAL);
    want("FIOASYNC", ioctl(p[0], FIOASYNC, &on), EINVAL);
    if ((ioctl(p[0], FIOASYNC, &off) || fcntl(p[0], F_GETOWN) ||
         fcntl(p[0], F_SETFL, O_NONBLOCK)) &&
        ++bad)
        puts("a file without signals is refused");
    close(p[0]);
    close(p[1]);
}

static void none(const char *what, int there)
{
    if (there && ++bad)
        printf("%s: is there\n", what);
}

int main(void)
{
    char *const argv[] = {"true", NULL};
    struct addrinfo *found;
    siginfo_t info;
    int pair[2];
    pid_t pid;
    char b[10];

    for (int n = 0; n < 2; n++) { /* named once, refused always */
        want("fork", fork(), ENOSYS);
        async_files();
        want("vfork", vfork(), ENOSYS);
        want("execv", execv("/bin/true", argv), ENOSYS);
        want("socket", socket(AF_INET, SOCK_STREAM, 0), ENOSYS);
    }
    none("popen", popen("true", "r") != NULL);
    errno = posix_spawn(&pid, "/bin/true", NULL, NULL, argv, argv + 1);
    want("posix_spawn", -1, ENOSYS);
    if (WEXITSTATUS(system("true")) != 127 && ++bad)
        printf("system: does not say that there is no shell\n");
    want("waitpid", waitpid(-1, NULL, 0), ECHILD);
    want("waitid", waitid(P_ALL, 0, &info, WEXITED), ECHILD);
    want("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair), ENOSYS);
    none("getaddrinfo", getaddrinfo("localhost", "80", NULL, &found) == 0);
    none("gethostbyname", gethostbyname("localhost") != NULL);
    none("dlopen", dlopen("libm.so.6", RTLD_NOW) != NULL);
    none("getpwnam", getpwnam("root") != NULL);
    none("getgrgid", getgrgid(0) != NULL);
    want("epoll_create1", epoll_create1(0), ENOSYS);
    want("shmget", shmget(IPC_PRIVATE, 4096, 0600), ENOSYS);
    want("mq_open", mq_open("/q", O_RDWR | O_CREAT, 0600, NULL), ENOSYS);
    want("getxattr", getxattr(".", "user.a", b, 10), ENODATA);
    want("mknod", mknod("device", S_IFCHR | 0600, 0x103), EPERM);
    want("mkfifo", mkfifo("fifo", 0600), EPERM);
    want("setuid", setuid(1), EPERM);
    want("chroot", chroot("."), ENOSYS);
    if (setuid(0) || setgid(0) || setreuid(-1, 0) || setresgid(0, -1, 0))
        bad++, printf("to stay who it is\n");
    return bad;
}
