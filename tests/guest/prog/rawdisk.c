/* rawdisk.c - /dev/vda: any bytes at any place, four threads that write parts
 * of the same sectors, a stream, its end. DISK is a file elsewhere.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <pthread.h>
#ifndef DISK
#define DISK "/dev/vda"
#endif
static void *worker(void *arg)
{
    long n = (long)arg;
    char b[700];
    int fd = open(DISK, O_RDWR);
    memset(b, 'a' + n, sizeof b);
    for (int k = 0; k < 20; k++) /* neighbours share sectors */
        if (pwrite(fd, b, sizeof b, 20000 + (4 * k + n) * 700) != 700)
            puts("short");
    close(fd);
    return 0;
}
int main(void)
{
    char b[10000];
    pthread_t t[4];
    struct stat s;
    int fd = open(DISK, O_RDWR), n, wrong = 0;
    if (fd < 0) {
        printf("open: %s\n", strerror(errno));
        return 1;
    }
    fstat(fd, &s);
    printf("block %d, end %lld\n", S_ISBLK(s.st_mode),
           (long long)lseek(fd, 0, SEEK_END));
    lseek(fd, 100, SEEK_SET);
    n = read(fd, b, 10);
    printf("%d %.10s\n", n, b);
    printf("%d\n", (int)pwrite(fd, "across", 6, 1021));
    n = pread(fd, b, 20, 1010);
    fwrite(b, 1, n, stdout);
    puts("|");
    for (long k = 0; k < 4; k++)
        pthread_create(&t[k], 0, worker, (void *)k);
    for (int k = 0; k < 4; k++)
        pthread_join(t[k], 0);
    for (int k = 0; k < 80; k++) {
        pread(fd, b, 700, 20000 + 700 * k);
        for (int i = 0; i < 700; i++)
            wrong += b[i] != 'a' + k % 4;
    }
    printf("wrong %d, fsync %d\n", wrong, fsync(fd));
    lseek(fd, -3, SEEK_END);
    n = write(fd, "12345", 5);
    printf("end: %d", n);
    n = write(fd, "12345", 5);
    printf(", %d %s", n, strerror(errno));
    n = read(fd, b, 5);
    printf(", %d\n", n);
    FILE *f = fopen(DISK, "r+");
    fseek(f, 300000, SEEK_SET);
    for (int k = 0; k < 3000; k++)
        fprintf(f, "line %d\n", k);
    fseek(f, 300000, SEEK_SET);
    long sum = 0;
    int c;
    while ((c = getc(f)) > 0)
        sum += c;
    printf("sum %ld\n", sum);
    n = pread(fd, (void *)8, 100, 0);
    printf("wild: %d %s\n", n, strerror(errno));
    return 0;
}
