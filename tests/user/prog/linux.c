/* linux.c - what Linux does and the emulator that judges the other calls does
 * not: as the manual pages have it. Prints what is otherwise. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define RW (PROT_READ | PROT_WRITE)
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31)
#endif

static int bad;

static void want(const char *what, long got, long wanted)
{
    if (got != wanted && ++bad)
        printf("%s: %ld, not %ld (%s)\n", what, got, wanted, strerror(errno));
}

/* mremap(2): no old size maps what is shared a second time. */
static void twice(void)
{
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *p, *q;

    ftruncate(fd, 2 * PAGE);
    p = mmap(NULL, 2 * PAGE, RW, MAP_SHARED, fd, 0);
    q = mremap(p, 0, 2 * PAGE, MREMAP_MAYMOVE);
    want("a second mapping", q != MAP_FAILED && q != p, 1);
    q[PAGE] = 'f';
    want("is the same", p[PAGE], 'f');
    munmap(p, 2 * PAGE);
    want("and stays", q[PAGE], 'f');
    munmap(q, 2 * PAGE);
    p = mmap(NULL, PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    q = mremap(p, 0, PAGE, MREMAP_MAYMOVE);
    strcpy(p, "no name");
    want("memory without a name", strcmp(q, "no name"), 0);
    munmap(p, PAGE);
    want("lives as long as one", strcmp(q, "no name"), 0);
    p = mmap(NULL, PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    want("private", mremap(p, 0, PAGE, MREMAP_MAYMOVE) == MAP_FAILED, 1);
    want("is not to be had twice", errno, EINVAL);
}

/* mremap(2), mlock(2), madvise(2), mincore(2): a size that reaches around the
 * end of all addresses is that of no mapping. The program lies where it would
 * arrive. */
static void around(void)
{
    char *at = (char *)0xA0000000;
    size_t most = 0x70200000;
    static char in[0x70200000 / PAGE];

    want("high up",
         mmap(at, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
              0) == at,
         1);
    want("longer", mremap(at, most, most + PAGE, MREMAP_MAYMOVE) == MAP_FAILED,
         1);
    want("has no such mapping", errno, EFAULT);
    want("shorter", mremap(at, 0xB0000000, 0x60000000, 0) == MAP_FAILED, 1);
    want("is no such range", errno, EINVAL);
    want("locked", mlock(at, most), -1);
    want("around the end", errno, EINVAL);
    want("advised", madvise(at, most, MADV_NORMAL), -1);
    want("around it, too", errno, EINVAL);
    want("looked at", mincore(at, most, (unsigned char *)in), -1);
    want("is not mapped", errno, ENOMEM);
    munmap(at, PAGE);
}

/* lseek(2): a place in a directory that nobody was told of. */
static void beyond(void)
{
    int fd = open(".", O_RDONLY | O_DIRECTORY);
    char entries[4096];

    want("entries", getdents64(fd, entries, sizeof entries) > 0, 1);
    want("far away", lseek64(fd, 0x7FFFFFFFFFFFFFFFll, SEEK_CUR), -1);
    want("is no place", errno, EINVAL);
    close(fd);
}

/* sigaltstack(2): a stack that disarms itself. */
static char other[65536];
static int on_it, flags_there;

static void look(int signal, siginfo_t *info, void *context)
{
    stack_t s;

    (void)signal, (void)info, (void)context;
    on_it = (char *)&s >= other && (char *)&s < other + sizeof other;
    sigaltstack(NULL, &s);
    flags_there = s.ss_flags;
}

static void disarmed(void)
{
    stack_t s = {.ss_sp = other, .ss_size = sizeof other}, now;
    struct sigaction a = {.sa_flags = SA_ONSTACK | SA_SIGINFO};

    s.ss_flags = (int)SS_AUTODISARM;
    want("armed", sigaltstack(&s, NULL), 0);
    a.sa_sigaction = look;
    sigaction(SIGUSR1, &a, NULL);
    for (int n = 0; n < 2; n++) {
        raise(SIGUSR1);
        want("the handler is on it", on_it, 1);
        want("and it is disarmed", flags_there, SS_DISABLE);
        sigaltstack(NULL, &now);
        want("armed again", now.ss_flags, (int)SS_AUTODISARM);
        want("the same", now.ss_sp == other, 1);
    }
}

int main(void)
{
    twice();
    around();
    beyond();
    disarmed();
    return bad;
}
