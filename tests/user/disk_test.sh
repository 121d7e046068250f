#!/bin/sh
# disk_test.sh - with user_disk=1 reads, writes and flushes of files wait for a disk
# of the knobs disk_fixed, disk_sector and disk_spread, one behind the other; what
# is in memory does not, a signal does not cut it short, and the report tells
# who asked. Without it nothing waits.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
root=$PWD
cat >"$dir/files.c" <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
static volatile int rang;
static void ring(int s) { rang = s; }
static long long us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}
static long long begin;
static void start(void) { begin = us(); }
static void say(const char *what, long n)
{
    printf("%s: %ld, %lld\n", what, n, (us() - begin) / 100);
}
static int file;
static void *reader(void *p)
{
    char b[1024];
    pread(file, b, 1024, 0);
    return p;
}
int main(void)
{
    static char b[8192];
    struct iovec v[2] = {{b, 512}, {b, 1024}};
    struct sigaction a = {.sa_handler = ring};
    struct itimerval t = {{0, 0}, {0, 100}};
    pthread_t thread;
    int tmp = open("/tmp/x", O_RDWR | O_CREAT, 0600), ends[2];
    file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    start(), say("write 8 sectors", write(file, b, 4096));
    start(), say("fsync", fsync(file));
    start(), say("pread across 2 sectors", pread(file, b, 2, 511));
    start(), say("readv 3 sectors", (lseek(file, 0, 0), readv(file, v, 2)));
    start(), say("the end", pread(file, b, 10, 4096));
    start(), say("/tmp", write(tmp, b, 4096));
    start(), say("nothing", read(file, b, 0));
    start(), say("sendfile 1 sector", (lseek(file, 0, 0), sendfile(tmp, file, 0, 512)));
    pipe(ends);
    start(), say("pipe", write(ends[1], b, 10));
    sigaction(SIGALRM, &a, 0);
    setitimer(ITIMER_REAL, &t, 0);
    start(), say("signal", pread(file, b, 512, 0));
    printf("rang %d\n", rang == SIGALRM);
    start();
    pthread_create(&thread, 0, reader, 0);
    reader(0);
    pthread_join(thread, 0);
    say("two threads, 2 sectors each", 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/files" "$dir/files.c" || exit 1
cd "$dir" || exit 1
# 200 cycles a microsecond: 1 ms a request and 0.1 ms a sector.
cat >want <<'T'
write 8 sectors: 4096, 18
fsync: 0, 10
pread across 2 sectors: 2, 12
readv 3 sectors: 1536, 13
the end: 0, 0
/tmp: 4096, 0
nothing: 0, 0
sendfile 1 sector: 512, 11
pipe: 10, 0
signal: 512, 11
rang 1
two threads, 2 sectors each: 0, 24
T
disk="--set user_disk=1 --set disk_fixed=200000 --set disk_sector=20000"
for mode in fast detailed; do
    "$simrun" -q --mode=$mode $disk --pmu-trace=$mode.exp --user ./files >out ||
        fail "$mode: status $?"
    diff want out || fail "$mode: it waits otherwise"
done
"$BUILD/simprof" disk fast.exp >report || fail "no report"
# 8 requests: two writes less, since /tmp is memory; 4096 + 0 + 2 + 1536 + 512
# + 512 + 2 * 1024 bytes; only one of the threads waited for the other.
grep -qE '^ *8 +\. +8,706 .*<all>' report || fail "report: $(cat report)"
grep -qE ' flush +1000$' report || fail "no flush in the report"
"$simrun" -q --mode=fast --user ./files | sed 's/.*, //' | grep -vx '[01]\|rang.*' &&
    fail "it waits without the knob"

# A spread is drawn by the seed.
for seed in 1 1 2; do
    "$simrun" -q --mode=fast --seed=$seed $disk --set disk_spread=100000 --user \
        ./files >>spread || fail "spread: status $?"
done
n=$(wc -l <want)
head -n "$n" spread >one
sed -n "$((n + 1)),$((2 * n))p" spread | cmp -s one - || fail "two runs differ"
tail -n "$n" spread | cmp -s one - && fail "seeds make no difference"

# I/O wait is the cause that is planted in io_wait.
cd "$root" || exit 1
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
"$simrun" -q --mode=fast --set user_disk=1 -e cycles:5000 \
    --pmu-trace="$dir/wait.exp" --user "$BUILD/workloads/io_wait" >/dev/null
"$BUILD/simprof" export --format=csv "$dir/wait.exp" |
    awk -F, '$12 == "<napping>" { n++; there += $13 ~ /;read_block/ }
        END { exit !(n > 1000 && there > n * 95 / 100) }' ||
    fail "io_wait: its naps are not behind read_block"
exit 0
