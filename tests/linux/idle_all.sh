#!/bin/sh
# idle_all.sh - why Linux's CPUs are idle: idle-transition samples of Debian's
# Linux, taken from outside, name the tasks that its context switches name, with
# a program that waits in a known way; the same bits from both engines, and the
# kernel runs as it does unseen.
set -u
. tests/sim/lib.sh
linux=$BUILD/linux
simprof=$BUILD/simprof
if [ ! -f "$linux/initrd.cpio" ]; then
    echo "no Linux in $linux: make linux builds it, in some ten minutes"
    rm -rf "$dir"
    exit 77
fi

# boot NAME OPTION... : what the console said is $dir/NAME
boot() {
    name=$1
    shift
    "$simrun" -q --mode=fast --cpus=2 --max-cycles=20000000000 "$@" \
        --initrd "$linux/initrd.cpio" \
        --append 'console=ttyS0 run="for i in 1 2 3 4 5; do sleep 0.05; done | cat; exit 3"' \
        "$linux/vmlinux" >"$dir/$name" 2>"$dir/err" </dev/null
    status=$?
    cp "$dir/$name" "$dir/out"
    [ "$status" -eq 3 ] || fail "$name: status $status"
}
boot unseen
boot seen "--pmu-trace=$dir/seen.exp" --sample-idle=50000 --sysroot "$linux/sysroot"
[ -s "$dir/err" ] && fail "something to say"
boot again "--pmu-trace=$dir/again.exp" --sample-idle=50000 --engine=interpreter \
    --sysroot "$linux/sysroot"
boot all "--pmu-trace=$dir/all.exp" --sample-idle=50000:all --sysroot "$linux/sysroot"
cmp "$dir/unseen" "$dir/seen" || fail "it runs otherwise when it is seen"
for kind in idle unsampled stat switch; do
    cmp "$dir/seen.exp/$kind.rec" "$dir/again.exp/$kind.rec" ||
        fail "$kind: the engines differ"
done

# Programs sleep, wait for their children, and for a pipe: that is why.
"$simprof" idle --csv "$dir/seen.exp" >"$dir/out" 2>"$dir/err" || fail "no report"
[ -s "$dir/err" ] && fail "its counters and records differ"
for wait in do_nanosleep do_wait; do
    grep -q "^all,to-idle,.*;$wait[^;]*;schedule;__schedule" "$dir/out" || fail "no $wait"
done
grep -q '^all,from-idle,.*;do_nanosleep' "$dir/out" || fail "no sleep ends idleness"
# With the kernel's threads each sample is the thread of the context switch, with
# the stack that it left with.
"$simprof" truth "$dir/all.exp" | tr '\n' ' ' >"$dir/out" || fail "no truth"
[ "$(grep -o ' 0 of [0-9]* samples name another \(thread\|stack\) than the context switches do, 0 lie in no idle period' "$dir/out" | wc -l)" -eq 3 ] ||
    fail "not what the switches say"
rm -rf "$dir"
