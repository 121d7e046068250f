#!/bin/sh
# mmio_test.sh - the performance monitor's registers as words in I/O space say
# what mfspr says: see mmio.c.
set -u
. tests/pif/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || {
    echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
build fast tests/pif/mmio.S tests/pif/mmio.c
FLAGS=-DDETAILED
build detailed tests/pif/mmio.S tests/pif/mmio.c
for mode in fast detailed; do
    for cpus in 1 4; do
        all_right $mode "--mode=$mode --cpus $cpus --set pmcs=8"
    done
done
all_right detailed "--set pmcs=8 --set quantum=50 --cpus 4"
exit $bad
