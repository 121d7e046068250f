#!/bin/sh
# boots_test.sh - the guest boots on 1, 2, 4 and 8 CPUs, in both modes, and
# every workload ends by itself with all of the guest's own checks passed. From the
# start to a program's end are fewer than 500,000 instructions.
set -u
. tests/guest/lib.sh

for cpus in 1 2 4 8; do
    boot $cpus "n=20"
    grep -q "^guest: $cpus CPUs, work=txn" "$out" || fail "not $cpus CPUs"
    is "CPUs that switched" "$(grep -c '^cpu .* switches [1-9]' "$out")" $cpus
    grep -q "^txn: $((40 * cpus)) transactions" "$out" || fail "lost work"
    grep -q ', [1-9] CPUs remember' "$out" || fail "nobody was remembered"
    boot $cpus "work=prodcons n=20"
    grep -q "^prodcons: $((40 * cpus)) items" "$out" || fail "lost items"
    boot $cpus "work=busy n=10"
done
timeout 100 "$simrun" --append n=10 "$guest" >"$out" || fail "detailed mode"
! grep FAIL "$out" || fail "detailed mode"

# Nothing on the boot line: four CPUs, txn, both kinds.
timeout 100 "$simrun" --mode=fast "$guest" >"$out" || fail "no boot line"
grep -q '^guest: 4 CPUs, work=txn .* sampler=both' "$out" || fail "default"
grep -q '^PASS: leaf counts' "$out" || fail "default checks"

if command -v powerpc-linux-gnu-gcc >/dev/null; then
    echo 'int main(void) { return 0; }' >"$dir/one.c"
    powerpc-linux-gnu-gcc -O2 -static -o "$dir/one" "$dir/one.c" || fail "one.c"
    for cpus in 1 8; do
        "$simrun" --summary --mode=fast --cpus=$cpus --program "$dir/one" "$guest" \
            >"$out" 2>"$dir/err" </dev/null || fail "a program: $(cat "$dir/err")"
        above "500,000" 500000 "$(sed -n 's/^  instructions \([0-9]*\)$/\1/p' "$dir/err")"
    done
fi
exit 0
