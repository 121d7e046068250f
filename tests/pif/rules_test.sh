#!/bin/sh
# rules_test.sh - corners of docs/pif.md: which of several causes of an
# instruction is signalled, and in which states marks are looked up.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
build rules tests/pif/routines.S tests/pif/rules.c
for mode in fast detailed; do
    all_right rules --mode=$mode
done
exit $bad
