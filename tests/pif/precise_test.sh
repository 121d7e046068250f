#!/bin/sh
# precise_test.sh - indicator exceptions of every instruction of a function, on
# paths that are mispredicted and beside exceptions of its own: see precise.c.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
build precise tests/pif/precise.S tests/pif/precise.c
for options in --mode=fast --mode=detailed \
    "--set icache_kb=1 --set dcache_kb=1 --set pif_charge=1" \
    "--set pif_limits=1 --set bht_entries=16"; do
    all_right precise "$options"
done
exit $bad
