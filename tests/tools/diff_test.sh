#!/bin/sh
# diff_test.sh - simprof diff finds where two runs part: nowhere for the same run
# made twice; for others, in files whose records all have one size, the record in
# which the first byte differs; a record changed by hand is found and shown.
# timeout: 60
set -u
command -v jq >/dev/null || { echo "no jq"; exit 77; }
dir=$(mktemp -d)
simprof=$BUILD/simprof
fail() {
    echo "$*"
    exit 1
}
run() { # experiment, boot line
    "$BUILD/simrun" -q --cpus=4 --switch-stacks -e cycles:20000 -f --pmu-trace="$dir/$1.exp" \
        --append "work=txn states=on $2" "$BUILD/guest.elf" >"$dir/out" 2>&1 || fail "$(cat "$dir/out")"
}
run a n=10
run again n=10
run other n=11
"$simprof" diff "$dir/a.exp" "$dir/again.exp" >"$dir/said" || fail "$(cat "$dir/said")"
grep -q '^The runs are the same, record by record' "$dir/said" || fail "twice the same: $(cat "$dir/said")"
"$simprof" diff --json "$dir/a.exp" "$dir/again.exp" >"$dir/json"
jq -e 'length > 8 and all(.same == .before and .same == .after and .cycle_before == null)' \
    "$dir/json" >/dev/null || fail "$(cat "$dir/json")"

"$simprof" diff --json "$dir/a.exp" "$dir/other.exp" >"$dir/json" || fail "diff"
"$simprof" diff "$dir/a.exp" "$dir/other.exp" >"$dir/said" || fail "diff as text"
for kind in switch irq wake state; do
    before=$(jq ".[] | select(.kind == \"$kind\") | .before" "$dir/json")
    same=$(jq ".[] | select(.kind == \"$kind\") | .same" "$dir/json")
    size=$((($(stat -c %s "$dir/a.exp/$kind.rec") - 32) / before))
    [ $((size * before + 32)) -eq "$(stat -c %s "$dir/a.exp/$kind.rec")" ] || continue
    byte=$(cmp "$dir/a.exp/$kind.rec" "$dir/other.exp/$kind.rec" | sed 's/.* \(byte\|char\) \([0-9]*\),.*/\2/')
    [ $(((byte - 1 - 32) / size)) -eq "$same" ] || fail "$kind: $same the same, byte $byte differs"
    looked="${looked:-} $kind"
done
[ -n "${looked:-}" ] || fail "no file of records of one size"
grep -q '^- args work=txn states=on n=10$' "$dir/said" && grep -q '^+ args work=txn states=on n=11$' "$dir/said" ||
    fail "what was asked for: $(cat "$dir/said")"
# The earliest of all kinds, whose number is one more than those the same.
first=$(jq -r 'map(select(.cycle_before != null or .cycle_after != null)) |
    min_by([.cycle_before, .cycle_after] | map(. // 1e18) | min) | "\(.same + 1) \(.kind)"' "$dir/json")
grep -q "^The first that differs is number $(echo "${first% *}" | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta') of ${first#* }.rec:" \
    "$dir/said" || fail "not $first: $(cat "$dir/said")"

# One record of a copy, by one cycle: the lowest byte of the cycle of the third.
cp -r "$dir/a.exp" "$dir/moved.exp"
size=$((($(stat -c %s "$dir/a.exp/irq.rec") - 32) / $(jq '.[] | select(.kind == "irq") | .before' "$dir/json")))
at=$((32 + 2 * size + 8))
byte=$(od -An -tu1 -j$at -N1 "$dir/a.exp/irq.rec")
printf "\\$(printf %o $(((byte + 1) % 256)))" |
    dd of="$dir/moved.exp/irq.rec" bs=1 seek=$at conv=notrunc 2>/dev/null
"$simprof" diff "$dir/a.exp" "$dir/moved.exp" >"$dir/said" 2>"$dir/err"
grep -q '^The first that differs is number 3 of irq.rec' "$dir/said" || fail "one cycle: $(cat "$dir/said" "$dir/err")"

# ---- refusals --------------------------------------------------------------
refused() { # words, then arguments
    words=$1
    shift
    "$simprof" diff "$@" >"$dir/out" 2>"$dir/err"
    [ $? -eq 2 ] && grep -q "$words" "$dir/err" && [ "$(wc -l <"$dir/err")" -eq 1 ] ||
        fail "$*: $(cat "$dir/out" "$dir/err")"
}
refused "with which experiment" "$dir/a.exp"
refused "nowhere" --base="$dir/nowhere" "$dir/a.exp"
rm -r "$dir"
