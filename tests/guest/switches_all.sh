#!/bin/sh
# switches_all.sh - the same 100,000 times on 8 CPUs (SWITCHES=10000000 for as many),
# sampled so seldom that the kernel's tree of stacks, of 4,096 nodes, has room for
# them; and 20,000 times with all records.
# timeout: 7200
set -u
. tests/guest/switches.sh
EVERY=1000000
recorded 8 20000
rm -rf "$dir/e.exp"
EVERY=20000000
storm 8 "${SWITCHES:-100000}"
exit 0
