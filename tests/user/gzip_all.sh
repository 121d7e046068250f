#!/bin/sh
# gzip_all.sh - gzip packs and unpacks as it does under qemu-ppc.
# timeout: 1200
. "$(dirname "$0")/real.sh"

real_gzip
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
