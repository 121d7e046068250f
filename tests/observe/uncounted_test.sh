#!/bin/sh
# uncounted_test.sh - what cannot be counted is said, not counted as nothing:
# selectors without an event and events that fast mode does not have, when a
# guest selects them; conditions that nothing makes true.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/sim/lib.sh
cat >"$dir/select.S" <<'S'
        .globl _start
_start: li 4, 6                 # PMC2: data cache misses
        mtspr 952, 4
        lis 4, 22 << 6          # PMC4: what the chip has, and not we
        mtspr 956, 4
        li 3, 0
        blr
S
"$cc" -nostdlib -static -o "$dir/select.elf" "$dir/select.S" || fail "no select"
run 0 --summary select.elf
grep -q "not counted  selector 22 of PMC4, which the guest selected" "$dir/err" ||
    fail "no word of the selector"
! grep -q dcache_miss "$dir/err" || fail "dcache_miss is counted"
run 0 --summary --mode=fast select.elf
grep -q "not counted  dcache_miss, which the guest selected" "$dir/err" ||
    fail "no word of dcache_miss in fast mode"

cat >"$dir/loop.c" <<'C'
int sum;
__attribute__((noinline)) void add(int n) { sum += n; }
int main(void)
{
    for (int i = 0; i < 100; i++)
        add(i);
    return 0;
}
C
"$cc" -O1 -static -o "$dir/loop" "$dir/loop.c" || fail "no loop"
"$cc" -O1 -fno-pie -ffreestanding -nostdlib -static -e main -o "$dir/loop.elf" \
    "$dir/loop.c" || fail "no loop.elf"
says() { # status, what, condition, option...
    status=$1 what=$2 condition=$3
    shift 3
    run "$status" -e "x = insn_completed and $condition" -e x -q "$@"
    if [ -n "$what" ]; then
        grep -q -- "-e x: asks for .*$what" "$dir/err" || fail "$*: not $what"
    else
        ! grep -q "asks for" "$dir/err" || fail "$*: asks"
    fi
}
says 125 "give --range" "pc in range0" --user loop
says 125 "give --range" "(user and pc in range1)" --range main --user loop
says 125 "give --data-range" "ea in range0" --range main --user loop
says 125 "action pmu" "marked" --mark func:add=count --user loop
says 125 "no mark opens" "window" --mark func:add=pmu --user loop
says 0 "" "pc in range0" --range main --user loop
says 0 "" "marked" --mark func:add=pmu --user loop
says 0 "" "window" --mark func:add=start --user loop
says 0 "" "not marked" --user loop
says 0 "" "(pc in range0 or latency > 3)" --user loop
# A guest might set it itself: it did not.
says 0 "give --range" "pc in range0" loop.elf
says 0 "" "pc in range0" --range main loop.elf
exit 0
