#!/bin/sh
# kills_test.sh - kill -9 at any moment leaves an experiment that every report
# reads, with a line that the run has no end; and while a program waits all
# that was recorded is on the disk already.
# timeout: 120
set -u
bad=0
fail() { echo "$1"; bad=1; }
simrun=$BUILD/simrun simprof=$BUILD/simprof
cd "$TMPDIR" || exit 1

# ---- ten moments -----------------------------------------------------------

read_all() { # experiment, reports a line each: all of them say how it ended
    while read -r report; do
        timeout -s KILL 60 $simprof $report "$1" >out 2>err
        status=$?
        if [ $status = 125 ] && grep -q 'killed before it began' err; then
            continue
        fi
        [ $status = 0 ] || { fail "$1: $report: status $status"; cat err; }
        grep -q '^end ' "$1/log" ||
            grep -q 'note: log: the run has no end (killed, or' err ||
            { fail "$1: $report: does not say that the run has no end"; cat err; }
    done
}
few='info
functions
idle
active --function=txn_stage_parse'
all="$few
overview
header
fsummary
callers-callees
calltree --csv
lines
pcs
disasm
cpi
threads
cpus
seconds
objects
interrupts
marks
sampled
truth
metrics
indxobj --index=cpu
memobj line
functions --from=100000 --cpu=1
export --format=csv
export --format=folded
tree build
tree query
idle -v"
kills=0
for delay in 0 0.003 0.01 0.03 0.06 0.1 0.15 0.2 0.3 0.4; do
    kills=$((kills + 1))
    exp=k$kills.exp
    "$simrun" -q --append "work=txn n=4000" -e cycles:3000 -e dcache_miss:100 \
        --probe txn_stage_parse --sample-insns 3000 \
        --mark 'func:mutex_lock=limit:100' --pmu-trace=$exp \
        "$BUILD/guest.elf" >console 2>&1 </dev/null &
    pid=$!
    sleep $delay
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ -d $exp ] || continue
    case $kills in
    4 | 10) echo "$all" | read_all $exp ;;
    *) echo "$few" | read_all $exp ;;
    esac
done

# ---- one that waits --------------------------------------------------------

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit $((bad ? 1 : 77)); }
cat >wait.c <<'END'
#include <unistd.h>
volatile int n;
static __attribute__((noinline)) void spin(void) { for (int i = 0; i < 20000; i++) n += i; }
int main(void) { char c; spin(); return (int)read(0, &c, 1); }
END
powerpc-linux-gnu-gcc -O1 -static -o waits wait.c || exit 1
mkfifo nothing
sleep 100 >nothing &
writer=$!
"$simrun" -q --mode=fast -e cycles:1000 --pmu-trace=w.exp --user ./waits \
    <nothing >console 2>&1 &
pid=$!
tries=0
until [ "$(wc -c 2>/dev/null <w.exp/profile.rec)" -gt 1000 ] 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || { fail "it waits, and nothing is on the disk"; break; }
    sleep 0.1
done
kill -9 $pid $writer
wait 2>/dev/null
"$simprof" functions w.exp >out 2>err || { fail "functions: $?"; cat err; }
grep -q ' spin$' out || { fail "no samples of what ran"; cat out; }
grep -q 'the run has no end' err || fail "$(cat err)"
exit $bad
