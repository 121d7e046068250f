#!/bin/sh
# lame_all.sh - the lame encoder, floating point from end to end, turns the
# same sound into the same bytes as under qemu-ppc.
# timeout: 1800
. "$(dirname "$0")/real.sh"

real_unpack lame 3.100-6 lame_3.100.orig.tar.gz \
    ddfe36cab873794038ae2c1210557ad34857a4b6bdc515785d1da9e175b1da1e
powerpc-linux-gnu-gcc -O2 -fno-builtin -c -o "$TMPDIR/libm.o" \
    tests/user/prog/libm.c || exit 1
real_build ./configure --host=powerpc-linux-gnu --disable-shared \
    --disable-gtktest --disable-decoder LDFLAGS=-static
real_build make -j2 LDFLAGS=-all-static LIBS="$TMPDIR/libm.o -lm"
lame=$TMPDIR/src/frontend/lame

# A second of three tones, 16 bits, 22050 a second, no header.
awk 'BEGIN {
    for (i = 0; i < 22050; i++) {
        v = 9000 * sin(i * 0.0627) + 6000 * sin(i * 0.19) + \
            4000 * sin(i * i * 0.000007)
        v = int(v)
        if (v < 0) v += 65536
        printf "\\%03o\\%03o", v % 256, int(v / 256)
        if (i % 64 == 63) printf "\n"
    }
    printf "\n"
}' | while read -r line; do printf "$line"; done >"$TMPDIR/sound"
INPUT=$TMPDIR/sound same "$lame" --quiet -r -s 22.05 -m m --bitwidth 16 \
    -b 64 --nohist - -
exit $bad
