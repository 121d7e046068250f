#!/bin/sh
# fp_host_all.sh - forty million operand triples, in four runs of different
# seeds, by the host's floating point and by isa/fp.c.
# timeout: 1800
for seed in 21 22 23 24; do
    echo "seed $seed"
    "$BUILD/tests/isa/fp_host_test" 10000 $seed || exit 1
done
