#!/bin/sh
# outputs_test.sh - a file that simrun is told to write is never one that it
# reads, and opening it ends.
set -u
. tests/sim/lib.sh
build status

run 1 --pmu-trace=a.exp status.elf --append r1
ln "$dir/status.elf" "$dir/same.elf"
ln -s status.elf "$dir/link"
for option in --log=exec --summary=json; do
    for name in status.elf same.elf link ./status.elf; do
        run 125 "$option:$name" status.elf
        grep -q ": $name is the program" "$dir/err" ||
            fail "$option:$name: not told"
        [ -s "$dir/status.elf" ] || fail "$option:$name: the program is gone"
    done
    run 125 "$option:a.exp/log" --replay=a.exp status.elf
    grep -q 'a.exp/log is the log of --replay' "$dir/err" || fail "not told"
    [ -s "$dir/a.exp/log" ] || fail "the recording is gone"
done
run 125 --log=exec:new --summary=json:new status.elf --append r1
grep -q 'new is the file of --log' "$dir/err" || fail "two in one: not told"

# A pipe that nothing reads is not waited for (SIGTERM would be, too).
mkfifo "$dir/pipe"
for option in --log=exec --summary=json; do
    run 125 "$option:pipe" status.elf
    grep -q "pipe: cannot be written: nothing reads it" "$dir/err" ||
        fail "$option: a pipe: not told"
done
cat "$dir/pipe" >"$dir/read" &
tries=0
until run_status=0; (cd "$dir" && "$simrun" --log=exec:pipe status.elf \
    --append r1) >"$dir/out" 2>"$dir/err" || run_status=$?
    [ $run_status -eq 1 ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || fail "nothing reads it still"
    sleep 0.1
done
wait
[ -s "$dir/read" ] || fail "the pipe's reader has nothing"

# A reader that takes nothing does not keep a run from being ended.
cat >"$dir/loop.S" <<'EOF'
        .globl _start
_start: b       _start
EOF
"$cc" -nostdlib -static -Ttext=0x20000 -o "$dir/loop.elf" "$dir/loop.S" ||
    fail "no loop"
exec 9<>"$dir/pipe" # open for reading before simrun asks; not read
(cd "$dir" && exec "$simrun" --log=exec:pipe loop.elf >"$dir/out" \
    2>"$dir/err" </dev/null 9<&-) &
pid=$!
# It stands still once the pipe is full: waits, and uses no time.
before=
tries=0
until now=$(awk '{ print $3, $14 + $15 }' /proc/$pid/stat) &&
    [ "$now" = "$before" ] && [ "${now%% *}" = S ]; do
    before=$now
    tries=$((tries + 1))
    [ $tries -lt 100 ] || break
    sleep 0.5
done
kill $pid
tries=0
while kill -0 $pid 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || { kill -9 $pid; fail "it cannot be ended"; }
    sleep 0.1
done
wait $pid
[ $? -eq 125 ] || fail "the log was not read: status"
exec 9<&-
grep -q 'log: .*: the log is incomplete' "$dir/err" || fail "log: not told"

# A chip table without an end, and one with a line that never ends.
run 2 --chip=/dev/zero status.elf
grep -q 'zero:1: ' "$dir/err" || fail "no text: not told"
awk 'BEGIN { for (i = 0; i < 600; i++) printf " "; print "/* x" }' \
    >"$dir/long.def"
run 2 --chip=long.def status.elf
grep -q 'long.def:1: .*too long' "$dir/err" || fail "a long line: not told"
exit 0
