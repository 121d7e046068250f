/* files.c - a program that writes files: new ones, at their end, with holes,
 * shorter again; names that come and go; a file that is open and has no name;
 * mappings of a file, shared by processes; what is not possible.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *what, long result)
{
    printf("%s: %ld%s%s\n", what, result, result < 0 ? ", " : "",
           result < 0 ? strerror(errno) : "");
}

static void show(const char *name)
{
    char text[64];
    FILE *f = fopen(name, "r");

    if (!f) {
        tell(name, -1);
        return;
    }
    while (fgets(text, sizeof text, f))
        printf("%s: %s", name, text);
    fclose(f);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *name)
{
    char *names[200];
    unsigned n = 0;
    DIR *d = opendir(name);
    struct dirent *e;

    if (!d) {
        tell(name, -1);
        return;
    }
    while ((e = readdir(d)))
        names[n++] = strdup(e->d_name);
    closedir(d);
    qsort(names, n, sizeof *names, by_name);
    printf("%s:", name);
    for (unsigned k = 0; k < n; k++)
        printf(" %s", names[k]);
    printf("\n");
}

static void contents(void)
{
    FILE *f = fopen("a", "w+");
    struct stat s;
    char text[40] = "";
    int fd;

    fprintf(f, "one\ntwo\n");
    rewind(f);
    fgets(text, sizeof text, f);
    fseek(f, 0, SEEK_END);
    fprintf(f, "three, behind %s", text);
    fclose(f);
    f = fopen("a", "a");
    fprintf(f, "four\n");
    fclose(f);
    show("a");
    fd = open("a", O_RDWR);
    tell("pwrite", pwrite(fd, "TWO", 3, 4));
    tell("append", fcntl(fd, F_SETFL, O_APPEND));
    tell("write", write(fd, "five\n", 5));
    tell("place", lseek(fd, 0, SEEK_CUR));
    tell("shorter", ftruncate(fd, 10));
    tell("longer", ftruncate(fd, 20000));
    tell("zero", pread(fd, text, 20, 9));
    printf("%d %d %d\n", text[0], text[1], text[19]);
    fstat(fd, &s);
    tell("size", s.st_size);
    tell("mode", s.st_mode);
    tell("truncate", truncate("a", 8));
    close(fd);
    show("a");
    fd = open("hole", O_CREAT | O_WRONLY | O_EXCL, 0640);
    lseek(fd, 100000, SEEK_SET);
    write(fd, "x", 1);
    tell("read of it", read(fd, text, 1));
    close(fd);
    tell("again", open("hole", O_CREAT | O_WRONLY | O_EXCL, 0640));
    stat("hole", &s);
    printf("hole: %ld %o\n", (long)s.st_size, (unsigned)s.st_mode);
    fd = open("hole", O_WRONLY | O_TRUNC);
    fstat(fd, &s);
    tell("empty", s.st_size);
    close(fd);
}

static void names(void)
{
    char text[10] = "", name[40];
    int fd = open("b", O_CREAT | O_RDWR, 0666);

    write(fd, "kept", 4);
    tell("unlink", unlink("b"));
    tell("no name", access("b", F_OK));
    pread(fd, text, 4, 0);
    printf("still %s\n", text);
    close(fd);
    tell("mkdir", mkdir("d", 0755));
    tell("mkdir", mkdir("d", 0755));
    tell("mkdir", mkdir("none/d", 0755));
    tell("in a file", mkdir("a/d", 0755));
    tell("rename", rename("a", "d/e"));
    tell("into itself", rename("d", "d/f"));
    tell("not empty", rmdir("d"));
    tell("a directory", unlink("d"));
    tell("symlink", symlink("d/e", "link"));
    show("link");
    tell("readlink", readlink("link", text, sizeof text));
    tell("rename", rename("hole", "d/e"));
    show("link");
    tell("chdir", chdir("d"));
    printf("%s\n", strrchr(getcwd(name, sizeof name) ? name : "/?", '/'));
    tell("chmod", chmod("e", 0700));
    for (int n = 0; n < 100; n++) {
        sprintf(name, "n%d", n);
        close(open(name, O_CREAT | O_WRONLY, 0644));
    }
    for (int n = 0; n < 100; n++) {
        sprintf(name, "n%d", n);
        if (n % 25 && unlink(name))
            perror(name);
    }
    list(".");
    chdir("..");
    list(".");
    tell("not there", unlink("none"));
    tell("a directory", open("d", O_WRONLY));
}

/* Names go while the directory is read: none is met twice or left over. */
static void sweep(void)
{
    DIR *d = opendir("d");
    struct dirent *e;
    char name[300];
    int gone = 0;

    while ((e = readdir(d))) {
        sprintf(name, "d/%s", e->d_name);
        gone += *e->d_name != '.' && !unlink(name);
    }
    closedir(d);
    tell("gone", gone);
    tell("rmdir", rmdir("d"));
}

static void mappings(void)
{
    int fd = open("map", O_CREAT | O_RDWR, 0666), status;
    char *p, *q, text[12] = "";

    ftruncate(fd, 10000);
    p = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    q = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    strcpy(p + 5000, "by store");
    pread(fd, text, 8, 5000);
    printf("read: %s\n", text);
    pwrite(fd, "by write", 8, 5000);
    printf("shared: %s\n", p + 5000);
    q[8200] = 1;
    strcpy(q + 8192, "mine");
    if (!fork()) {
        strcpy(p + 9000, "of the child");
        strcpy(q + 8192, "not mine");
        _exit(0);
    }
    wait(&status);
    printf("%s, %s\n", p + 9000, q + 8192);
    pread(fd, text, 5, 8192);
    printf("private [%s]\n", text);
    munmap(p, 10000);
    pread(fd, text, 12, 9000);
    printf("afterwards: %.12s\n", text);
    close(fd);
    unlink("map");
    fd = open("map", O_CREAT | O_WRONLY, 0666);
    tell("map to write", (long)mmap(NULL, 10, PROT_READ, MAP_SHARED, fd, 0));
    close(fd);
    unlink("map");
}

/* Two processes add lines to a file that each has opened for itself. */
static void lines(void)
{
    int sum = 0, count = 0, n, fd;
    char line[20];
    FILE *f;

    for (int who = 0; who < 2; who++) {
        if (fork())
            continue;
        fd = open("lines", O_CREAT | O_WRONLY | O_APPEND, 0666);
        for (n = 0; n < 200; n++) {
            sprintf(line, "%d\n", who * 1000 + n);
            write(fd, line, strlen(line));
        }
        _exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    f = fopen("lines", "r");
    while (fscanf(f, "%d", &n) == 1) {
        sum += n;
        count++;
    }
    fclose(f);
    printf("%d lines, sum %d\n", count, sum);
    unlink("lines");
}

int main(void)
{
    FILE *f;
    char name[] = "work-XXXXXX";

    setvbuf(stdout, NULL, _IONBF, 0);
    umask(022);
    chdir("/tmp");
    if (!mkdtemp(name) || chdir(name))
        perror(name);
    contents();
    names();
    sweep();
    mappings();
    lines();
    f = tmpfile();
    tell("tmpfile", f ? fprintf(f, "%d", 42) : -1);
    unlink("link");
    list(".");
    chdir("..");
    tell("rmdir", rmdir(name));
    return 0;
}
