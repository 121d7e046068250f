#!/bin/sh
# tmp_test.sh - every program has a /tmp of its own: empty at first, of the
# usual mode, confined like the root, and gone when the run is over, however
# that ends.
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
cd "$TMPDIR" || exit 1
mkdir -p work host
cat >uses.c <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define TRY(call) (errno = 0, printf(#call " %d\n", (int)(call) < 0 ? errno : 0))
static int entries(const char *name)
{
    DIR *d = opendir(name);
    int n = 0;
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}
int main(int argc, char **argv)
{
    char name[] = "/tmp/madeXXXXXX", dir[] = "/tmp/dirXXXXXX", text[64];
    struct stat st;
    FILE *f = tmpfile();

    if (argc > 1 && !strcmp(argv[1], "hangs")) {
        close(open("/tmp/left", O_CREAT | O_WRONLY, 0600));
        mkdir("/tmp/closed", 0);
        puts("ready");
        fflush(stdout);
        for (;;)
            ;
    }
    printf("%d entries, mode %o\n", entries("/tmp"),
           stat("/tmp", &st) ? 0 : st.st_mode);
    printf("tmpfile %d\n", f && fputs("x", f) > 0);
    printf("tmpnam %d\n", !strncmp(tmpnam(text), "/tmp/", 5));
    TRY(mkstemp(name));
    printf("mkdtemp %d\n", mkdtemp(dir) != NULL);
    TRY(chdir(dir));
    printf("getcwd %d\n", getcwd(text, sizeof text) && !strcmp(text, dir));
    TRY(close(open("here", O_CREAT | O_WRONLY, 0600)));
    TRY(access("../../tmp", F_OK));
    TRY(symlink("/tmp", "back"));
    printf("%d entries by a link\n", entries("back"));
    TRY(symlink("/etc", "out"));
    TRY(open("out/passwd", O_RDONLY));
    TRY(open("/tmp/../etc/passwd", O_RDONLY));
    TRY(rename(name, "/tmp/other"));
    TRY(chdir(argv[1]));
    TRY(rename("/tmp/other", "file"));
    TRY(link("/tmp/other", "file"));
    TRY(rmdir("/tmp"));
    TRY(rename("/tmp", "/tmp/x"));
    TRY(mkdir("/tmp", 0700));
    TRY(mkdir("/tmp/deep", 0700));
    TRY(mkdir("/tmp/deep/er", 0));
    TRY(chmod("/tmp/deep", 0));
    TRY(open("/var/x", O_CREAT | O_WRONLY, 0600));
    return 0;
}
C
powerpc-linux-gnu-gcc -w -O1 -static -o uses uses.c 2>ld.err ||
    { cat ld.err; exit 1; }
cat >wanted <<'T'
2 entries, mode 41777
tmpfile 1
tmpnam 1
mkstemp(name) 0
mkdtemp 1
chdir(dir) 0
getcwd 1
close(open("here", O_CREAT | O_WRONLY, 0600)) 0
access("../../tmp", F_OK) 2
symlink("/tmp", "back") 0
4 entries by a link
symlink("/etc", "out") 0
open("out/passwd", O_RDONLY) 2
open("/tmp/../etc/passwd", O_RDONLY) 2
rename(name, "/tmp/other") 0
chdir(argv[1]) 0
rename("/tmp/other", "file") 18
link("/tmp/other", "file") 18
rmdir("/tmp") 16
rename("/tmp", "/tmp/x") 16
mkdir("/tmp", 0700) 17
mkdir("/tmp/deep", 0700) 0
mkdir("/tmp/deep/er", 0) 0
chmod("/tmp/deep", 0) 0
open("/var/x", O_CREAT | O_WRONLY, 0600) 2
T
export TMPDIR="$TMPDIR/host" # simrun makes it there
for run in 1 2; do # the second finds nothing of the first
    (cd work && "$BUILD/simrun" -q --mode=fast --root=.:/work --user ../uses /work) >out
    diff wanted out || fail "run $run"
    [ -z "$(ls host)" ] || { fail "left behind:"; ls -R host; }
done
[ -z "$(ls work)" ] || fail "the root has $(ls work)"
# A tree that is called / has its own, if it has one.
mkdir -p tree/tmp
(cd tree && "$BUILD/simrun" -q --mode=fast --root=.:/ --user ../uses / | head -n 1) >out
touch tree/tmp/mine
(cd tree && "$BUILD/simrun" -q --mode=fast --root=.:/ --user ../uses / | head -n 1) >>out
cut -d, -f1 out | tr '\n' ' ' | grep -q '^2 entries [4-9] entries' ||
    { fail "a tree's own /tmp:"; cat out; }

# Gone after a signal; what SIGKILL leaves the next run removes.
hang() { # signal
    rm -f hangs.out # of the run before
    "$BUILD/simrun" -q --mode=fast --user ./uses hangs >hangs.out &
    pid=$!
    n=0
    until grep -qs ready hangs.out || [ $((n += 1)) -gt 300 ]; do sleep 0.1; done
    kill -"$1" $pid
    wait $pid
}
hang TERM 2>/dev/null
[ -z "$(ls host)" ] || fail "SIGTERM leaves $(ls host)"
hang KILL 2>/dev/null
[ -n "$(ls host)" ] || fail "nothing was there to be left"
"$BUILD/simrun" -q --mode=fast --user ./uses . >/dev/null
[ -z "$(ls host)" ] || fail "a killed run's files stay"

# Memory and semaphores with names, which processes find in /dev/shm: the C library's
# own calls, and the names themselves. They go with the run.
cat >named.c <<'C'
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
    int fd = shm_open("/area", O_CREAT | O_EXCL | O_RDWR, 0600), other, value;
    char *p, *q;
    sem_t *s;

    if (fd < 0 || ftruncate(fd, 8192))
        return perror("shm_open"), 1;
    other = open("/dev/shm/area", O_RDWR);
    p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    q = mmap(NULL, 8192, PROT_READ, MAP_SHARED, other, 0);
    if (p == MAP_FAILED || q == MAP_FAILED)
        return perror("mmap"), 1;
    strcpy(p + 5000, "kept");
    printf("%s %d\n", q + 5000, shm_open("/area", O_CREAT | O_EXCL | O_RDWR, 0600));
    s = sem_open("/sem", O_CREAT, 0600, 2);
    if (s == SEM_FAILED)
        return perror("sem_open"), 1;
    sem_wait(s);
    printf("%d %d\n", sem_getvalue(s, &value), value);
    printf("%d %d\n", sem_open("/sem", 0) == s, sem_open("/none", 0) == SEM_FAILED);
    printf("%d %d\n", shm_unlink("/area"), sem_unlink("/sem"));
    printf("%d %d\n", access("/dev/shm/area", F_OK), shm_open("/area", O_RDWR, 0));
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o named named.c || exit 1
cat >wanted <<'END'
kept -1
0 1
1 1
0 0
-1 -1
END
for run in 1 2; do
    "$BUILD/simrun" -q --mode=fast --user ./named >out 2>&1
    diff wanted out || fail "names of memory, run $run"
done
if command -v qemu-ppc >/dev/null; then
    qemu-ppc ./named >out 2>&1
    diff wanted out || fail "names of memory under qemu-ppc"
fi
[ -z "$(ls host)" ] || fail "left behind: $(ls host)"
exit $bad
