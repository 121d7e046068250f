/* attacks.c - what a program may try against simrun and its caller. Each way
 * says what came of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define MB (1 << 20)

/* Its own name is for another file by now, or for a FIFO. */
static void self(const char *name, const char *secret)
{
    struct stat own, now;
    char b[4] = "";
    int fd;

    stat("/proc/self/exe", &own);
    rename(name, "moved");
    symlink(secret, name);
    fd = open("/proc/self/exe", O_RDONLY);
    printf("%ld %.3s\n", (long)read(fd, b, 4), b + 1);
    stat("/proc/self/exe", &now);
    printf("same %d\n", own.st_ino == now.st_ino && own.st_size == now.st_size);
    unlink(name);
    mknod(name, S_IFIFO | 0600, 0);
    fd = open("/proc/self/exe", O_RDONLY);
    printf("%ld %.3s\n", (long)read(fd, b, 4), b + 1);
    printf("%d %d\n", fchmod(dup(fd), 0777), futimens(fd, NULL));
    printf("%d\n", open("/proc/self/exe", O_RDONLY | O_TRUNC));
    fd = open("/dev/zero", O_RDWR);
    printf("%d %d\n", fchmod(fd, 0666), futimens(dup(fd), NULL));
}

/* Started with --root=/. */
static void process(void)
{
    static const char *const names[] = {
        "/proc",          "/proc/self/mem",       "/proc/self/fd/0",
        "/proc/cmdline",  "/proc/self/../stat",   "/dev/../proc/self/maps",
        "/proc/1/status", "/proc/thread-self/mem"};
    struct stat s;
    char b[100];

    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        if (open(names[n], O_RDONLY) >= 0 || stat(names[n], &s) == 0 ||
            chdir(names[n]) == 0 || readlink(names[n], b, sizeof b) >= 0)
            printf("%s is there\n", names[n]);
    for (int n = 0; n < 64; n++) {
        snprintf(b, sizeof b, "/dev/fd/%d", n);
        if (open(b, O_RDONLY) >= 0)
            printf("%s is there\n", b);
    }
    printf("%d\n", open("/dev/null", O_RDONLY) >= 0);
}

/* stdout is somebody else's too. */
static void standard(void)
{
    int fd = dup(1);

    printf("%d %d\n", fchmod(fd, 0777), errno);
    printf("%d %d\n", futimens(fd, NULL), errno);
    printf("%d\n", fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK));
    printf("%x\n", fcntl(1, F_GETFL) & (O_APPEND | O_NONBLOCK));
    printf("%x\n", fcntl(2, F_GETFL) & (O_APPEND | O_NONBLOCK));
}

/* With --mem=64: files without a name lie in there, too. */
static void memory(void)
{
    static char bytes[MB];
    int fd = memfd_create("x", 0), other, n = 0;
    char *p;

    while (write(fd, bytes, MB) == MB)
        n++;
    printf("%d\n", n > 40 && n < 64);
    other = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    printf("%ld\n", (long)write(other, bytes, MB));
    printf("%d\n", ftruncate(fd, 0));
    printf("%ld\n", (long)write(other, bytes, MB));
    printf("%d\n", posix_fallocate(other, 0, 1 << 30) == ENOSPC);
    ftruncate(other, 40 * MB);
    p = mmap(NULL, 40 * MB, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);
    memset(p, 1, 40 * MB);
    pread(other, bytes, 10, 39 * MB); /* it is not there twice */
    memset(p, 2, 40 * MB);
    pread(other, bytes, 10, 39 * MB);
    printf("%d\n", bytes[9]);
}

/* Calls that keep the host for long. */
static void longest(void)
{
    static struct iovec v[1024];
    char *p = mmap(NULL, 1024 * MB, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int null = open("/dev/null", O_WRONLY),
        zero = open("/dev/urandom", O_RDONLY);

    puts("begins");
    fflush(stdout);
    for (int n = 0; n < 1024; n++)
        v[n] = (struct iovec){p, 1024 * MB};
    for (;;) {
        getrandom(p, 900 * MB, 0);
        read(zero, p, 1024 * MB);
        writev(null, v, 1024);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";

    setvbuf(stdout, NULL, _IONBF, 0);
    if (!strcmp(way, "self"))
        self(argv[2], argv[3]);
    if (!strcmp(way, "process"))
        process();
    if (!strcmp(way, "standard"))
        standard();
    if (!strcmp(way, "memory"))
        memory();
    if (!strcmp(way, "longest"))
        longest();
    return 0;
}
