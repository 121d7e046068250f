/* standard.c - asks about its standard files in every way, and changes them;
 * prints what it heard on stderr. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

static void say(const char *what, long r)
{
    fprintf(stderr, "%s %ld %s\n", what, r, r < 0 ? strerror(errno) : "");
}

static void map(const char *what, int fd, int flags, int prot, long at)
{
    char *p = mmap(NULL, 100000, prot, flags, fd, at);

    say(what, p == MAP_FAILED ? -1 : 0);
    if (p == MAP_FAILED)
        return;
    fprintf(stderr, "%.20s %d\n", p, p[70000]);
    if (flags & MAP_SHARED) /* it was not opened to be written */
        say("mprotect", mprotect(p, 4096, PROT_READ | PROT_WRITE));
    else
        p[70000]++;
    munmap(p, 100000);
}

int main(void)
{
    struct flock l = {F_RDLCK, SEEK_SET, 0, 0, 0};
    struct statfs f = {0};

    map("private", 0, MAP_PRIVATE, PROT_READ | PROT_WRITE, 0);
    map("shared", 0, MAP_SHARED, PROT_READ, 4096);
    map("shared to write", 0, MAP_SHARED, PROT_READ | PROT_WRITE, 0);
    map("stdout", 1, MAP_SHARED, PROT_READ, 0);
    say("write", write(1, "gone", 4));
    say("ftruncate", ftruncate(1, 0));
    say("lseek", lseek(1, 0, SEEK_SET));
    say("write", write(1, "stays\n", 6));
    say("fallocate", fallocate(1, 0, 0, 100));
    say("ftruncate", ftruncate(0, 3));
    say("fstatfs", fstatfs(0, &f));
    fprintf(stderr, "%lx %ld\n", (long)f.f_type, (long)f.f_bfree);
    say("fstatfs", fstatfs(1, &f));
    fprintf(stderr, "%lx %ld\n", (long)f.f_type, (long)f.f_bfree);
    say("flock", flock(0, LOCK_EX | LOCK_NB));
    say("F_SETLK", fcntl(0, F_SETLK, &l));
    say("fsync", fsync(1));
    say("fsync", fsync(0));
    return 0;
}
