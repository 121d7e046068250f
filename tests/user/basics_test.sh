#!/bin/sh
# basics_test.sh - what a user program is given, how it ends and what is said
# when it is killed; what simrun refuses.
# timeout: 300
set -u
cd "$(dirname "$0")/../.."
here=$PWD/tests/user
bad=0
fail() { echo "$1"; bad=1; }

for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
cross() {
    powerpc-linux-gnu-gcc -O1 -w -static -o "$TMPDIR/$1" "$here/prog/$1.c" -lm ||
        exit 1
}
cross basics
cross deaths
export SIMRUN_TEST="a value"
printf 'first\nsecond\n' >"$TMPDIR/input"

# Arguments that look like simrun's own are the program's.
INPUT=$TMPDIR/input "$here/same" "$TMPDIR/basics" --cpus=9 -q "two words" "" \
    --help || bad=1

line=$("$BUILD/simrun" --env SIMRUN_SELF=1 --mode=fast --user "$TMPDIR/basics" \
    </dev/null 2>/dev/null | grep hwcap)
[ "$line" = "hwcap 8c000001 0 ppc604" ] || fail "the processor is said to be: $line"

# Each death: the same output and 128 + signal, with a line that says where.
for way in a b c d e f h i j k l m o; do
    "$here/same" "$TMPDIR/deaths" $way >"$TMPDIR/same.log" 2>&1 ||
        { echo "death $way:"; cat "$TMPDIR/same.log"; bad=1; }
done
# QEMU takes any address for lwarx and lets no enabled exception through.
"$here/same" "$TMPDIR/deaths" g || bad=1
for mode in fast detailed; do
    line=$("$BUILD/simrun" --mode=$mode --user "$TMPDIR/deaths" q 2>&1 >/dev/null)
    [ $? -eq 135 ] || fail "a misaligned reservation is no SIGBUS: $line"
    line=$("$BUILD/simrun" --mode=$mode --user "$TMPDIR/deaths" p 2>&1 >/dev/null)
    [ $? -eq 136 ] || fail "an enabled division by zero is no SIGFPE: $line"
    line=$("$BUILD/simrun" --mode=$mode --user "$TMPDIR/deaths" n 2>&1 >/dev/null)
    [ $? -eq 139 ] || fail "no stack for a handler is no SIGSEGV: $line"
    # What a frame says of a fault QEMU leaves empty: loads, stores, no
    # translation, protection.
    line=$("$BUILD/simrun" --mode=$mode --user "$TMPDIR/deaths" s 2>&1)
    [ "$line" = "alive
signal 11, code 1, trap 300, dsisr 40000000, address right: 1
signal 11, code 1, trap 300, dsisr 42000000, address right: 1
signal 11, code 2, trap 300, dsisr a000000, address right: 1
signal 5, code 1, trap 700" ] || fail "a handler is told: $line"
    line=$("$BUILD/simrun" --mode=$mode --user "$TMPDIR/deaths" b 2>&1 >/dev/null)
    case $line in
    "simrun: deaths: killed by signal 11 (Segmentation fault) at 0x1"*" main+0x"*", address 0x00000010, cycle "*) ;;
    *) fail "the line about a death says: $line" ;;
    esac
done

# An unknown call is named once.
cat >"$TMPDIR/unknown.c" <<'C'
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 3; i++) {
        long r = syscall(499), s = syscall(7000);
        printf("%ld %ld %d\n", r, s, errno);
    }
    return 0;
}
C
powerpc-linux-gnu-gcc -static -o "$TMPDIR/unknown" "$TMPDIR/unknown.c" || exit 1
"$here/same" "$TMPDIR/unknown" || bad=1
count=$("$BUILD/simrun" --mode=fast --user "$TMPDIR/unknown" 2>&1 |
    grep -c 'system call 499 is not known')
[ "$count" -eq 1 ] || fail "system call 499 was named $count times"

# What simrun refuses: one line, and its status.
refuse() { # status, text, arguments...
    status=$1 text=$2
    shift 2
    line=$("$BUILD/simrun" "$@" 2>&1)
    got=$?
    [ $got -eq "$status" ] || fail "simrun $*: status $got, not $status"
    case $line in *"$text"*) ;; *) fail "simrun $*: says $line" ;; esac
}
refuse 2 "no program given" --user
refuse 2 "--append" --append=x --user "$TMPDIR/basics"
refuse 2 "--root" --root=/tmp "$TMPDIR/basics"
refuse 125 "--root=/not/there" --root=/not/there --user "$TMPDIR/basics"
refuse 125 "cannot be opened" --user "$TMPDIR/not-there"
refuse 124 "--max-cycles" --max-cycles=1000 --user "$TMPDIR/basics"
refuse 137 "no memory left" --mem=8 --mode=fast --user "$TMPDIR/deaths" r

# The same bits again, and for another seed other random numbers.
cat >"$TMPDIR/random.c" <<'C'
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <time.h>
int main(void)
{
    unsigned char b[8], *r = (unsigned char *)getauxval(AT_RANDOM);
    struct timespec t;
    getrandom(b, 8, 0);
    clock_gettime(CLOCK_REALTIME, &t);
    printf("%02x%02x %02x%02x %ld %ld\n", b[0], b[7], r[0], r[15],
           (long)t.tv_sec, t.tv_nsec);
    return 0;
}
C
powerpc-linux-gnu-gcc -static -o "$TMPDIR/random" "$TMPDIR/random.c" || exit 1
one=$("$BUILD/simrun" --user "$TMPDIR/random")
[ "$one" = "$("$BUILD/simrun" --user "$TMPDIR/random")" ] ||
    fail "two runs differ"
[ "$one" != "$("$BUILD/simrun" --seed=2 --user "$TMPDIR/random")" ] ||
    fail "the seed changes nothing"

# However often a timer rings, the program gets on.
cat >"$TMPDIR/hurried.c" <<'C'
#include <signal.h>
#include <sys/time.h>
static volatile int rings;
static void ring(int signal) { rings += signal > 0; }
int main(void)
{
    struct itimerval it = {{0, 1}, {0, 1}};
    volatile long sum = 0;
    signal(SIGALRM, ring);
    setitimer(ITIMER_REAL, &it, 0);
    for (long i = 0; i < 100000; i++)
        sum += i;
    return rings > 10 && sum == 704982704 ? 0 : 1;
}
C
powerpc-linux-gnu-gcc -O1 -static -o "$TMPDIR/hurried" "$TMPDIR/hurried.c" ||
    exit 1
for mode in fast detailed; do
    "$BUILD/simrun" -q --mode=$mode --max-cycles=200000000 --user \
        "$TMPDIR/hurried" || fail "a hurried timer in $mode mode: $?"
done

# SIGTERM ends a program that waits for its input, with a summary.
mkfifo "$TMPDIR/fifo"
sleep 100 >"$TMPDIR/fifo" &
sleeper=$!
"$BUILD/simrun" --pmu-trace="$TMPDIR/term.exp" --user "$TMPDIR/basics" \
    <"$TMPDIR/fifo" >/dev/null 2>"$TMPDIR/summary" &
runner=$!
until [ -s "$TMPDIR/term.exp/log" ]; do
    kill -0 $runner || break
    sleep 0.1
done
sleep 2
kill -TERM $runner
wait $runner
status=$?
kill $sleeper
{ [ $status -eq 143 ] && grep -q "stopped from outside" "$TMPDIR/summary"; } ||
    fail "SIGTERM while it reads: status $status"
exit $bad
