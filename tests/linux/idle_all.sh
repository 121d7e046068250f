#!/bin/sh
# idle_all.sh - why Linux's CPUs are idle: idle-transition samples of Debian's
# Linux, taken from outside, name the tasks that its context switches name, with
# a program that waits in a known way; the same bits from both engines, and the
# kernel runs as it does unseen.
set -u
. tests/sim/lib.sh
. tests/linux/built.sh

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

# The planted program of docs/linux.md: most of its idle time is at its lock.
mkdir -p "$dir/root/media"
"$cc" -O1 -g -static -pthread -I. -o "$dir/root/media/lock" \
    guest/work/pthread/contended_lock.c guest/work/pthread/common/*.c ||
    fail "contended_lock.c does not compile"
echo "file /bin/lock $dir/root/media/lock 0755 0 0" >"$dir/files"
"$linux/kernel/usr/gen_init_cpio" -t 0 "$dir/files" >"$dir/more.cpio"
cat "$linux/initrd.cpio" "$dir/more.cpio" >"$dir/both.cpio"
"$simrun" -q --mode=fast --cpus=4 --max-cycles=20000000000 --sample-idle=20000 \
    "--pmu-trace=$dir/lock.exp" --sysroot "$dir/root" --initrd "$dir/both.cpio" \
    --append 'console=ttyS0 run="cp /bin/lock /media; /media/lock; exit 4"' \
    "$linux/vmlinux" >"$dir/out" 2>"$dir/err" </dev/null
[ $? -eq 4 ] || fail "lock: it did not end"
"$simprof" idle --csv --filters='name == "lock"' "$dir/lock.exp" >"$dir/out"
awk -F, '$2 ~ /^(to|from)-idle$/ { n[$2] += $3
        if ($5 ~ /;clerk;.*pthread_mutex_lock;.*;futex_wait;/) lock[$2] += $3 }
    END { exit !(n["to-idle"] > 100 && 2 * lock["to-idle"] > n["to-idle"] &&
        4 * lock["from-idle"] > 3 * n["from-idle"]) }' "$dir/out" || fail "lock: not its lock"
# Its CPUs do not nap: the first screen counts what idle threads ran.
"$simprof" html --from=begin:lock --to=end:lock -o "$dir/page" "$dir/lock.exp" || fail "no page"
causes=$("$simprof" causes --csv --from=begin:lock --to=end:lock "$dir/lock.exp" |
    awk -F, 'NR > 1 { n += $1 } END { print n }')
idle=$(tests/tools/page_data "$dir/page" | grep -o '\["idle: [^]]*\]' | awk -F, '{ n += $(NF - 1) } END { print n }')
[ "$idle" -eq "$causes" ] || fail "idle: the page has $idle cycles, causes $causes"
rm -rf "$dir"
