#!/bin/sh
# lame_all.sh - the lame encoder, floating point from end to end, turns the
# same sound into the same bytes as under qemu-ppc.
# timeout: 1800
. "$(dirname "$0")/real.sh"

real_lame
lame=$TMPDIR/src/frontend/lame

real_sound >"$TMPDIR/sound"
INPUT=$TMPDIR/sound same "$lame" --quiet -r -s 22.05 -m m --bitwidth 16 \
    -b 64 --nohist - -
exit $bad
