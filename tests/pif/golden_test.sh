#!/bin/sh
# golden_test.sh - the instrumentation facility does what docs/pif.md says: its
# worked examples and rules, run by a bare-metal program in both modes.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
build golden tests/pif/routines.S tests/pif/golden*.c
for mode in fast detailed; do
    all_right golden --mode=$mode
done
exit $bad
