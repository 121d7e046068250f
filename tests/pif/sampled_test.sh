#!/bin/sh
# sampled_test.sh - sampled instructions and the branch record do what
# docs/pif.md 13 says, in both modes, on hand-made sequences: sampled.c.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
for mode in fast detailed; do
    [ $mode = fast ] && FLAGS=-DFAST || FLAGS=
    build sampled tests/pif/sampled.S tests/pif/sampled.c
    all_right sampled --mode=$mode
done
exit $bad
