#!/bin/sh
# tcg_all.sh - the programs with which QEMU's authors try their user mode
# (conversions, fused arithmetic, threads, mappings, signals) print, and end,
# as they do under it.
# timeout: 1200
. "$(dirname "$0")/../user/real.sh"

real_unpack qemu 1:7.2+dfsg-7+deb12u18 qemu_7.2+dfsg.orig.tar.xz \
    91aca71520040edc40b8d437aa3004dae614f58e286cf653ee8996c07af2962f
from=$TMPDIR/src/tests/tcg/multiarch
export FLAGS="--root /" # some write to /tmp

build() { # NAME [FILE]
    powerpc-linux-gnu-gcc -w -O2 -static -fno-strict-aliasing -pthread \
        -I"$from" -I"$from/libs" -o "$TMPDIR/$1" "$from/${2:-$1}.c" \
        "$from/libs/float_helpers.c" -lm -lrt || exit 1
}
for name in float_convd float_convs float_madds munmap-pthread overflow sha1 \
    sha512 sigbus threadcount linux/linux-madvise; do
    build "$(basename $name)" $name
    same "$TMPDIR/$(basename $name)"
done
# What these print depends on where the host puts a mapping, and on time.
for name in test-mmap signals testthread; do
    build $name
    for mode in fast detailed; do
        "$BUILD/simrun" -q --root / --mode=$mode --user "$TMPDIR/$name" \
            >"$TMPDIR/out" 2>&1 && continue
        echo "$name in $mode mode:"
        tail -n 5 "$TMPDIR/out"
        bad=1
    done
done
exit $bad
