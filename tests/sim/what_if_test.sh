#!/bin/sh
# what_if_test.sh - simrun --what-if: a factor does to a run what the changed
# program does, a factor of 1 nothing; disk, processors, masks and ranks are
# obeyed and recorded; what has no meaning is refused with a line, what did nothing is told.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
work=$BUILD/workloads

# cycles ARGUMENT...: of a run in fast mode
cycles() {
    "$simrun" -q --mode=fast --summary=json:"$dir/json" "$@" >"$out" \
        2>"$dir/err" </dev/null || fail "$*: status $?, $(cat "$dir/err")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
# near NAME A B PERCENT: do they differ by no more?
near() {
    awk -v a="$2" -v b="$3" -v p="$4" 'BEGIN {
        d = a > b ? a - b : b - a
        exit !(a > 0 && d * 100 <= p * b) }' || fail "$1: $2, not near $3"
}

# A program and its twins: half of the work, half of the sleep, none of it.
cat >"$dir/twin.c" <<'C'
#include <time.h>
static volatile unsigned sum;
__attribute__((noinline)) void add(unsigned n) { while (n--) sum += n; }
__attribute__((noinline)) void work(void)
{
    for (unsigned i = 0; i < 10; i++)
        add(WORK);
}
__attribute__((noinline)) void rest(void)
{
    struct timespec t = {0, REST};
    nanosleep(&t, NULL);
}
int main(void)
{
    for (unsigned i = 0; i < 20; i++) {
        work();
        rest();
        add(500);
    }
    return 0;
}
C
twin() {
    powerpc-linux-gnu-gcc -O1 -static -DWORK=$2 -DREST=$3 -o "$dir/$1" \
        "$dir/twin.c" || exit 1
}
twin twin 1000 400000
twin less 500 400000
twin nap 1000 200000
twin none 0 400000
twin more 2000 400000
for where in user guest; do
    case $where in
    user) run() { name=$1; shift; cycles "$@" --user "$dir/$name"; } ;;
    guest) run() { name=$1; shift; cycles "$@" "$guest" --program "$dir/$name"; } ;;
    esac
    whole=$(run twin)
    is "$where: x1" "$(run twin --what-if 'func:work+=x1')" "$whole"
    near "$where: half" "$(run twin --what-if 'func:work+=x0.5')" "$(run less)" 1
    near "$where: none" "$(run twin --what-if 'func:work+=x0')" "$(run none)" 1
    near "$where: twice" "$(run twin --what-if 'func:work+=x2')" "$(run more)" 1
    near "$where: rest" "$(run twin --what-if 'func:rest=x0.5')" "$(run nap)" 1
    # Instructions of it that are held are held half as long: a third of its time is holds.
    held="--set jitter=8 --set jitter_every=8 --set jitter_seed=1"
    near "$where: half, held" "$(run twin $held --what-if 'func:work+=x0.5')" \
        "$(run less $held)" 1
    # work itself hardly does anything, it is add that does.
    near "$where: work alone" "$(run twin --what-if 'func:work=x0')" "$whole" 1
    [ "$(run twin --what-if 'func:add=x0.5')" -lt "$(run less)" ] ||
        fail "$where: add is called elsewhere, too"
done
near "warm" "$(cycles --mode=warm --what-if 'func:work+=x0.5' --user "$dir/twin")" \
    "$(cycles --mode=warm --user "$dir/less")" 1

# The kernel's own threads: the journal's sleep is nearly all of it.
whole=$(cycles --append "n=20 sampler=off" "$guest")
none=$(cycles --append "n=20 sampler=off" --what-if func:journal_write=x0 "$guest")
[ "$none" -lt $((whole / 3)) ] || fail "journal_write: $none of $whole"

# Devices, processors, masks, ranks.
slow=$(cycles --set user_disk=1 --user "$work/io_wait")
fast=$(cycles --set user_disk=1 --what-if 'device:disk latency=x0.5' --user "$work/io_wait")
disk=$("$simrun" -q --mode=fast --set user_disk=1 --pmu-trace="$dir/d.exp" \
    --user "$work/io_wait" >"$out" 2>&1; "$simprof" disk --csv "$dir/d.exp" | wc -l)
[ "$disk" -gt 1 ] || fail "no requests"
near "disk" "$fast" $((slow / 2)) 10
is "cpus" "$(cycles --cpus=1 --user "$work/contended_lock")" \
    "$(cycles --what-if cpus=-3 --user "$work/contended_lock")"
is "cpus" "$(cycles --cpus=6 "$guest" --append "n=4 sampler=off")" \
    "$(cycles --what-if cpus=+2 "$guest" --append "n=4 sampler=off")"
bound=$(cycles --user "$work/wrong_affinity")
near "affinity" "$(cycles --what-if affinity:all=all --user "$work/wrong_affinity")" \
    $((bound / 4)) 20
near "affinity of one" "$(cycles --what-if affinity:all=2 --user "$work/contended_lock")" \
    "$(cycles --cpus=1 --user "$work/contended_lock")" 2
held=$(cycles --cpus=2 --user "$work/priority_inversion")
[ "$(cycles --cpus=2 --what-if priority:1001=low --user "$work/priority_inversion")" \
    -lt $((held - held / 50)) ] || fail "priority: still $held"

# A lock's time: that of the code between. Half of it is half of that code; a wait
# for a condition is not holding; a lock of another name is not meant.
cat >"$dir/locks.c" <<'C'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static struct { int before; pthread_mutex_t m; } in = {0, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static volatile unsigned sum, go;
static void work(unsigned n) { while (n--) sum += n; }
static void *waker(void *arg)
{
    work(40000);
    pthread_mutex_lock(&one);
    go = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&one);
    return arg;
}
int main(void)
{
    struct timespec rest = {0, 500000};
    pthread_t t;
    pthread_create(&t, NULL, waker, NULL);
    pthread_mutex_lock(&one);
    while (!go)
        pthread_cond_wait(&cond, &one);
    work(INSIDE);
    pthread_mutex_unlock(&one);
    work(10000);
    for (int i = 0; i < 10; i++) {
        if (pthread_mutex_trylock(&other))
            return 1;
        work(TRIED);
        nanosleep(&rest, NULL);
        if (!pthread_mutex_trylock(&other))
            return 1;
        work(100);
        pthread_mutex_unlock(&other);
        pthread_mutex_lock(&in.m);
        work(3000);
        pthread_mutex_unlock(&in.m);
    }
    return 0;
}
C
locks() {
    sed "s/500000/$4/" "$dir/locks.c" >"$dir/locks2.c"
    powerpc-linux-gnu-gcc -O1 -static -DINSIDE=$2 -DTRIED=$3 -o "$dir/$1" \
        "$dir/locks2.c" || exit 1
}
locks locks 60000 5000 500000
locks inside 30000 5000 500000
locks tried 60000 2500 250000
for where in user guest; do
    case $where in
    user) run() { name=$1; shift; cycles "$@" --user "$dir/$name"; } ;;
    guest) run() { name=$1; shift; cycles "$@" "$guest" --program "$dir/$name"; } ;;
    esac
    whole=$(run locks)
    is "$where: hold x1" "$(run locks --what-if hold:one=x1 --what-if hold:other=x1)" "$whole"
    near "$where: half" "$(run locks --what-if hold:one=x0.5)" "$(run inside)" 1
    near "$where: tried" "$(run locks --what-if hold:other=x0.5)" "$(run tried)" 2
    less=$((whole - $(run locks --what-if hold:in+4=x0)))
    [ $less -gt $((10 * 3000 * 3)) ] && [ $less -lt $((10 * 3000 * 10)) ] ||
        fail "$where: a lock inside: $less"
    address=0x$(powerpc-linux-gnu-nm "$dir/locks" | awk '$3 == "one" { print $1 }')
    is "$where: by address" "$(run locks --what-if hold:$address=x0.5)" \
        "$(run locks --what-if hold:one=x0.5)"
done
# A recursive lock is held until it has been given back as often as it was taken.
cat >"$dir/nest.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
static pthread_mutex_t nest = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static volatile unsigned sum;
static void work(unsigned n) { while (n--) sum += n; }
int main(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&nest);
        for (int k = 0; k < 2; k++) {
            pthread_mutex_lock(&nest);
            work(100);
            pthread_mutex_unlock(&nest);
        }
        work(INSIDE);
        pthread_mutex_unlock(&nest);
        work(4000);
    }
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -DINSIDE=8000 -o "$dir/nest" "$dir/nest.c" || exit 1
powerpc-linux-gnu-gcc -O1 -static -DINSIDE=4000 -o "$dir/nested" "$dir/nest.c" || exit 1
near "recursive" "$(cycles --what-if hold:nest=x0.5 --user "$dir/nest")" "$(cycles --user "$dir/nested")" 2
# The kernel's own: journal_write sleeps with it held.
# What was never called or taken is told, with the status that the run has; what was, is not.
told() { # told LINES ARGUMENT...
    want=$1
    shift
    cycles "$@" >"$dir/cycles"
    [ "$(grep -c 'nothing was scaled' "$dir/err")" = "$want" ] || fail "$*: $(cat "$dir/err")"
}
told 0 --what-if hold:one=x0.5 --what-if func:main=x0.5 --user "$dir/locks"
told 2 --what-if hold:0x1234=x0.5 --what-if func:abort=x0.5 --what-if hold:one=x1.5 \
    --user "$dir/locks"
grep -q '^simrun: --what-if hold:0x1234: no lock there was taken, so nothing' "$dir/err" ||
    fail "no lock: $(cat "$dir/err")"
grep -q '^simrun: --what-if func:abort: it was not called, so nothing' "$dir/err" ||
    fail "no call: $(cat "$dir/err")"
# Threads by their names, which they get while they run, give others and lose.
cat >"$dir/names.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
static volatile unsigned sum[8], done;
static void work(unsigned n, unsigned me) { while (n--) sum[me] += n; }
static void *hog(void *arg)
{
    pthread_setname_np(pthread_self(), "hog");
    work(20000, 1);
    done = 1;
    return arg;
}
static void *worker(void *arg)
{
    pthread_t t;
    pthread_setname_np(pthread_self(), "hog");
    pthread_create(&t, NULL, hog, NULL);
    work(20000, 2);
    pthread_join(t, NULL);
    done = 0;
    pthread_create(&t, NULL, hog, NULL);
    pthread_setname_np(pthread_self(), "calm");
    work(20000, 3);
    puts(done ? "hog" : "calm");
    pthread_join(t, NULL);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/names" "$dir/names.c" || exit 1
free=$(cycles --user "$dir/names")
# Two hogs on one processor, then a hog and a calm one on two; or all on one.
one=$(cycles --what-if affinity:hog=1 --what-if affinity:calm=3 --user "$dir/names")
two=$(cycles --what-if affinity:hog=1 --what-if affinity:calm=1 --user "$dir/names")
[ $((one - free)) -gt $((20000 * 4)) ] || fail "two on one: $one, $free"
near "two and two" $((two - one)) $((one - free)) 10
is "none" "$(cycles --what-if affinity:worker=2 --user "$dir/names")" "$free"
grep -q '^simrun: --what-if affinity:worker: no thread had that name, so nothing was changed' \
    "$dir/err" || fail "no name: $(cat "$dir/err")"
for first in hog=high:hog calm=low:hog hog=low:calm; do
    cycles --cpus=1 --what-if "priority:${first%:*}" --user "$dir/names" >"$dir/cycles"
    is "$first" "$(cat "$out")" "${first#*:}"
done
is "told" "$(wc -l <"$dir/err")" 0
cycles --what-if affinity:2222=0 --what-if priority:77=low --what-if affinity:names=0-3 \
    --user "$dir/names" >"$dir/cycles"
is "numbers" "$(grep -c 'no thread had that number, so nothing was changed' "$dir/err")" 2
is "numbers" "$(wc -l <"$dir/err")" 2
for where in "--set user_disk=1 --user $dir/names" "--disk=1M $guest"; do
    cycles --what-if 'device:disk latency=x2' $where >"$dir/cycles"
    grep -q 'the disk had no request, so nothing was changed' "$dir/err" ||
        fail "$where: $(cat "$dir/err")"
done
cycles --set user_disk=1 --what-if 'device:disk latency=x2' --user "$work/io_wait" >"$dir/cycles"
is "disk" "$(wc -l <"$dir/err")" 0
held=$(cycles --append "n=20 sampler=off" --what-if hold:journal_lock=x0 "$guest")
[ "$held" -lt $(($(cycles --append "n=20 sampler=off" "$guest") / 2)) ] ||
    fail "journal_lock: $held"
# Masks in the guest.
bound=$(cycles "$guest" --program "$work/wrong_affinity")
[ "$(cycles --what-if affinity:all=all "$guest" --program "$work/wrong_affinity")" -lt \
    $((bound / 2)) ] || fail "affinity in the guest"
is "nobody is bound" "$(cycles --what-if affinity:all=all --append "n=4 sampler=off" "$guest")" \
    "$(cycles --append "n=4 sampler=off" "$guest")"
is "disk x1" "$(cycles --set user_disk=1 --what-if 'device:disk latency=x1' --user \
    "$work/io_wait")" "$slow"

# The experiment says so, and one without says nothing.
"$simrun" -q --mode=fast --pmu-trace="$dir/w.exp" --what-if 'func:work+=x0.5' \
    --what-if cpus=-1 --user "$dir/twin" || fail "status $?"
"$simprof" info "$dir/w.exp" >"$dir/info"
grep -q '^what-if *func:work+=x0.5$' "$dir/info" &&
    grep -q '^what-if *cpus=-1$' "$dir/info" || fail "info: $(cat "$dir/info")"
"$simprof" info "$dir/d.exp" | grep what-if && fail "there was none"
total=$("$simprof" functions --csv --metrics=e+exact --limit=0 "$dir/w.exp" |
    awk -F, 'NR == 2 { print $1 }')
[ "$total" -gt 0 ] || fail "no account"

printf 'int _start(void) { return 0; }' >"$dir/bare.c"
powerpc-linux-gnu-gcc -O1 -nostdlib -static -o "$dir/bare.elf" "$dir/bare.c" || exit 1
cp "$dir/bare.elf" "$dir/bare"
# refused STATUS PATTERN ARGUMENT...
refused() {
    status=$1 pattern=$2
    shift 2
    "$simrun" -q "$@" >"$out" 2>"$dir/err" </dev/null
    is "$*" $? "$status"
    [ "$(wc -l <"$dir/err")" = 1 ] && grep -q "$pattern" "$dir/err" ||
        fail "$*: $(cat "$dir/err")"
}
for spec in bogus func:main func:main=2 func:=x2 func:main=x func:main=x1001 \
    func:main=x1.0000001 'func:main=x-1' 'device:uart latency=x1' \
    'device:disk latency=1' cpus=3 cpus=+ affinity:all= affinity:all=1- \
    hold:one hold:=x1 hold:one=2 affinity:longer_than_that_=1 affinity:99999999999=1 priority:all=100 priority:=low; do
    refused 2 "^simrun: --what-if.*give" --mode=fast --what-if "$spec" --user "$dir/twin"
done
refused 2 'is.* already' --mode=fast --what-if func:work=x1 --what-if func:work+=x2 \
    --user "$dir/twin"
refused 2 'the 4 CPUs would become 0' --what-if cpus=-4 --user "$dir/twin"
refused 2 'the 4 CPUs would become 9' --what-if cpus=+5 --user "$dir/twin"
refused 2 'none of these CPUs; give numbers from 0 to 3' --what-if affinity:all=4 --user "$dir/twin"
refused 2 'user_disk=1' --what-if 'device:disk latency=x0' --user "$dir/twin"
refused 2 'no disk' --what-if 'device:disk latency=x0' "$guest"
refused 2 'under --user' --what-if priority:1=low "$guest"
refused 2 'affinity:all=all' --mode=fast --what-if affinity:all=1 "$guest"
refused 2 'mode=fast' --what-if affinity:all=all "$guest"
refused 2 'mode=fast' --what-if hold:one=x2 --user "$dir/locks"
refused 125 'no such variable; did you mean' --mode=fast --what-if hold:oen=x2 \
    --user "$dir/locks"
refused 125 'no function that takes a lock' --mode=fast --what-if hold:0x1234=x2 \
    --user "$dir/bare"
refused 125 'it has no thread_set_mask' --mode=fast --what-if affinity:all=all "$dir/bare.elf"
refused 2 'mode=fast' --what-if func:work=x2 --user "$dir/twin"
refused 2 'without --detail' --detail 0:+2000 --what-if func:work=x2 --user "$dir/twin"
refused 125 'twin has no such function; did you mean' --mode=fast \
    --what-if func:wrok=x2 --user "$dir/twin"
refused 125 'is no function of twin' --mode=fast --what-if func:sum=x2 --user "$dir/twin"
exit 0
