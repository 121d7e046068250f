/* kept.c - what programs of others ask of files: locks of parts, that another
 * process waits for; times that are set; owners.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

static int fd;

static void tell(const char *what, int r)
{
    printf("%s: %d%s%s\n", what, r, r < 0 ? " " : "",
           r < 0 ? strerror(errno) : "");
    fflush(stdout);
}

static int lock(int command, int type, int start, int length)
{
    struct flock l = {.l_type = (short)type, .l_start = start, .l_len = length};
    int r = fcntl(fd, command, &l);

    if (command == F_GETLK && !r)
        printf("  %s from %d, %d bytes%s\n",
               l.l_type == F_UNLCK   ? "free"
               : l.l_type == F_WRLCK ? "write"
                                     : "read",
               (int)l.l_start, (int)l.l_len,
               l.l_type != F_UNLCK && l.l_pid == getppid() ? ", the parent's"
                                                           : "");
    return r;
}

/* What the child sees of the parent's 0 to 9 and 20 to 29 (write), 40 on
 * (read). */
static void child(int ready)
{
    tell("write what is locked", lock(F_SETLK, F_WRLCK, 5, 1));
    tell("ask", lock(F_GETLK, F_RDLCK, 8, 20));
    tell("ask, behind", lock(F_GETLK, F_WRLCK, 1000, 0));
    tell("between", lock(F_SETLK, F_WRLCK, 10, 10));
    tell("read beside a reader", lock(F_SETLK, F_RDLCK, 50, 5));
    tell("write beside a reader", lock(F_SETLK, F_WRLCK, 60, 1));
    tell("free", lock(F_GETLK, F_WRLCK, 30, 10));
    write(ready, "x", 1);
    tell("waited", lock(F_SETLKW, F_WRLCK, 0, 10));
    write(fd, "child ", 6);
    _exit(0); /* and what it has is free */
}

static void locks(void)
{
    int ready[2], other;
    char byte, text[20] = "";

    fd = open("/tmp/kept.file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    tell("write", lock(F_SETLK, F_WRLCK, 0, 30));
    tell("a hole", lock(F_SETLK, F_UNLCK, 10, 10));
    tell("read to the end", lock(F_SETLK, F_RDLCK, 40, 0));
    tell("own", lock(F_GETLK, F_WRLCK, 0, 0));
    tell("no such type", lock(F_SETLK, 7, 0, 1));
    tell("before the begin", lock(F_SETLK, F_WRLCK, -1, 1));
    fflush(stdout);
    pipe(ready);
    if (!fork())
        child(ready[1]);
    read(ready[0], &byte, 1);
    usleep(2000);
    write(fd, "parent ", 7);
    close(open("/tmp/kept.file", O_RDONLY)); /* gives all locks back */
    wait(NULL);
    tell("all", lock(F_SETLK, F_WRLCK, 0, 0));
    tell("text", (int)pread(fd, text, 19, 0));
    puts(text);
    other = open("/tmp/kept.file", O_RDONLY);
    fd = other;
    tell("write of one that is read", lock(F_SETLK, F_WRLCK, 0, 1));
}

static void changed(const char *what)
{
    struct stat s;

    stat("/tmp/kept.file", &s);
    printf("%s: changed at %ld\n", what, (long)s.st_mtime);
}

static void times_of(void)
{
    struct timespec two[2] = {{5, 0}, {77, 500}};
    struct timeval pair[2] = {{5, 0}, {123456, 7}};
    struct utimbuf whole = {1, 2000000};

    tell("utimensat", utimensat(AT_FDCWD, "/tmp/kept.file", two, 0));
    changed("utimensat");
    tell("utimes", utimes("/tmp/kept.file", pair));
    changed("utimes");
    tell("utime", utime("/tmp/kept.file", &whole));
    changed("utime");
    two[1].tv_nsec = UTIME_OMIT;
    tell("omitted", futimens(fd, two));
    changed("omitted");
    two[1].tv_nsec = 1000000000;
    tell("no such time", futimens(fd, two));
    tell("no such file", utimensat(AT_FDCWD, "/tmp/none", two, 0));
    two[1].tv_nsec = 3;
    two[1].tv_sec = 4000;
    tell("futimens", futimens(fd, two));
    changed("futimens");
    tell("chown", chown("/tmp/kept.file", 0, (gid_t)-1));
    tell("fchown", fchown(fd, (uid_t)-1, 0));
    tell("chown of none", chown("/tmp/none", 0, 0));
}

int main(void)
{
    struct rusage before, after;

    locks();
    times_of();
    unlink("/tmp/kept.file");
    getrusage(RUSAGE_SELF, &before);
    for (int n = 0; n < 5; n++)
        usleep(100);
    getrusage(RUSAGE_SELF, &after);
    printf("had a CPU again: %d\n", after.ru_nvcsw + after.ru_nivcsw -
                                            before.ru_nvcsw -
                                            before.ru_nivcsw >=
                                        5);
    return 0;
}
