#!/bin/sh
# differential_all.sh - ten million instruction instances against QEMU, in
# ten runs of different seeds, so that a failure names a short one.
# timeout: 3600
. tests/isa/differential.sh
for seed in 11 12 13 14 15 16 17 18 19 20; do
    echo "seed $seed"
    differ 1000000 $seed all || exit 1
done
