/* full.c - a file of pages until no more can be had, or as many as the argument
 * says; then the same file is read, removed and written anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned b[1024];

static int fill(const char *name, int most)
{
    int fd = open(name, O_CREAT | O_RDWR, 0666), n;

    for (n = 0; n < most; n++) {
        for (int k = 0; k < 1024; k++)
            b[k] = n * 1024 + k;
        if (write(fd, b, sizeof b) != sizeof b)
            break;
    }
    close(fd);
    return n;
}

int main(int argc, char **argv)
{
    int most = argc > 1 ? atoi(argv[1]) : 100000, wrong = 0, fd;
    int n = fill("/tmp/big", most);

    printf("%s\n", n < most ? strerror(errno) : "all written");
    fd = open("/tmp/big", O_RDONLY);
    for (int i = 0; i < n; i++) {
        if (read(fd, b, sizeof b) != sizeof b)
            wrong++;
        for (int k = 0; k < 1024; k++)
            wrong += b[k] != i * 1024 + k;
    }
    close(fd);
    printf("wrong %d, more than 100: %d\n", wrong, n > 100);
    unlink("/tmp/big");
    /* Pages of the program may have come back meanwhile. */
    printf("again %d\n", fill("/tmp/big", most) >= n - 8);
    return 0;
}
