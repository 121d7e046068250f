#!/bin/sh
# compilers_test.sh - every host file also compiles, without a warning, with
# the compiler that `make` was not told to use.
# timeout: 300
set -u
other=clang
case ${CC:-gcc} in *clang*) other=gcc ;; esac
command -v $other >/dev/null || { echo "no $other here"; exit 77; }

# Shared with the determinism test, hence the lock.
mkdir -p "$BUILD/other"
flock "$BUILD/other/lock" \
    make -s BUILD="$BUILD/other" CC=$other objects || exit 1
count=$(find "$BUILD/other/obj" -name '*.o' | wc -l)
echo "$count objects with $other"
[ "$count" -gt 0 ]
