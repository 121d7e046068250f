#!/bin/sh
# boots_test.sh - the guest boots on 1, 2, 4 and 8 CPUs, in both modes, and
# every workload ends by itself with all of the guest's own checks passed.
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
exit 0
