/* names.c DIR [names] - several names of a file, and owners: what Linux does
 * with them in a directory that it makes. With a second word not the owners.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *what, long r)
{
    printf("%s: %ld%s%s\n", what, r, r < 0 ? " " : "",
           r < 0 ? strerror(errno) : "");
}

static void about(const char *name)
{
    struct stat s, first;

    if (lstat(name, &s)) {
        printf("  %s: %s\n", name, strerror(errno));
        return;
    }
    printf("  %s: mode %o, %d names, owner %d %d, %d bytes, %s\n", name,
           s.st_mode, S_ISDIR(s.st_mode) ? 0 : (int)s.st_nlink, (int)s.st_uid,
           (int)s.st_gid, S_ISDIR(s.st_mode) ? 0 : (int)s.st_size,
           stat("a", &first) || first.st_ino != s.st_ino ? "another file"
                                                         : "a's");
}

static void all(void)
{
    static const char *const names[] = {"a", "b", "c", "d/e", "l", "m"};

    for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
        about(names[n]);
}

static void put(const char *name, const char *text)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0644);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        tell("put", -1);
    close(fd);
}

static void show(const char *name)
{
    char text[80] = "";
    int fd = open(name, O_RDONLY);

    if (read(fd, text, sizeof text - 1) < 0)
        tell("show", -1);
    printf("%s has %s\n", name, text);
    close(fd);
}

/* Numbers that the directory tells are those of the files. */
static void listing(const char *of)
{
    DIR *d = opendir(of);
    struct dirent *e;
    int names = 0, wrong = 0;
    struct stat s;

    while ((e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        names++;
        fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW);
        wrong +=
            s.st_ino != e->d_ino || (e->d_type != DT_UNKNOWN &&
                                     DTTOIF(e->d_type) != (s.st_mode & S_IFMT));
    }
    closedir(d);
    printf("%s: %d names, %d wrong\n", of, names, wrong);
}

static void names(void)
{
    struct stat s;
    int fd;

    put("a", "one ");
    mkdir("d", 0755);
    symlink("a", "l");
    tell("link", link("a", "b"));
    tell("into a directory", link("b", "d/e"));
    tell("of a link", link("l", "m"));
    tell("followed", linkat(AT_FDCWD, "l", AT_FDCWD, "c", AT_SYMLINK_FOLLOW));
    all();
    listing(".");
    listing("d");
    tell("there is one", link("a", "b"));
    tell("of a directory", link("d", "f"));
    tell("of none", link("none", "f"));
    tell("to no directory", link("a", "none/f"));
    put("b", "two ");
    put("d/e", "three ");
    show("a");
    show("m");
    tell("chmod", chmod("c", 0600));
    tell("truncate", truncate("b", 6));
    tell("take the first name", unlink("a"));
    all();
    show("c");
    put("c", "four");
    tell("rename to its own file", rename("b", "c"));
    tell("rename", rename("b", "a"));
    tell("over another file", (put("f", "f"), rename("f", "d/e")));
    all();
    fd = open("a", O_RDWR);
    tell("all names", unlink("a") | unlink("c"));
    fstat(fd, &s);
    printf("names left: %d\n", (int)s.st_nlink);
    write(fd, "still", 5);
    printf("%ld bytes\n", (long)lseek(fd, 0, SEEK_END));
    close(fd);
    all();
}

static void owners(void)
{
    int fd = open("a", O_RDWR | O_CREAT, 0644);

    tell("chown", chown("a", 5, 7));
    about("a");
    tell("group alone", chown("a", -1, 9));
    about("a");
    fchmod(fd, 06755);
    tell("fchown", fchown(fd, 70000, -1));
    about("a");
    fchmod(fd, 06745);
    tell("fchown", fchown(fd, 1, 2));
    about("a");
    tell("lchown", lchown("l", 3, 4));
    about("l");
    about("a");
    tell("through the link", chown("l", 11, 12));
    about("l");
    about("a");
    tell("a directory", (chmod("d", 07755), chown("d", 6, 6)));
    about("d");
    tell("of none", chown("none", 1, 1));
    tell("as they are", chown("a", -1, -1));
    about("a");
}

int main(int count, char **word)
{
    closedir(opendir("/")); /* what is opened is there when it is closed */
    if (count < 2 || mkdir(word[1], 0755) || chdir(word[1]))
        return 2;
    names();
    if (count < 3)
        owners();
    return 0;
}
