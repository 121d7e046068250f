#!/bin/sh
# area_test.sh - count areas as docs/pif.md 15 has them, on 1, 2 and 8
# processors: see area.c.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
build area tests/pif/answer.S tests/pif/area.c
for mode in fast detailed; do
    all_right area --mode=$mode
    all_right area "--mode=$mode --cpus=8"
done
all_right area "--cpus=2 --set pif_charge=1 --set quantum=50"
all_right area "--cpus=2 --set line_bytes=64"
exit $bad
