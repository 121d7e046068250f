#!/bin/sh
# reproducible_test.sh - guest.elf has the same bits when it is built from
# another directory, into another place, by parallel jobs.
# timeout: 240
set -eu
dir=$(mktemp -d)
elsewhere=$dir/elsewhere/deeper/simrun
mkdir -p "$elsewhere"
cp -r Makefile guest include lib pmu isa sim tests tools "$elsewhere"
(cd "$elsewhere" && make -s -j2 BUILD="$dir/out" "$dir/out/guest.elf")
cmp "$BUILD/guest.elf" "$dir/out/guest.elf"
for path in "$dir" "$PWD"; do
    if grep -qF "$path/" "$BUILD/guest.elf"; then
        echo "guest.elf contains $path"
        exit 1
    fi
done
