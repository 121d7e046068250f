#!/bin/sh
# tests2_all.sh - the hundred small C programs that come with the Tiny C
# Compiler print, and end, as they do under qemu-ppc.
# timeout: 1200
. "$(dirname "$0")/real.sh"

real_unpack tcc 0.9.27+git20200814.62c30a4a-1 \
    tcc_0.9.27+git20200814.62c30a4a.orig.tar.bz2 \
    d63c113bcdd657f51c8ee197a0b0a24203603313e19a52b5f678d40ab7f5df35
count=0
mkdir "$TMPDIR/work"
cd "$TMPDIR/src/tests2" || exit 1
for source in *.c; do # some are for that compiler alone
    program=$TMPDIR/work/${source%.c}
    powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$program" "$source" -lm \
        2>/dev/null || continue
    MODES=fast same "$program"
    count=$((count + 1))
    rm -f "$program"
done
echo "$count programs"
[ $count -gt 90 ] || { echo "fewer programs than expected"; bad=1; }
exit $bad
