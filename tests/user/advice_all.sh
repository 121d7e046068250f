#!/bin/sh
# advice_all.sh - a program of threads that nobody here wrote, lbzip2, and what simprof says of it,
# followed by hand: advise names a function, which the source has a constant for, so that it
# can do half of its work. What that brings is what predict said from the recording of the
# unchanged program, for the factor by which the function's cycles went down, and what simrun
# --what-if measures; the blocks are packed and unpacked as before.
# timeout: 1200
. "$(dirname "$0")/real.sh"

simrun=$BUILD/simrun simprof=$BUILD/simprof
arguments="-n 4 -1 -k -f text"
real_lbzip2 "$TMPDIR/lbzip2"
real_lbzip2 "$TMPDIR/half" half
cd "$TMPDIR" || exit 1
real_text 10000 >text

# record NAME: the run's cycles, and the function's with its callees
record() {
    rm -rf "$1.exp" text.bz2
    "$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:10000 --pmu-trace="$1.exp" \
        --user "./$1" $arguments || exit 1
    qemu-ppc ./lbzip2 -d -c text.bz2 | cmp - text || { echo "$1: other bytes"; exit 1; }
    cycles=$("$simprof" predict --csv "$1.exp" | sed -n '2s/,.*//p')
    inside=$("$simprof" functions --csv --limit=0 "$1.exp" |
        awk -F, '$NF == "generate_prefix_code" { print $4 }')
    echo "$1: $cycles cycles, $inside of them in generate_prefix_code"
}
record half
short=$cycles part=$inside
record lbzip2
"$simprof" advise lbzip2.exp --limit=6 --pairs=3 --budget=600 >advice || exit 1
cat advice
grep -q '^ *[0-9.]*% *[0-9.]*% .*func:generate_prefix_code+=x0.5' advice ||
    { echo "advise does not try generate_prefix_code"; exit 1; }
k=$(awk -v a="$part" -v b="$inside" 'BEGIN { printf "%.4f", a / b }')
change=func:generate_prefix_code+=x$k
predicted=$("$simprof" predict --csv lbzip2.exp --what-if "$change" | sed -n '3s/,.*//p')
measured=$("$simrun" -q --mode=fast --cpus=4 --summary=json --what-if "$change" --user ./lbzip2 \
    $arguments 2>&1 | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p')
awk -v all="$cycles" -v short="$short" -v p="$predicted" -v m="$measured" -v k="$k" 'BEGIN {
    hand = all - short
    printf "generate_prefix_code takes %s of what it took: by hand %.1f%%, predicted %.1f%%, %s %.1f%%\n",
        k, 100 * hand / all, 100 * (all - p) / all, "what-if", 100 * (all - m) / all
    exit hand < all / 20 || (all - p - hand) ^ 2 > (hand / 10) ^ 2 || (all - m - hand) ^ 2 > (hand / 10) ^ 2
}' || { echo "they differ"; exit 1; }
exit 0
