#!/bin/sh
# corners_test.sh - code made at run time, misaligned floating point, rounding
# modes, long double, heap and stack: as under qemu-ppc, in both modes.
set -u
cd "$(dirname "$0")/../.."

for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
for optimize in -O0 -O2; do
    powerpc-linux-gnu-gcc $optimize -w -static -o "$TMPDIR/corners" \
        tests/user/prog/corners.c -lm || exit 1
    tests/user/same "$TMPDIR/corners" || exit 1
done
