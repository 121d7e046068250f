#!/bin/sh
# smp_test.sh - 1 to 8 CPUs start where they are told, add to one word without
# losing an addition, and hear inter-processor interrupts once; two runs of
# each are the same to the byte.
# timeout: 240
set -u
. tests/sim/lib.sh
build smp

for mode in fast detailed; do
    for cpus in 1 2 3 4 5 6 7 8; do
        run $cpus --mode=$mode --cpus=$cpus smp.elf --pmu-trace=$mode$cpus.a
        expected=$(printf %08x $((1000 * cpus * (cpus + 1) / 2)))
        expected="$expected 00000000"
        i=1
        while [ $i -lt $cpus ]; do
            expected="$expected 00000001"
            i=$((i + 1))
        done
        [ "$(cat "$dir/out")" = "$expected" ] ||
            fail "$mode, $cpus CPUs: expected $expected"
        cp "$dir/out" "$dir/first"
        run $cpus --mode=$mode --cpus=$cpus smp.elf --pmu-trace=$mode$cpus.b
        cmp "$dir/out" "$dir/first" || fail "another console"
        diff -r "$dir/$mode$cpus.a" "$dir/$mode$cpus.b" ||
            fail "$mode, $cpus CPUs: another experiment"
        # Nobody's count depends on being watched.
        run $cpus --mode=$mode --cpus=$cpus smp.elf --summary
        end=$(sed -n 's/^end //p' "$dir/$mode$cpus.a/log")
        grep -q " $end cycles" "$dir/err" || fail "watching took time"
    done
done
exit 0
