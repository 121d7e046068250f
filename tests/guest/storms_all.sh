#!/bin/sh
# storms_all.sh - the same on 1, 2, 4 and 8 processors, and a full disk, a stack without
# end, wild jumps and instructions, signals while pages come and go.
# timeout: 1800
set -u
. tests/guest/storms.sh
for cpus in 1 2 4 8; do
    storms $cpus all
done
exit 0
