#!/bin/sh
# calls_test.sh - every system call that simrun carries out gives the results
# and the errors that it gives under qemu-ppc, in both modes.
# timeout: 300
set -u
cd "$(dirname "$0")/../.."
bad=0

for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
for source in tests/user/prog/calls_*.c; do
    program=$TMPDIR/$(basename "$source" .c)
    powerpc-linux-gnu-gcc -O1 -static -w -o "$program" "$source" || { bad=1; continue; }
    KEEP=$program tests/user/same "$program" || bad=1
done

# Rows that no line of output names. exit and the two that return from
# handlers have no result; clone is there for threads, which have a test.
cat "$TMPDIR"/*.fast | sed 's/:.*//' | sort -u >"$TMPDIR/named"
sed -n 's/^CALL([0-9]*, *\([a-z0-9_]*\), *\([a-z0-9_]*\))/\1 \2/p' \
    sim/user/calls/calls.def |
    while read -r name handler; do
        case $name in exit | exit_group | clone) continue ;; esac
        [ "$handler" = refuse ] || grep -qx "$name" "$TMPDIR/named" ||
            echo "$name has no test"
    done >"$TMPDIR/untested"
cat "$TMPDIR/untested"
[ ! -s "$TMPDIR/untested" ] || bad=1
echo "$(wc -l <"$TMPDIR/named") calls compared"
exit $bad
