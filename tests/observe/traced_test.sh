#!/bin/sh
# traced_test.sh - between the marks that begin and end tracing every stretch of
# instructions that were executed one behind the other is a record: where, how
# many, and when the first of them completed (docs/pif.md 8).
set -u
. tests/sim/lib.sh
cat >"$dir/stretches.S" <<'E'
        .globl  _start
_start: li      3, 3
        mtctr   3
begin:  addi    4, 4, 1
        addi    4, 4, 1
loop:   addi    5, 5, 1
        b       1f
        nop
1:      bdnz    loop
        nop
end:    addi    4, 4, 1
        li      3, 0
        blr
E
"$cc" -nostdlib -static -Wl,-Ttext=0x20000 -Wl,-e,_start -Wl,--build-id=none \
    -Wl,--no-warn-rwx-segments -o "$dir/stretches.elf" "$dir/stretches.S" ||
    fail "it does not assemble"

# Offsets and lengths: a branch that is taken ends a stretch.
cat >"$dir/want" <<'E'
8 4
28 1
16 2
28 1
16 2
28 2
E
for mode in fast detailed; do
    rm -rf "$dir/x.exp"
    run 0 -q --cpus=1 --mode=$mode --mark addr:begin=trace-start \
        --mark addr:end=trace-stop --pmu-trace=x.exp --log exec:exec.log \
        stretches.elf
    # header, thread, cycle, its upper half, of the host's unit, address, length
    od -An -v -tu4 -j32 -w32 "$dir/x.exp/traced.rec" >"$dir/records"
    awk '$5 == 1 { print $6 - 131072, $7 }' "$dir/records" >"$dir/got"
    cmp -s "$dir/want" "$dir/got" || fail "$mode: $(cat "$dir/got")"
    # The execution log has cycle and address of the same instructions.
    awk '{ printf "%d %08x\n", $3, $6 }' "$dir/records" |
        while read -r line; do
            awk '{ print $3, $4 }' "$dir/exec.log" | grep -qx "$line" ||
                fail "$mode: nothing completed at $line"
        done || exit 1
done
exit 0
