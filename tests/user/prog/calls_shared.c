/* calls_shared.c - a file that is mapped, shared, is one thing: mappings of
 * it, made by whichever descriptor, see each other's stores, what is written
 * to it and what cuts it; calls see what was stored.
 */
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define PAGE 4096
#define RW (PROT_READ | PROT_WRITE)

static sigjmp_buf back;
static volatile int code;

static volatile int armed;

static void caught(int signal)
{
    code = signal;
    if (!armed)
        _exit(99);
    siglongjmp(back, 1);
}

static int touch(volatile char *p, int store)
{
    code = 0;
    armed = 1;
    if (!sigsetjmp(back, 1)) {
        if (store)
            *p = 'w';
        else
            (void)*p;
    }
    armed = 0;
    return code;
}

static char *map(int fd, int pages, int prot, int first)
{
    char *p = mmap(NULL, pages * PAGE, prot, MAP_SHARED, fd, first * PAGE);

    if (p == MAP_FAILED)
        SAY("mmap2", "failed %d", errno);
    return p;
}

static char read_at(int fd, long at)
{
    char c = '?';

    pread(fd, &c, 1, at);
    return c;
}

static void two_mappings(int a, int b)
{
    char *p = map(a, 4, RW, 0), *q = map(a, 4, RW, 0), *r = map(b, 2, RW, 2);
    char *x = mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE, a, 0), c[8] = "";
    struct iovec v[2] = {{c, 3}, {c + 3, 2}};
    off_t from = 20;
    int out = open("copy", O_RDWR | O_CREAT | O_TRUNC, 0600);

    p[10] = 'A';
    SAY("mmap2", "%c %c %c", p[10], q[10], x[10]);
    q[3 * PAGE + 7] = 'B';
    SAY("mmap2", "%c %c", p[3 * PAGE + 7], r[PAGE + 7]);
    r[PAGE + 8] = 'C';
    SAY("pread64", "%c %c %c", read_at(a, 10), read_at(b, 3 * PAGE + 7),
        read_at(a, 3 * PAGE + 8));
    pwrite(b, "DE", 2, PAGE - 1);
    SAY("pwrite64", "%c %c %c", p[PAGE - 1], q[PAGE], p[PAGE]);
    lseek(b, 2 * PAGE, SEEK_SET);
    write(b, "FGH", 3);
    SAY("write", "%c %c %c", p[2 * PAGE], q[2 * PAGE + 1], r[2]);
    memcpy(p + 20, "12345678", 8);
    lseek(a, 20, SEEK_SET);
    SAY("readv", "%ld %s", (long)readv(a, v, 2), c);
    SAY("sendfile64", "%ld", (long)sendfile(out, a, &from, 8));
    SAY("sendfile64", "%c %c", read_at(out, 0), read_at(out, 7));
    lseek(a, 100, SEEK_SET);
    from = 20;
    sendfile(b, a, &from, 3);
    SAY("sendfile64", "%c", q[2 * PAGE + 3]);
    p[30] = 'x';
    memcpy(c, "uvw", 3);
    SAY("pwritev", "%ld %c %c", (long)pwritev(b, v, 1, 31), p[30], q[33]);
    SAY("munmap", "%d %d", munmap(p, 4 * PAGE), touch(p, 0));
    q[40] = 'y';
    SAY("munmap", "%d %c", munmap(q, 4 * PAGE), read_at(b, 40));
    r[9] = 'z';
    munmap(r, 2 * PAGE);
    munmap(x, 4 * PAGE);
    SAY("munmap", "%c", read_at(b, 2 * PAGE + 9));
    close(out);
}

static void cutting(int a, int b)
{
    char *p = map(a, 4, RW, 0), *q = map(b, 4, RW, 0);
    int fd;

    p[5] = 'k';
    p[PAGE + 5] = 'l';
    p[2 * PAGE + 5] = 'm';
    SAY("ftruncate", "%d", ftruncate(b, PAGE + 6));
    SAY("ftruncate", "%c %c %d", p[5], q[PAGE + 5], q[PAGE + 6]);
    SAY("ftruncate", "%d %d", touch(p + 2 * PAGE, 0), touch(q + 3 * PAGE, 1));
    SAY("ftruncate", "%d", ftruncate(a, 4 * PAGE));
    SAY("ftruncate", "%d %d", touch(q + 2 * PAGE + 5, 0), q[2 * PAGE + 5]);
    q[3 * PAGE] = 'n';
    SAY("truncate", "%d %d", truncate("mapped", 3 * PAGE + 1), p[3 * PAGE]);
    SAY("truncate", "%d %d", truncate("mapped", 3 * PAGE),
        touch(q + 3 * PAGE, 0));
    p[7] = 'o';
    lseek(a, 4 * PAGE - 1, SEEK_SET);
    SAY("write", "%ld %d %d", (long)write(a, "", 1), q[4 * PAGE - 1], q[7]);
    fd = open("mapped", O_RDWR | O_TRUNC);
    SAY("open", "%d %d", touch(p, 0), touch(q + PAGE, 1));
    SAY("ftruncate", "%d %d", ftruncate(fd, 4 * PAGE), p[7]);
    close(fd);
    munmap(p, 4 * PAGE);
    munmap(q, 4 * PAGE);
}

static void appending(int a)
{
    int fd = open("mapped", O_RDWR | O_APPEND);
    char *p = map(fd, 5, RW, 0);
    struct stat s;

    p[3] = 's';
    SAY("msync", "%d", msync(p, PAGE, MS_SYNC));
    fstat(a, &s);
    SAY("msync", "%ld %c", (long)s.st_size, read_at(a, 3));
    SAY("write", "%ld %c", (long)write(fd, "tail", 4), p[4 * PAGE + 3]);
    munmap(p, 5 * PAGE);
    fstat(a, &s);
    SAY("munmap", "%ld", (long)s.st_size);
    ftruncate(a, 4 * PAGE);
    close(fd);
}

static void rights(int a)
{
    int fd = open("mapped", O_RDONLY);
    char *p = map(fd, 2, PROT_READ, 0), *q = map(a, 2, PROT_READ, 0);

    TRY(mmap2, 0, PAGE, RW, MAP_SHARED, fd, 0);
    TRY(mprotect, p, PAGE, RW);
    TRY(mprotect, q, PAGE, RW);
    q[11] = 't';
    SAY("mprotect", "%d %d %c", touch(p + 11, 1), touch(q + PAGE, 1), p[11]);
    TRY(mprotect, q, PAGE, PROT_READ);
    munmap(q, 2 * PAGE);
    SAY("mprotect", "%c", read_at(a, 11));
    munmap(p, 2 * PAGE);
    close(fd);
}

static void moving(int a)
{
    char *p = map(a, 2, RW, 0), *q, *r, *hole;

    p[12] = 'u';
    p[PAGE] = 'v';
    hole = mmap(NULL, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hole, 8 * PAGE);
    q = mremap(p, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
    SAY("mremap", "%c %c %d", q[12], q[PAGE], q[3 * PAGE]);
    r = map(a, 2, RW, 0);
    r[13] = 'w';
    SAY("mremap", "%c %c", q[13], read_at(a, 13));
    p = mmap(NULL, 8 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    SAY("mremap", "%d",
        mremap(q, 2 * PAGE, 3 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
               p + 2 * PAGE) == p + 2 * PAGE);
    SAY("mremap", "%c %d %d", p[2 * PAGE + 13], touch(p, 0),
        touch(p + 5 * PAGE, 0));
    SAY("mremap", "%d", touch(q, 0));
    TRY(mremap, p, PAGE, PAGE, MREMAP_FIXED, p + PAGE);
    TRY(mremap, p, PAGE, PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, p + 1);
    TRY(mremap, p, 2 * PAGE, PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, p + PAGE);
}

/* Anything in any order; what the file and its mappings have is told by sums
 * now and then. */
static void at_random(int a, int b)
{
    static char bytes[3 * PAGE];
    char *p[3] = {NULL, NULL, NULL};
    unsigned seed = 7, sum = 0, size = 0;

    ftruncate(a, 0);
    for (int n = 0; n < 4000; n++) {
        unsigned r = seed = seed * 1103515245 + 12345, w = r >> 8 & 3, i;
        unsigned at = (seed = seed * 1103515245 + 12345) >> 8 & 0x7FFF;
        int fd = r >> 16 & 1 ? a : b;

        switch (r >> 24 & 7) {
        case 0:
            if (w < 3 && p[w])
                munmap(p[w], 8 * PAGE);
            if (w < 3)
                p[w] = map(fd, 8, RW, 0);
            break;
        case 1:
            size = at;
            ftruncate(fd, size);
            break;
        case 2:
            memset(bytes, n, sizeof bytes);
            if (pwrite(fd, bytes, r >> 12 & 0xFFF, at) > 0 &&
                at + (r >> 12 & 0xFFF) > size)
                size = at + (r >> 12 & 0xFFF);
            break;
        case 3:
            memset(bytes, 0, sizeof bytes);
            pread(fd, bytes, sizeof bytes, at);
            for (i = 0; i < sizeof bytes; i++)
                sum = sum * 31 + bytes[i];
            break;
        case 4:
            if (w < 3 && p[w])
                msync(p[w], 8 * PAGE, r >> 16 & 2 ? MS_SYNC : MS_ASYNC);
            break;
        default:
            if (w == 3 || !p[w] || at >= size)
                break;
            sum = sum * 31 + p[w][at];
            p[w][at] = n;
            sum = sum * 31 + p[w][at / 2];
            break;
        }
        if (n % 250 == 0)
            SAY("mmap2", "%d: %u bytes, %08x", n, size, sum);
    }
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    struct sigaction act = {.sa_handler = caught};
    int a = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600), b;

    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
    ftruncate(a, 4 * PAGE);
    b = open("mapped", O_RDWR);
    two_mappings(a, b);
    cutting(a, b);
    appending(a);
    rights(a);
    moving(a);
    at_random(a, b);
    return 0;
}
