#!/bin/sh
# params_test.sh - every knob of sim/config/params.def does something: its value is
# read somewhere in sim/ (not counting the table and its own machinery), it is
# printed by --help=all, and its default lies within its range.
set -u
bad=0
count=0

names=$(sed -n 's/^PARAM(\([a-z0-9_]*\),.*/\1/p' sim/config/params.def)
help=$("$BUILD/simrun" --help=all) || { echo "simrun --help=all failed"; exit 1; }
sources=$(tests/setup/sources c,h sim | grep -v '^sim/config/')
for name in $names; do
    count=$((count + 1))
    grep -qE "(->|\.)$name\b" $sources || {
        echo "sim/config/params.def: nothing in sim/ reads $name"
        bad=$((bad + 1))
    }
    echo "$help" | grep -qw -- "$name" || {
        echo "simrun --help=all does not mention $name"
        bad=$((bad + 1))
    }
done
awk -F, '/^PARAM\(/ && ($2 + 0 < $3 + 0 || $2 + 0 > $4 + 0) {
    print "default out of range: " $0; bad = 1 }
    END { exit bad }' sim/config/params.def || bad=$((bad + 1))
echo "$count knobs, $bad complaints"
[ "$count" -gt 0 ] && [ "$bad" -eq 0 ]
