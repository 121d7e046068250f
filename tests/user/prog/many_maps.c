/* many_maps.c - nearly as many mappings as Linux lets a program have: placed by
 * the system, or of one file; each is touched, and they go in another order. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPS 65000

static char *at[MAPS];

int main(int argc, char **argv)
{
    int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS, sum = 0;

    (void)argv;
    if (argc > 1) {
        flags = MAP_SHARED;
        fd = open("/tmp/file", O_RDWR | O_CREAT, 0600);
        if (fd < 0 || ftruncate(fd, MAPS * 4096L) != 0)
            return 1;
    }
    for (int n = 0; n < MAPS; n++) {
        int prot = fd < 0 && n % 2 ? PROT_READ : PROT_READ | PROT_WRITE;

        at[n] = mmap(NULL, 4096, prot, flags, fd,
                     fd < 0 ? 0 : n * 7919L % MAPS * 4096);
        if (at[n] == MAP_FAILED)
            return 2;
        if (prot & PROT_WRITE)
            *at[n] = 1;
        sum += *at[n];
    }
    for (int n = 0; n < MAPS; n++)
        munmap(at[n * 7919L % MAPS], 4096);
    printf("%d\n", sum);
    return 0;
}
