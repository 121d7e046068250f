/* confined.c - tries every way out of the directory it is in: names that
 * lead outside must not exist, and nothing outside may change. The argument
 * is an absolute path outside, with a file "secret" in it. Ends with the
 * number of ways that worked. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

static int out;

static void expect(const char *what, const char *name, long r)
{
    if (r >= 0) {
        printf("%s %s: worked\n", what, name);
        out++;
    } else if (errno != ENOENT) {
        printf("%s %s: %s\n", what, name, strerror(errno));
        out++;
    }
}

/* Everything that takes a name, on a name outside. */
static void try(const char *name)
{
    struct stat st;
    char b[100];

    expect("open", name, open(name, O_RDONLY));
    expect("create", name, open(name, O_WRONLY | O_CREAT, 0600));
    expect("path", name, open(name, O_PATH));
    expect("stat", name, stat(name, &st));
    expect("access", name, access(name, F_OK));
    expect("truncate", name, truncate(name, 0));
    expect("chmod", name, chmod(name, 0777));
    expect("utimes", name, utimensat(AT_FDCWD, name, NULL, 0));
    expect("chdir", name, chdir(name));
    expect("link", name,
           linkat(AT_FDCWD, name, AT_FDCWD, "stolen", AT_SYMLINK_FOLLOW));
    (void)b;
}

/* ... and those that change the directory it is in. */
static void change(const char *name)
{
    expect("unlink", name, unlink(name));
    expect("mkdir", name, mkdir(name, 0777));
    expect("rmdir", name, rmdir(name));
    expect("rename to", name, rename("here", name));
    expect("rename from", name, rename(name, "stolen"));
    expect("symlink", name, symlink("x", name));
    expect("link to", name, link("here", name));
}

int main(int argc, char **argv)
{
    const char *outside = argc > 1 ? argv[1] : "/etc";
    char name[1000];
    int fd;

    close(open("here", O_WRONLY | O_CREAT, 0600));
    mkdir("deep", 0700);
    snprintf(name, sizeof name, "%s/secret", outside);
    try(name);
    change(name);
    symlink(name, "absolute");
    try("absolute");
    symlink(outside, "dir");
    try("dir/secret");
    change("dir/new");
    change("dir/secret");
    symlink("../outside", "updir");
    try("updir/secret");
    change("updir/new");
    symlink("..", "deep/up");
    try("deep/up/../outside/secret");
    change("deep/up/../outside/new");
    try("../outside/secret");
    change("../outside/secret");
    try("deep/../../outside/secret");
    try("/proc/self/root/etc/passwd");
    try("/proc/self/cwd/../outside/secret");
    try("/proc/self/fd/0");
    try("/etc/passwd");
    fd = open("deep", O_RDONLY | O_DIRECTORY);
    expect("openat", "..", openat(fd, "../../outside/secret", O_RDONLY));
    expect("openat", "absolute", openat(fd, name, O_RDONLY));
    expect("unlinkat", "..", unlinkat(fd, "../../outside/secret", 0));
    fd = open(".", O_RDONLY | O_DIRECTORY);
    expect("openat", "..", openat(fd, "..", O_RDONLY));
    expect("chdir", "..", chdir(".."));
    expect("/dev", "mem", open("/dev/mem", O_RDONLY));
    printf("%d ways out\n", out);
    return out;
}
