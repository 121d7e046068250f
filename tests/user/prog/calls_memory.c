/* calls_memory.c - system calls about the address space. */
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE 4096
#define A (MAP_PRIVATE | MAP_ANONYMOUS)

static sigjmp_buf back;
static volatile int code;

static void caught(int signal, siginfo_t *info, void *context)
{
    (void)context;
    code = signal;
    (void)info;
    siglongjmp(back, 1);
}

/* What a load from or a store to p does: 0, or the signal. */
static int touch(volatile char *p, int store)
{
    code = 0;
    if (!sigsetjmp(back, 1)) {
        if (store)
            *p = 1;
        else
            (void)*p;
    }
    return code;
}

static void mapping(void)
{
    char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, A, -1, 0), *q;
    unsigned char in[4];
    long fd;

    SAY("mmap2", "%s, zero %d", p == MAP_FAILED ? "error" : "fine", p[5000]);
    TRY(mmap2, 0, 0, 3, A, -1, 0);
    TRY(mmap2, 0, PAGE, 3, 0, -1, 0);
    TRY(mmap2, 0, PAGE, 3, MAP_PRIVATE, 99, 0);
    TRY(mprotect, p, PAGE, PROT_READ);
    SAY("mprotect", "%d %d", touch(p, 0), touch(p, 1));
    TRY(mprotect, p + PAGE, PAGE, PROT_NONE);
    SAY("mprotect", "%d", touch(p + PAGE, 0));
    TRY(mprotect, p + 1, PAGE, PROT_NONE);
    TRY(mprotect, p, PAGE, PROT_READ | PROT_WRITE);
    SAY("mprotect", "%d", touch(p, 1));
    p[2 * PAGE] = 42;
    TRY(munmap, p + 3 * PAGE, PAGE);
    SAY("munmap", "%d", touch(p + 3 * PAGE, 0));
    TRY(munmap, p + 1, PAGE);
    TRY(munmap, p, 0);
    TRY(msync, p, PAGE, MS_SYNC);
    TRY(msync, p + 1, PAGE, MS_SYNC);
    TRY(mlock, p, PAGE);
    TRY(munlock, p, PAGE);
    TRY(mlockall, 0);
    TRY(mlockall, 0x8000); /* MCL_ONFAULT, without the other two */
    fd = CALL(__NR_mlockall, MCL_CURRENT); /* how much is up to the host */
    SAY("mlockall", "%d", fd == 0 || fd == -ENOMEM || fd == -EPERM);
    FINE(munlockall);
    TRY(mincore, p, PAGE, in);
    TRY(mincore, p + 1, 10, in);
    q = (char *)CALL(__NR_mremap, p + 2 * PAGE, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
    SAY("mremap", "%d", (unsigned long)q > -4096ul ? -1 : q[0]);
    TRY(mremap, p + 1, PAGE, PAGE, 0);
    TRY(madvise, p, PAGE, MADV_WILLNEED);
    p[0] = 7;
    TRY(madvise, p, PAGE, MADV_DONTNEED);
    SAY("madvise", "%d", p[0]);
    TRY(madvise, p + 1, PAGE, MADV_DONTNEED);
    fd = CALL(__NR_open, "mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
    TRY(write, fd, "file content", 12);
    p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    SAY("mmap2", "%.12s %d", p, p[12]);
    p[0] = 'F';
    SAY("mmap2", "%d", touch(p + PAGE, 0));
    q = (char *)CALL(__NR_mmap, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                     0);
    SAY("mmap", "%.12s", q);
    q[1] = 'I';
    TRY(msync, q, PAGE, MS_SYNC);
    TRY(munmap, q, PAGE);
    q = malloc(20);
    SAY("pread64", "%ld", (long)pread(fd, q, 12, 0));
    SAY("pread64", "%.12s", q);
    TRY(mmap, 0, PAGE, PROT_READ, MAP_SHARED, fd, 5);
    TRY(close, fd);
}

static void heap(void)
{
    char *b = (char *)CALL(__NR_brk, 0), *c;

    c = (char *)CALL(__NR_brk, b + 100000);
    SAY("brk", "%ld", (long)(c - b));
    SAY("brk", "%d", touch(c - 1, 1));
    c = (char *)CALL(__NR_brk, b);
    SAY("brk", "%ld", (long)(c - b));
    c = (char *)CALL(__NR_brk, 1);
    SAY("brk", "%ld", (long)(c - b));
}

int main(void)
{
    struct sigaction a = {.sa_flags = SA_SIGINFO};

    a.sa_sigaction = caught;
    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGBUS, &a, NULL);
    SAY("fault", "%d %d", touch((char *)16, 0), touch((char *)16, 1));
    mapping();
    heap();
    for (size_t n = 1; n < 1000000; n *= 3) { /* malloc both ways */
        char *p = malloc(n), *q = malloc(200000);

        memset(p, 1, n);
        memset(q, 2, 200000);
        p = realloc(p, 2 * n);
        SAY("malloc", "%d %d", p[n - 1], q[199999]);
        free(q);
        free(p);
    }
    return 0;
}
