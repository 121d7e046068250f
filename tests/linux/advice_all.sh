#!/bin/sh
# advice_all.sh - tests/user/advice_all.sh inside Debian's Linux, once make linux has built it: a
# program of threads that nobody here wrote, lbzip2, on four processors. advise tries its
# functions by name, and what is predicted of them is measured; a constant of the source
# makes one of them take less, and what that brings by hand is what predict says of the
# unchanged run for the factor by which the function's cycles went down, and what simrun
# --what-if 'func:lbzip2:...' measures.
# timeout: 1800
. "$(dirname "$0")/../user/real.sh"
. tests/linux/built.sh

for name in lbzip2 half; do
    mkdir -p "$TMPDIR/$name/bin"
    real_lbzip2 "$TMPDIR/$name/bin/lbzip2" $name
    real_text 10000 >"$TMPDIR/$name/text"
    touch -d @0 "$TMPDIR/$name/bin/lbzip2" "$TMPDIR/$name/text"
    printf 'file /bin/lbzip2 %s 0755 0 0\nfile /text %s 0644 0 0\n' \
        "$TMPDIR/$name/bin/lbzip2" "$TMPDIR/$name/text" >"$TMPDIR/files"
    "$linux/kernel/usr/gen_init_cpio" -t 0 "$TMPDIR/files" >"$TMPDIR/more.cpio"
    cat "$linux/initrd.cpio" "$TMPDIR/more.cpio" >"$TMPDIR/$name.cpio"
done

# go NAME OPTION...: the run's cycles
go() {
    name=$1
    shift
    status=0
    "$BUILD/simrun" -q --mode=fast --cpus=4 --max-cycles=100000000000 --summary=json \
        --sysroot "$TMPDIR/$name" --initrd "$TMPDIR/$name.cpio" \
        --append 'console=ttyS0 quiet run="/bin/lbzip2 -n 4 -1 -k -f /text; exit 3"' "$@" \
        "$linux/vmlinux" >"$TMPDIR/out" 2>&1 </dev/null || status=$?
    [ $status -eq 3 ] || { echo "$name $*: status $status"; cat "$TMPDIR/out"; exit 1; }
    sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$TMPDIR/out" | head -n 1
}
inside() {
    "$simprof" functions --csv --limit=0 "$TMPDIR/$1.exp" |
        awk -F, '$NF == "generate_prefix_code" { print $4 }'
}
for name in lbzip2 half; do
    rm -rf "$TMPDIR/$name.exp"
    go $name --switch-stacks -e cycles:10000 --pmu-trace="$TMPDIR/$name.exp" >"$TMPDIR/cycles" || exit 1
done
all=$(go lbzip2) short=$(go half)
k=$(awk -v a="$(inside half)" -v b="$(inside lbzip2)" 'BEGIN { printf "%.4f", a / b }')
change=func:lbzip2:generate_prefix_code+=x$k
predicted=$("$simprof" predict --csv "$TMPDIR/lbzip2.exp" --what-if "$change" | sed -n '$s/,.*//p')
measured=$(go lbzip2 --what-if "$change")
awk -v all="$all" -v short="$short" -v p="$predicted" -v m="$measured" -v k="$k" 'BEGIN {
    hand = all - short
    printf "generate_prefix_code takes %s of what it took: by hand %.1f%%, predicted %.1f%%, what-if %.1f%%\n",
        k, 100 * hand / all, 100 * (all - p) / all, 100 * (all - m) / all
    exit hand < all / 20 || (all - p - hand) ^ 2 > (hand / 10) ^ 2 || (all - m - hand) ^ 2 > (hand / 10) ^ 2
}' || { echo "they differ"; exit 1; }

"$simprof" advise "$TMPDIR/lbzip2.exp" --limit=4 --pairs=3 --budget=600 \
    --with="--initrd=$TMPDIR/lbzip2.cpio --sysroot=$TMPDIR/lbzip2" >"$TMPDIR/advice" || exit 1
cat "$TMPDIR/advice"
tr '\n' ' ' <"$TMPDIR/advice" | grep -q '  The cause: runs [^.]*\.[a-z]*:[0-9]*)\. With func:lbzip2:' ||
    { echo "no cause"; exit 1; }
awk '/func:lbzip2:/ {
    gsub(/[~<%]/, "")
    tried++
    off += $1 - $2 > 1 + $2 / 10 || $2 - $1 > 1 + $2 / 10
}
END { exit tried < 3 || off }' "$TMPDIR/advice" || { echo "predicted is not measured"; exit 1; }
exit 0
