#!/bin/sh
# reasons_test.sh - every reason of the oracle's table is charged somewhere in
# the core, and no reason is charged that has no row.
set -u
bad=0
rows=$(sed -n 's/^REASON(\([a-z]*\),.*/\1/p' pmu/stalls.def)
used=$(tests/setup/sources c,h sim |
    xargs grep -ohE 'REASON_[a-z]+' | sort -u)
for name in $rows; do
    echo "$used" | grep -qx "REASON_$name" || {
        echo "pmu/stalls.def: nothing charges $name"
        bad=$((bad + 1))
    }
done
for name in $(echo "$used" | sed 's/REASON_//'); do
    echo "$rows" | grep -qx "$name" || {
        echo "REASON_$name has no row"
        bad=$((bad + 1))
    }
done
echo "$(echo "$rows" | wc -l) reasons, $bad complaints"
[ -n "$rows" ] && [ "$bad" -eq 0 ]
