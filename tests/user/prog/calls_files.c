/* calls_files.c - system calls about files: results and errors. */
#include "check.h"

#include <dirent.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#define TERMINAL_GET 0x402C7413 /* the kernel's TCGETS */

static char buffer[8192];

static void show_stat(const char *name, long r, const struct stat64 *st)
{
    SAY(name, "%ld mode %o links %lu size %lld", r, (unsigned)st->st_mode,
        (unsigned long)st->st_nlink,
        S_ISREG(st->st_mode) ? (long long)st->st_size : -1);
}

static void opening(void)
{
    long fd;

    TRY(umask, 027);
    TRY(umask, 022);
    fd = CALL(__NR_open, "one", O_RDWR | O_CREAT | O_EXCL, 0666);
    SAY("open", "%ld", fd);
    TRY(open, "one", O_RDWR | O_CREAT | O_EXCL, 0666);
    TRY(open, "none", O_RDONLY);
    TRY(open, "", O_RDONLY);
    TRY(open, WILD, O_RDONLY);
    TRY(open, "one/x", O_RDONLY);
    TRY(open, ".", O_WRONLY);
    TRY(open, "one", O_RDONLY | O_DIRECTORY);
    TRY(write, fd, "hello, world\n", 13);
    TRY(write, fd, WILD, 13);
    TRY(write, 77, "x", 1);
    TRY(read, fd, buffer, 10);
    TRY(lseek, fd, 0, SEEK_SET);
    TRY(read, fd, buffer, 5);
    TRY(read, fd, WILD, 5);
    TRY(read, -1, buffer, 5);
    TRY(lseek, fd, -1, SEEK_END);
    TRY(lseek, fd, -100, SEEK_SET);
    TRY(lseek, fd, 0, 99);
    TRY(lseek, 77, 0, 0);
    TRY(close, fd);
    TRY(close, fd);
    fd = CALL(__NR_creat, "two", 0640);
    SAY("creat", "%ld", fd);
    TRY(read, fd, buffer, 5);
    TRY(close, fd);
    fd = CALL(__NR_openat, AT_FDCWD, "one", O_RDONLY | O_CLOEXEC);
    SAY("openat", "%ld", fd);
    TRY(write, fd, "x", 1);
    TRY(openat, 77, "one", O_RDONLY);
    TRY(openat, fd, "one", O_RDONLY);
    TRY(close, fd);
    TRY(openat, 77, "/nowhere/at/all", O_RDONLY);
}

static void moving(void)
{
    struct iovec v[3] = {{(void *)"abc", 3}, {NULL, 0}, {(void *)"defg", 4}};
    struct iovec w[2] = {{buffer, 2}, {buffer + 100, 10}};
    long fd = CALL(__NR_open, "v", O_RDWR | O_CREAT | O_TRUNC, 0644);
    int64_t at = -1;

    TRY(writev, fd, v, 3);
    TRY(writev, fd, v, -1);
    TRY(writev, fd, WILD, 1);
    TRY(_llseek, fd, 0, 1, &at, SEEK_SET);
    SAY("_llseek", "at %lld", (long long)at);
    TRY(_llseek, fd, 0, 0, WILD, SEEK_SET);
    TRY(_llseek, fd, -1, -20, &at, SEEK_SET);
    TRY(lseek, fd, 1, SEEK_SET);
    TRY(readv, fd, w, 2);
    SAY("readv", "%.2s %.4s", buffer, buffer + 100);
    SAY("pwrite64", "%ld", (long)pwrite64(fd, "XYZ", 3, 2));
    SAY("pread64", "%ld", (long)pread64(fd, buffer, 7, 0));
    SAY("pread64", "%.7s", buffer);
    SAY("pread64", "%ld %d", (long)pread64(fd, buffer, 7, -5), errno);
    SAY("pwritev", "%ld", (long)pwritev64(fd, v, 3, 20));
    SAY("preadv", "%ld", (long)preadv64(fd, w, 2, 19));
    SAY("preadv", "%d %.9s", buffer[0], buffer + 100);
    TRY(ftruncate, fd, 5);
    TRY(ftruncate, fd, -5);
    SAY("ftruncate64", "%d", ftruncate64(fd, 3000000));
    TRY(truncate, "v", 9);
    TRY(truncate, "no", 9);
    SAY("truncate64", "%d", truncate64("v", 123456));
    TRY(fsync, fd);
    TRY(fsync, 88);
    TRY(fdatasync, fd);
    FINE(sync);
    TRY(flock, fd, LOCK_SH);
    TRY(flock, fd, LOCK_UN);
    SAY("fadvise64_64", "%d", posix_fadvise64(fd, 0, 10, 0));
    TRY(fadvise64, fd, 0, 0, 10, 0);
    TRY(close, fd);
}

static void descriptors(void)
{
    long a = CALL(__NR_open, "one", O_RDONLY), fd[2];
    struct flock64 l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
    int p[2], n = -1;

    fd[0] = CALL(__NR_dup, a);
    SAY("dup", "%ld", fd[0] - a);
    TRY(dup, 99);
    TRY(dup2, a, 20);
    TRY(dup2, a, a);
    TRY(dup2, 99, 98);
    TRY(dup2, a, -1);
    TRY(dup3, a, 21, O_CLOEXEC);
    TRY(dup3, a, a, 0);
    TRY(dup3, a, 22, 3);
    TRY(fcntl64, a, F_GETFD, 0);
    TRY(fcntl64, 21, F_GETFD, 0);
    TRY(fcntl64, a, F_SETFD, 1);
    TRY(fcntl64, a, F_GETFD, 0);
    TRY(fcntl64, a, F_DUPFD, 30);
    TRY(fcntl64, a, F_DUPFD_CLOEXEC, 30);
    TRY(fcntl64, 99, F_GETFD, 0);
    SAY("fcntl", "%ld", CALL(__NR_fcntl, a, F_GETFL, 0) & O_ACCMODE);
    TRY(fcntl64, a, F_SETLK64, &l);
    l.l_type = F_RDLCK;
    TRY(fcntl64, a, F_SETLK64, &l);
    TRY(pipe, p);
    SAY("pipe", "%d", p[1] - p[0]);
    TRY(write, p[1], "through", 7);
    TRY(ioctl, p[0], FIONREAD, &n);
    SAY("ioctl", "%d", n);
    TRY(ioctl, p[0], TERMINAL_GET, buffer);
    TRY(ioctl, 99, TERMINAL_GET, buffer);
    TRY(read, p[0], buffer, 100);
    TRY(lseek, p[0], 0, SEEK_SET);
    TRY(close, p[1]);
    TRY(read, p[0], buffer, 100);
    TRY(pipe2, p, O_NONBLOCK);
    TRY(read, p[0], buffer, 1);
    TRY(pipe, WILD);
    SAY("eventfd2", "%s",
        (fd[0] = CALL(__NR_eventfd2, 3, O_NONBLOCK)) > 0 ? "fine" : "error");
    TRY(read, fd[0], buffer, 8);
    SAY("eventfd2", "%lld", *(long long *)buffer);
    TRY(read, fd[0], buffer, 8);
    for (int i = 3; i < 64; i++)
        close(i);
}

static void names(void)
{
    struct stat64 st;
    long fd;

    TRY(mkdir, "dir", 0777);
    TRY(mkdir, "dir", 0777);
    TRY(mkdir, "no/dir", 0777);
    TRY(mkdir, ".", 0777);
    TRY(mkdirat, AT_FDCWD, "dir/sub", 0700);
    TRY(rmdir, "dir");
    TRY(rmdir, "one");
    TRY(rmdir, "dir/.");
    TRY(unlink, "dir");
    TRY(unlink, "nothing");
    TRY(unlink, "one/");
    TRY(link, "one", "dir/uno");
    TRY(link, "one", "dir/uno");
    TRY(link, "nothing", "x");
    TRY(linkat, AT_FDCWD, "one", AT_FDCWD, "dir/due", 0);
    TRY(symlink, "one", "soft");
    TRY(symlink, "one", "soft");
    TRY(symlink, "", "soft2");
    TRY(symlinkat, "nowhere", AT_FDCWD, "dangling");
    memset(buffer, 0, 100);
    TRY(readlink, "soft", buffer, 2);
    TRY(readlink, "soft", buffer, 100);
    SAY("readlink", "%s", buffer);
    TRY(readlink, "one", buffer, 100);
    TRY(readlink, "soft", buffer, 0);
    TRY(readlinkat, AT_FDCWD, "dangling", buffer, 100);
    TRY(open, "dangling", O_RDONLY);
    TRY(open, "soft", O_RDONLY | O_NOFOLLOW);
    TRY(rename, "dir/uno", "tre");
    TRY(rename, "nothing", "tre");
    TRY(rename, "tre", "dir");
    TRY(renameat, AT_FDCWD, "tre", AT_FDCWD, "quattro");
    TRY(renameat2, AT_FDCWD, "quattro", AT_FDCWD, "one", 1);
    TRY(renameat2, AT_FDCWD, "quattro", AT_FDCWD, "tre", 0);
    TRY(access, "one", R_OK | W_OK);
    TRY(access, "nothing", F_OK);
    TRY(access, "one", 64);
    TRY(faccessat, AT_FDCWD, "dir", X_OK);
    TRY(faccessat2, AT_FDCWD, "dangling", F_OK, AT_SYMLINK_NOFOLLOW);
    TRY(mknod, "node", 0100640, 0);
    TRY(mknod, "node", 0100640, 0);
    TRY(mknodat, AT_FDCWD, "node2", 0640, 0);
    TRY(mknodat, AT_FDCWD, "none/node", 0640, 0);
    TRY(mknodat, AT_FDCWD, WILD, 0640, 0);
    FINE(memfd_create, "name", 0);
    TRY(memfd_create, "name", 0x60);
    TRY(memfd_create, WILD, 0);
    FINE(getxattr, "node", "user.none", NULL, 0);
    TRY(getxattr, "nowhere", "user.none", NULL, 0);
    FINE(lgetxattr, "node", "user.none", NULL, 0);
    TRY(fgetxattr, 99, "user.none", NULL, 0);
    FINE(listxattr, "node", NULL, 0);
    TRY(listxattr, "nowhere", NULL, 0);
    TRY(llistxattr, "nowhere", NULL, 0);
    TRY(flistxattr, 99, NULL, 0);
    TRY(chmod, "one", 0600);
    TRY(chmod, "nothing", 0600);
    TRY(fchmodat, AT_FDCWD, "two", 0444);
    fd = CALL(__NR_open, "one", O_RDONLY);
    TRY(fchmod, fd, 0640);
    TRY(fchmod, 99, 0640);
    TRY(chown, "one", -1, -1);
    TRY(chown, "nothing", -1, -1);
    TRY(fchownat, AT_FDCWD, "one", -1, -1, 0);
    TRY(fchownat, AT_FDCWD, "one", -1, -1, 0x1000000);
    TRY(lchown, "soft", -1, -1);
    TRY(lchown, "nothing", -1, -1);
    TRY(fchown, fd, -1, -1);
    TRY(fchown, 99, -1, -1);
    show_stat("fstat64", CALL(__NR_fstat64, fd, &st), &st);
    show_stat("stat64", CALL(__NR_stat64, "soft", &st), &st);
    show_stat("lstat64", CALL(__NR_lstat64, "soft", &st), &st);
    show_stat("fstatat64", CALL(__NR_fstatat64, AT_FDCWD, "dir", &st, 0), &st);
    TRY(stat64, "nothing", &st);
    TRY(stat64, "one", WILD);
    TRY(fstat64, 99, &st);
    TRY(fstatat64, AT_FDCWD, "", &st, 0);
    TRY(fstatat64, fd, "", &st, AT_EMPTY_PATH);
    TRY(close, fd);
}

/* struct stat as the oldest three calls write it */
struct old {
    uint32_t dev, ino, mode;
    uint16_t nlink, pad;
    uint32_t uid, gid, rdev;
    int32_t size;
    uint32_t rest[10];
};

static void old_stats(void)
{
    struct statx x;
    struct old st;
    long fd = CALL(__NR_open, "one", O_RDONLY);

    TRY(stat, "one", &st);
    SAY("stat", "%o %d %d", st.mode, st.nlink, st.size);
    TRY(lstat, "soft", &st);
    SAY("lstat", "%o %d", st.mode, st.size);
    TRY(lstat, "/proc/self/exe", &st);
    SAY("lstat", "%o %d", st.mode, st.size);
    TRY(fstat, fd, &st);
    SAY("fstat", "%o %d", st.mode, st.size);
    TRY(stat, "nothing", &st);
    TRY(statx, AT_FDCWD, "one", 0, STATX_BASIC_STATS, &x);
    SAY("statx", "%o %u %lld", x.stx_mode, x.stx_nlink, (long long)x.stx_size);
    TRY(statx, AT_FDCWD, "nothing", 0, STATX_BASIC_STATS, &x);
    TRY(statx, fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &x);
    TRY(close, fd);
}

static void times_and_places(void)
{
    struct timespec t[2] = {{1000, 5}, {2000, 6}};
    int64_t wide[4] = {1111, 7, 2222, 8};
    struct stat64 st;
    long fd, n;

    TRY(utimensat, AT_FDCWD, "one", t, 0);
    stat64("one", &st);
    SAY("utimensat", "%lld %ld", (long long)st.st_mtime, st.st_mtim.tv_nsec);
    TRY(utimensat_time64, AT_FDCWD, "one", wide, 0);
    stat64("one", &st);
    SAY("utimensat_time64", "%lld", (long long)st.st_mtime);
    TRY(utimensat, AT_FDCWD, "nothing", t, 0);
    {
        int32_t old[2] = {3000, 4000}, pair[4] = {5000, 1, 6000, 2};

        TRY(utime, "one", old);
        stat64("one", &st);
        SAY("utime", "%lld", (long long)st.st_mtime);
        TRY(utimes, "one", pair);
        stat64("one", &st);
        SAY("utimes", "%lld %ld", (long long)st.st_mtime, st.st_mtim.tv_nsec);
        TRY(utimes, "nothing", pair);
        pair[3] = 1000000;
        TRY(utimes, "one", pair);
        TRY(utimes, "one", NULL);
        pair[3] = 7;
        TRY(futimesat, AT_FDCWD, "one", pair);
    }
    TRY(chdir, "dir");
    TRY(chdir, "nothing");
    n = CALL(__NR_getcwd, buffer, sizeof buffer);
    SAY("getcwd", "%s %d", strrchr(buffer, '/'), n == (long)strlen(buffer) + 1);
    TRY(getcwd, buffer, 2);
    TRY(access, "../one", F_OK);
    TRY(chdir, "..");
    fd = CALL(__NR_open, "dir", O_RDONLY | O_DIRECTORY);
    TRY(fchdir, fd);
    TRY(access, "sub", F_OK);
    TRY(chdir, "..");
    TRY(fchdir, 99);
    n = CALL(__NR_getdents64, fd, buffer, sizeof buffer);
    SAY("getdents64", "%ld", n);
    TRY(getdents64, fd, buffer, sizeof buffer);
    TRY(getdents64, 99, buffer, sizeof buffer);
    TRY(unlinkat, fd, "due", 0);
    TRY(unlinkat, fd, "sub", AT_REMOVEDIR);
    TRY(unlinkat, fd, "sub", 55);
    TRY(close, fd);
    TRY(rmdir, "dir");
}

static void more(void)
{
    long from = CALL(__NR_open, "one", O_RDONLY);
    long to = CALL(__NR_open, "sent", O_RDWR | O_CREAT | O_TRUNC, 0600);
    uint32_t fs[32], bsize;
    int32_t place = 2;
    int64_t wide = 7;

    TRY(statfs, ".", fs);
    bsize = fs[1];
    TRY(statfs, "nothing", fs);
    TRY(fstatfs, from, fs);
    SAY("fstatfs", "%d", fs[1] == bsize);
    TRY(fstatfs, 99, fs);
    TRY(statfs64, ".", 88, fs);
    SAY("statfs64", "%d", fs[1] == bsize);
    TRY(fstatfs64, from, 88, fs);
    TRY(sendfile, to, from, &place, 4);
    SAY("sendfile", "%d", place);
    TRY(sendfile, to, from, NULL, 3);
    TRY(sendfile64, to, from, &wide, 100);
    SAY("sendfile64", "%lld", (long long)wide);
    TRY(sendfile, 99, from, NULL, 3);
    memset(buffer, 0, 50);
    SAY("sendfile", "%ld", (long)pread64(to, buffer, 40, 0));
    SAY("sendfile", "%s", buffer);
    TRY(fallocate, to, 0, 0, 0, 0, 1000);
    SAY("fallocate", "%lld", (long long)lseek64(to, 0, SEEK_END));
    TRY(fallocate, to, 0, 0, 0, 0, 0);
    TRY(fallocate, 99, 0, 0, 0, 0, 10);
    FINE(eventfd, 5);
    TRY(close, from);
    TRY(close, to);
}

static void directory(void)
{
    DIR *d = opendir(".");
    struct dirent64 *e;
    unsigned sum = 0, n = 0;

    while (d && (e = readdir64(d))) {
        for (const char *c = e->d_name; *c; c++)
            sum = sum * 31 % 65521 + (unsigned char)*c;
        n++;
    }
    SAY("getdents64", "%u entries", n);
    (void)sum;
    closedir(d);
}

int main(void)
{
    opening();
    moving();
    descriptors();
    names();
    old_stats();
    times_and_places();
    more();
    directory();
    return 0;
}
