#!/bin/sh
# limit_test.sh - simrun --trace-limit: the experiment has no more bytes than it
# may, the run is the same, a word says where recording stopped, and what there is
# up to there is what a run without a limit has; every report reads it.
# timeout: 400
set -u
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }
bytes() { find "$1" -type f -exec cat {} + | wc -c; }
run() { # run NAME OPTION...: into NAME.exp
    name=$1
    shift
    rm -rf "$name.exp"
    timeout 100 "$BUILD/simrun" -q --cpus=2 --append "work=txn n=10" -e cycles:700 \
        --mark func:mutex_lock --pmu-trace="$name.exp" "$@" "$BUILD/guest.elf" >"$name.out" 2>"$name.err"
}
run whole || complain "status $?"
all=$(bytes whole.exp)
[ -s whole.err ] && complain "no limit, and it says $(cat whole.err)"
start=$(($(wc -c <"$BUILD/guest.elf") + 60000))
for part in 0 30 80 400; do
    limit=$((start + (all - start) * part / 100))
    run cut --trace-limit=$limit || complain "$part %: status $?"
    cmp -s whole.out cut.out || complain "$part %: another output"
    n=$(bytes cut.exp)
    [ "$n" -le "$limit" ] || complain "$part %: $n bytes, limit $limit"
    tail -n 1 cut.exp/log | grep -q '^exit 0 ' || complain "$part %: $(tail -n 1 cut.exp/log)"
    "$BUILD/simprof" info cut.exp >info 2>info_err || complain "$part %: info: $(cat info_err)"
    for report in "functions --from=100000" idle seconds marks overview; do
        "$BUILD/simprof" $report cut.exp >report 2>err || complain "$part %: $report: $(cat err)"
        grep -q 'damage\|run simrun again' err && complain "$part %: $report: $(cat err)"
        [ $part -ge 400 ] && continue
        grep -q 'recording stopped at cycle [0-9]*, at simrun --trace-limit' err ||
            complain "$part %: $report does not say so: $(cat err)"
    done
    # What marks counted is of the whole run.
    for e in whole cut; do
        "$BUILD/simprof" marks $e.exp --csv --limit=0 2>/dev/null | grep '^code' >$e.marks
    done
    cmp -s whole.marks cut.marks || complain "$part %: marks counted something else"
    if [ $part -ge 400 ]; then
        diff -r whole.exp cut.exp >diff || complain "a limit that is not reached: $(cat diff)"
        continue
    fi
    at=$(sed -n 's/^cut //p' cut.exp/log)
    [ "$(cat cut.err)" = "simrun: cut.exp: recording stopped at cycle $at, at --trace-limit; the run went on" ] ||
        complain "$part %: stderr has: $(cat cut.err)"
    "$BUILD/simprof" functions cut.exp 2>/dev/null | grep -q "recorded: cut off there" || complain "$part %: the report's head"
    # Records up to there are those of the whole run.
    for f in profile switch irq idle thread; do
        n=$(wc -c <cut.exp/$f.rec)
        head -c "$n" whole.exp/$f.rec | cmp -s - cut.exp/$f.rec || complain "$part %: $f.rec is another one"
    done
    [ $part = 80 ] && [ "$(wc -c <cut.exp/profile.rec)" -lt 20000 ] && complain "half of it has hardly a sample"
    # The account is no older than two of its intervals.
    [ $((at - $(sed -n 's/^at //p' cut.exp/log | tail -n 1))) -le 400000 ] && grep -q '^insns 1 ' cut.exp/log && whole=1
done
[ "${whole:-0}" = 1 ] || complain "no cut was behind an interval, with all accounts"
run small --trace-limit=10K
[ $? = 125 ] && grep -q '^simrun: --trace-limit: the program .* give [0-9]* or more$' small.err ||
    complain "too small: $(cat small.err)"
[ ! -e small.exp ] || complain "an experiment that did not begin is there"
for wrong in 0 x 1T -3 '' 5KB 99999999999G; do
    "$BUILD/simrun" --trace-limit="$wrong" --pmu-trace=w.exp "$BUILD/guest.elf" >out 2>err
    [ $? = 2 ] && grep -q 'trace-limit=.*give' err || complain "--trace-limit=$wrong: $(cat err)"
done
"$BUILD/simrun" --trace-limit=1M "$BUILD/guest.elf" >out 2>err
[ $? = 2 ] && grep -q 'nothing is recorded' err || complain "without a recording: $(cat err)"

# Input that came behind the cut cannot be heard again, and it says so.
command -v powerpc-linux-gnu-gcc >/dev/null || exit $bad
cat >echo.c <<'C'
#include <stdio.h>
int main(void) { int c, n = 0; while ((c = getchar()) != EOF) n += c; printf("%d\n", n); return 0; }
C
powerpc-linux-gnu-gcc -O1 -static -o echo echo.c || exit 1
head -c 1200000 /dev/zero >big
user="timeout 100 $BUILD/simrun -q --mode=fast --cpus=1"
$user --pmu-trace=e.exp --trace-limit=1500K --user ./echo <big >out 2>err || complain "echo: $(cat err)"
[ "$(bytes e.exp)" -le $((1500 * 1024)) ] || complain "echo: too many bytes"
$user --replay=e.exp --user ./echo </dev/null >out 2>err
[ $? = 125 ] && grep -q 'stopped at --trace-limit before all input' err || complain "a replay of a part: $(cat err)"
# A second pass hears all of it nevertheless, and what it counts is whole.
rm -rf e.exp
$user --pmu-trace=e.exp --trace-limit=1500K --autoprofile=hot --user ./echo <big >out 2>err || complain "hot: $(cat err)"
"$BUILD/simprof" marks e.exp --csv 2>/dev/null | awk -F, '$1 == "code" && $3 == 1200000 { ok = 1 } $1 == "code" && $3 == 1200001 { ok = 1 } END { exit !ok }' ||
    complain "hot with a limit: $("$BUILD/simprof" marks e.exp)"
exit $bad
