/* talk.c - everything that a program can hear from stdin and stdout: lines,
 * blocks, what kind of files they are, what is ready, where they stand. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void about(int fd)
{
    struct stat s = {0};
    int n = -1, r = fstat(fd, &s);

    printf("%d: %d %o %ld at %ld, %s", fd, r, (unsigned)s.st_mode,
           (long)s.st_size, (long)s.st_mtime, isatty(fd) ? "tty" : "no tty");
    r = ioctl(fd, FIONREAD, &n);
    printf(", readable %d %d, stands %ld, flags %x\n", r, n,
           (long)lseek(fd, 0, SEEK_CUR), fcntl(fd, F_GETFL));
}

int main(void)
{
    struct pollfd p = {0, POLLIN, 0};
    struct timespec now;
    unsigned sum = 0, blocks = 0;
    char line[100], block[70000];
    ssize_t n;
    int copy;

    if (access("more", F_OK) == 0) /* a file: no part of a recording */
        printf("more\n");
    about(0);
    about(1);
    if (fgets(line, sizeof line, stdin))
        printf("first: %s", line);
    while (fgets(line, sizeof line, stdin) && strcmp(line, "end\n") != 0)
        sum = sum * 31 + (unsigned char)line[0];
    printf("lines: %u\n", sum);
    fflush(stdout);
    fflush(stdin);
    copy = dup(0);
    printf("nothing %d\n", (int)read(copy, block, 0));
    printf("poll %d", poll(&p, 1, -1));
    printf(" %x\n", p.revents);
    while ((n = read(copy, block, sizeof block)) > 0)
        for (blocks++; n > 0; n--)
            sum = sum * 31 + (unsigned char)block[n - 1];
    printf("blocks: %d %u\n", blocks > 0, sum);
    about(0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%ld\n", now.tv_nsec);
    return 0;
}
