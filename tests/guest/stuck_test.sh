#!/bin/sh
# stuck_test.sh - where no thread of any process can be woken any more the run ends, with
# status 125 and the stacks of those that wait; where a time has to pass, an alarm to ring
# or a line to come it goes on.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
powerpc-linux-gnu-gcc -O1 -g -w -static -pthread -o "$dir/stuck" tests/guest/prog/stuck.c ||
    fail "stuck.c does not compile"
run() { # HOW OPTION...
    line=$1
    shift
    status=0
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast "$@" "$guest" \
        --program "$dir/stuck" -- "$line" >"$out" 2>"$dir/err" || status=$?
}
says() { grep -qF -- "$1" "$out" || fail "not said: $1"; }

for cpus in 1 4; do
    run circle --cpus=$cpus </dev/null
    is "status on $cpus CPUs" $status 125
    is "lines that open" "$(grep -c '^all processes wait, and nothing can wake one:$' "$out")" 1
    is "threads" "$(grep -c '^  process 1000 (stuck), thread 100[0-2] (stuck), in' "$out")" 3
    for function in forth back main; do
        grep -q "^    [0-9a-f]* $function+0x" "$out" || fail "$function is in no stack"
    done
done
run circle --mode=detailed --cpus=2 </dev/null
is "status in detailed mode" $status 125
run circle --cpus=2 --append "sampler=both trigger=time:100000 states=on" \
    --pmu-trace="$dir/e.exp" </dev/null
is "status, sampled" $status 125
"$BUILD/simprof" causes "$dir/e.exp" >"$dir/causes" || fail "simprof causes"
grep -q '% *its thread waits in a circle$' "$dir/causes" || fail "$(cat "$dir/causes")"
truncate -s 1M "$dir/disk"
run pipes --cpus=2 --disk="$dir/disk" </dev/null
is "status of two processes" $status 125
says "  process 1000 (stuck), thread 1000 (stuck), in system call 3"
says "  process 1001 (stuck), thread 1001 (stuck), in system call 3"

for how in late alarm input; do
    run $how --cpus=2 </dev/null
    is "status, $how" $status 0
    says "it came"
done
status=0
line="silent input"
mkfifo "$dir/silent"
timeout $((3 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=2 "$guest" --program "$dir/stuck" \
    -- input <>"$dir/silent" >"$out" 2>&1 || status=$?
grep -q 'all processes wait' "$out" && fail "it waits for a line"
exit 0
