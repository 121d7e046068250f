#!/bin/sh
# switch_test.sh - thousands of switches of every kind under dense sampling,
# threads of every affinity: no lost flag, no leaked mask, no stuck thread.
set -u
. tests/guest/lib.sh

for cpus in 1 2 8; do
    boot $cpus "work=switch n=10000 trigger=time:10000"
    grep -q '^PASS: no thread ran where it may not' "$out" || fail "strays"
    above "switches" "$(total switches)" 9999
done
above "to-idle samples" "$(total to-idle)" 500
above "from-idle samples" "$(total from-idle)" 500
above "stale to-idle targets, skipped" "$(total stale)" 0
above "samples that overlapped another CPU's" \
    "$(sed -n 's/.* \([0-9]*\) overlapped.*/\1/p' "$out")" 100
boot 4 "work=switch n=10000 trigger=time:7000 toidle=direct fromidle=direct"
boot 4 "work=switch n=10000 trigger=time:7000 once=on idle=spin"
boot 4 "work=switch n=5000 trigger=event:cycles:9000 seed=77"
exit 0
