/* mapped.c - maps its own file as code, so often as the first argument says;
 * with a second one all of them stay. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
    int file = open(argv[0], O_RDONLY);

    for (int n = atoi(argv[1]); n > 0; n--) {
        void *at = mmap(0, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);

        if (at == MAP_FAILED)
            return 1;
        if (argc < 3)
            munmap(at, 8192);
    }
    return 0;
}
