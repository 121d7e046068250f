#!/bin/sh
# wildpmu_test.sh - whatever a guest writes into the registers of the monitor
# and of the facility, simrun goes on: tests/sim/wildpmu.c, in both modes, with
# processors that never turned the facility on and without. Under the
# sanitizers (make asan) no access goes astray either. timeout: 240
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/sim/lib.sh
for seed in 1 2 3 4 5 6; do
    build wildpmu -fno-pie -DSEED=$seed
    for mode in detailed fast; do
        run 0 -q --mode=$mode --cpus=$((seed % 2 * 3 + 1)) \
            --set pmcs=$((2 + seed)) --set pif_limits=$((seed / 4)) \
            --set pif_frames=$((seed % 3 * 8)) --max-cycles=20000000 \
            wildpmu.elf
    done
done
