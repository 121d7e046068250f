#!/bin/sh
# gzip_all.sh - gzip packs and unpacks as it does under qemu-ppc.
# timeout: 1200
. "$(dirname "$0")/real.sh"

real_unpack gzip 1.12-1 gzip_1.12.orig.tar.xz \
    ce5e03e519f637e1f814011ace35c4f87b33c0bbabeec35baf5fbd3479e91956
real_build ./configure --host=powerpc-linux-gnu LDFLAGS=-static
real_build make -j2 MAKEINFO=true
gzip=$TMPDIR/src/gzip
real_text 20000 >"$TMPDIR/text"

INPUT=$TMPDIR/text same "$gzip" -9 -n -c
"$gzip" --version >/dev/null 2>&1 || qemu-ppc "$gzip" -n -c <"$TMPDIR/text" \
    >"$TMPDIR/packed"
INPUT=$TMPDIR/packed same "$gzip" -d -c
# names, times and permissions of files, not only streams
export SETUP="cp $TMPDIR/text text; touch -d @1000000 text; chmod 640 text"
MODES=fast same "$gzip" -v -1 text
MODES=fast same "$gzip" -l -v text.gz
exit $bad
