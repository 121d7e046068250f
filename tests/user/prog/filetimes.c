/* filetimes.c - the times of files that a program makes, changes and reads are
 * by its own clock. Prints what is otherwise, and numbers that are to be the
 * same in every run. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int bad;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double of(const struct timespec *t)
{
    return t->tv_sec + t->tv_nsec / 1e9;
}

/* Which of access, modification, status are from `since` on? */
static int fresh(const char *name, double since)
{
    struct stat s;

    if (lstat(name, &s))
        return -errno;
    if (of(&s.st_atim) > now() || of(&s.st_mtim) > now() ||
        of(&s.st_ctim) > now())
        return -1;
    return (of(&s.st_atim) >= since) << 2 | (of(&s.st_mtim) >= since) << 1 |
           (of(&s.st_ctim) >= since);
}

/* After something was done: 4 access, 2 modification, 1 status, of the file
 * and of the directory. */
static void want(const char *what, double since, int file, int directory)
{
    int f = fresh("d/file", since), d = fresh("d", since) & 3;

    if ((f != file || d != directory) && ++bad)
        printf("%s: %d %d, not %d %d\n", what, f, d, file, directory);
    usleep(1000);
}

static void by_name(void)
{
    struct timespec t[2] = {{5, 6}, {7, 8}};
    struct stat s;
    double then;

    then = now(), rename("d/file", "d/other"), rename("d/other", "d/file");
    want("rename", then, 1, 3);
    then = now(), link("d/file", "d/link");
    want("link", then, 1, 3);
    then = now(), unlink("d/link");
    want("unlink", then, 1, 3);
    then = now(), symlink("file", "d/link");
    want("symlink", then, 0, 3);
    if (fresh("d/link", then) != 7 && ++bad)
        printf("the link itself\n");
    then = now(), chmod("d/file", 0640);
    want("chmod", then, 1, 0);
    then = now(), truncate("d/file", 3);
    want("truncate", then, 3, 0);
    then = now(), utimensat(AT_FDCWD, "d/file", t, 0);
    stat("d/file", &s);
    want("utimensat", then, 1, 0);
    if ((s.st_atim.tv_sec != 5 || s.st_mtim.tv_nsec != 8) && ++bad)
        printf("times that were set\n");
    t[0].tv_nsec = UTIME_OMIT;
    t[1].tv_nsec = UTIME_NOW;
    then = now(), utimensat(AT_FDCWD, "d/file", t, 0);
    want("now", then, 3, 0);
    then = now(), utimensat(AT_FDCWD, "d/file", NULL, 0);
    want("both now", then, 7, 0);
    then = now(), mkdir("d/d", 0700);
    want("mkdir", then, 0, 3);
    if (fresh("d/d", then) != 7 && ++bad)
        printf("the new directory\n");
    then = now(), rmdir("d/d");
    want("rmdir", then, 0, 3);
}

static void numbers(void)
{
    DIR *d = opendir("d");
    struct dirent *e;
    struct stat s;
    unsigned same = 0;

    stat("d/file", &s);
    printf("file %lu on %lu, %d\n", (unsigned long)s.st_ino,
           (unsigned long)s.st_dev, (int)s.st_mtime);
    while ((e = readdir(d)) != NULL)
        if (strcmp(e->d_name, "file") == 0)
            same = e->d_ino == s.st_ino;
    unlink("d/file");
    close(open("d/file", O_CREAT | O_RDWR, 0600));
    stat("d/file", &s);
    printf("file %lu, %u\n", (unsigned long)s.st_ino, same);
    stat("before", &s);
    printf("%d %d\n", (int)s.st_mtime, (int)s.st_atime);
    stat("/dev/urandom", &s);
    printf("%d %lu\n", (int)s.st_mtime, (unsigned long)s.st_ino);
}

int main(void)
{
    double then = now();
    int fd, pair[2];
    struct stat s;
    char b[10], *p;

    mkdir("d", 0700);
    usleep(1000);
    then = now(), fd = open("d/file", O_CREAT | O_RDWR, 0600);
    want("open", then, 7, 3);
    then = now(), write(fd, "some text", 9);
    want("write", then, 3, 0);
    then = now(), pread(fd, b, 3, 0);
    want("read", then, 4, 0);
    then = now(), pread(fd, b, 3, 0);
    want("read again", then, 0, 0); /* relatime */
    then = now(), ftruncate(fd, 5000);
    want("ftruncate", then, 3, 0);
    p = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    usleep(1000);
    then = now(), p[4500] = 'x', msync(p, 5000, MS_SYNC);
    want("msync", then, 3, 0);
    then = now(), msync(p, 5000, MS_SYNC), pread(fd, b, 1, 4500);
    want("nothing new", then, 4, 0);
    then = now(), close(open("d/file", O_WRONLY | O_TRUNC));
    want("cut", then, 3, 0);
    then = now(), fchmod(fd, 0600);
    want("fchmod", then, 1, 0);
    pipe(pair);
    fstat(pair[0], &s);
    if ((of(&s.st_mtim) < then || of(&s.st_mtim) > now()) && ++bad)
        printf("a pipe\n");
    by_name();
    numbers();
    return bad;
}
