#!/bin/sh
# written_test.sh - the marks of a program's own shadow storage are in the
# experiment, each once, whichever of its processors have them registered.
set -u
. tests/pif/lib.sh
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
build written tests/pif/routines.S tests/pif/written.c
powerpc-linux-gnu-nm "$program" >"$dir/nm"
at() { printf %d "0x$(awk -v n="$1" '$3 == n { print $1 }' "$dir/nm")"; }
# kind, address, indicator, limit, count, hits
cat >"$dir/want" <<WANT
0 $(at leaf_at) $((0x80200000)) 77 30 9
0 $(($(at shared) + 24)) $((0x80000000)) 0 30 0
1 $((0x100014)) $((0x80000000)) 0 3 0
1 $((0x10001C)) $((0x80000000)) 1000 4 0
WANT
for mode in fast detailed "detailed --set line_bytes=64"; do
    rm -rf "$dir/e.exp"
    # shellcheck disable=SC2086 # options are words
    timeout 60 "$simrun" -q --cpus 2 --mode=$mode --pmu-trace="$dir/e.exp" \
        "$program" >"$out" 2>&1
    is "$mode: exit status" $? 0
    records "$dir/e.exp/mark.rec" |
        awk '{ print $5, $6, $7, $8, $9 * 4294967296 + $10, $11 * 4294967296 + $12 }' |
        sort -n >"$dir/got"
    sort -n "$dir/want" | cmp -s - "$dir/got" ||
        fail "$mode: $(diff "$dir/want" "$dir/got")"
done
exit 0
