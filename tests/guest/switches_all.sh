#!/bin/sh
# switches_all.sh - the same 20,000 times on 8 CPUs with all records, sampled so often that
# the kernel's tree of stacks, of 4,096 nodes, is full; and 100,000 times
# (SWITCHES=10000000 for as many: 45 minutes of a processor with turns of 500 cycles).
# timeout: 7200
set -u
. tests/guest/switches.sh
EVERY=50000
recorded 8 20000
grep -q '^samples: [0-9]* counted at a caller' "$out" || fail "the tree is not full"
rm -rf "$dir/e.exp"
EVERY=1000000
storm 8 "${SWITCHES:-100000}" ${SWITCHES:+--set fast_quantum=500}
exit 0
