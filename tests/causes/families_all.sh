#!/bin/sh
# families_all.sh - generated_all.sh with programs that wait for a disk, for a lock below a
# lock, and for two locks of which one is held longer.
# timeout: 1800
SEEDS=$(seq 1000 1023 | tr '\n' ' ') exec sh tests/causes/generated_all.sh
