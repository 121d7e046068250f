#!/bin/sh
# bzip2_all.sh - bzip2 packs and unpacks as it does under qemu-ppc.
# timeout: 1200
. "$(dirname "$0")/real.sh"

real_bzip2
bzip2=$TMPDIR/src/bzip2
real_text 8000 >"$TMPDIR/text"

INPUT=$TMPDIR/text same "$bzip2" -9 -c
qemu-ppc "$bzip2" -c <"$TMPDIR/text" >"$TMPDIR/packed"
INPUT=$TMPDIR/packed same "$bzip2" -d -c
for n in 1 2 3; do # what its own authors packed
    INPUT=$TMPDIR/src/sample$n.bz2 same "$bzip2" -d -c
done
export SETUP="cp $TMPDIR/text text; chmod 600 text"
MODES=fast same "$bzip2" -v -k text
head -c 1000 "$TMPDIR/packed" >"$TMPDIR/broken"
INPUT=$TMPDIR/broken same "$bzip2" -t
exit $bad
