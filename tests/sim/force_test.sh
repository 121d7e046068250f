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
echo simrun-tried 1 >"$dir/a.exp/tried"
run 2 -f --pmu-trace=a.exp status.elf --append r2
grep -qx 'args r2' "$dir/a.exp/log" || fail "it is the old one"
ls "$dir/a.exp" | grep -q timetree && fail "the old one's time tree is left"
[ ! -e "$dir/a.exp/tried" ] || fail "what was tried of the old one is left"
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
# A link to an experiment, or what cannot be moved: nothing is removed.
run 1 --pmu-trace=real.exp status.elf --append r1
ln -s real.exp "$dir/link.exp"
for name in link.exp link.exp/ real.exp/.; do
    run 125 -f --pmu-trace=$name status.elf
    [ -s "$dir/real.exp/log" ] || fail "$name: the experiment was emptied"
done
run 125 -f --pmu-trace=link.exp status.elf
grep -q 'link.exp: is a symbolic link' "$dir/err" || fail "a link: not told"
run 2 -f --pmu-trace=real.exp/ status.elf --append r2

# A person's file may have an ending of ours, or lie among the archives, or
# stand in the place of a file of ours.
for name in my.rec archives/notes archives/tape.12345678 old.rec.index tried; do
    echo precious >"$dir/real.exp/$name"
    run 125 -f --pmu-trace=real.exp status.elf
    grep -q "holds $(basename $name), which" "$dir/err" || fail "$name: not told"
    [ "$(cat "$dir/real.exp/$name")" = precious ] || fail "$name: removed"
    rm "$dir/real.exp/$name"
done
: >"$dir/real.exp/mark.rec" # as a full disk leaves it
run 2 -f --pmu-trace=real.exp status.elf --append r2

# An experiment that is being written is no one else's to replace; one that is
# removed meanwhile is missed.
cat >"$dir/loop.S" <<'EOF'
        .globl _start
_start: b       _start
EOF
powerpc-linux-gnu-gcc -nostdlib -static -Ttext=0x20000 -o "$dir/loop.elf" \
    "$dir/loop.S" || fail "no loop"
(cd "$dir" && exec "$BUILD/simrun" --pmu-trace=busy.exp loop.elf \
    >busy.out 2>busy.err </dev/null) &
busy=$!
wait_for() {
    tries=0
    until eval "$1"; do
        tries=$((tries + 1))
        [ $tries -lt 600 ] || { kill -9 $busy; fail "waited for $1"; }
        sleep 0.1
    done
}
wait_for '[ -s "$dir/busy.exp/log" ]'
run 125 -f --pmu-trace=busy.exp status.elf
grep -q 'busy.exp: is being written by another simrun' "$dir/err" ||
    { kill -9 $busy; fail "busy: not told"; }
[ -s "$dir/busy.exp/log" ] || { kill -9 $busy; fail "busy: removed"; }
rm -r "$dir/busy.exp"
wait_for '[ -s "$dir/busy.err" ]'
kill $busy
wait $busy
[ $? -eq 125 ] || fail "an experiment was removed under way: status $?"
grep -q 'busy.exp/log: was removed while it was written; the run goes on' \
    "$dir/busy.err" || fail "removed under way: not told"
exit 0
