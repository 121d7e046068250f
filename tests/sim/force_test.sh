#!/bin/sh
# force_test.sh - --force replaces an experiment, and nothing else: what a
# person put there, and any other directory or file, stays as it is.
set -u
. tests/sim/lib.sh
build status

run 1 --pmu-trace=a.exp -e cycles:100 status.elf --append r1
run 125 --pmu-trace=a.exp status.elf --append r2
grep -q 'a.exp: exists already, .* --force' "$dir/err" || fail "not told how"
"$BUILD/simprof" functions "$dir/a.exp" >/dev/null
"$BUILD/simprof" tree build "$dir/a.exp" >/dev/null 2>&1
run 2 -f --pmu-trace=a.exp status.elf --append r2
grep -qx 'args r2' "$dir/a.exp/log" || fail "it is the old one"
ls "$dir/a.exp" | grep -q timetree && fail "the old one's time tree is left"
run 3 --force --pmu-trace=new.exp status.elf --append r3
[ -f "$dir/new.exp/log" ] || fail "nothing to replace: no experiment"
run 2 -f --pmu-trace=a.exp --replay=a.exp status.elf --append r2

echo kept >"$dir/a.exp/notes"
before=$(cd "$dir/a.exp" && find . | sort)
run 125 -f --pmu-trace=a.exp status.elf --append r4
grep -q 'a.exp: holds notes, which simrun did not write' "$dir/err" ||
    fail "not told what is in the way"
[ "$(cd "$dir/a.exp" && find . | sort)" = "$before" ] || fail "half removed"
rm "$dir/a.exp/notes"
mkdir "$dir/a.exp/archives/deep"
run 125 -f --pmu-trace=a.exp status.elf
grep -q 'holds deep, which' "$dir/err" || fail "archives: not told"
rmdir "$dir/a.exp/archives/deep"
ln -s "$dir/status.elf" "$dir/a.exp/more.rec"
run 125 -f --pmu-trace=a.exp status.elf
[ -f "$dir/a.exp/log" ] || fail "removed in spite of a link"

mkdir "$dir/other"
echo precious >"$dir/other/log"
run 125 -f --pmu-trace=other status.elf
grep -q 'other: is no experiment' "$dir/err" || fail "not told"
[ "$(cat "$dir/other/log")" = precious ] || fail "something else is removed"
run 125 -f --pmu-trace=status.elf status.elf
[ -s "$dir/status.elf" ] || fail "a file is removed"
run 2 -f status.elf
grep -q 'which experiment' "$dir/err" || fail "-f alone: not told"
run 2 -f --pmu-trace status.elf
exit 0
