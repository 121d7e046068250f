#!/bin/sh
# damage_test.sh - predict, causes and causes --methods of a recording whose states, wake-ups,
# stacks and samples are damaged in a hundred ways end with an answer or a line, never by
# a signal.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
tests/causes/generate 4 >"$dir/p.c" &&
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/p" "$dir/p.c" 2>"$dir/err" ||
    fail "$(cat "$dir/err")"
"$simrun" -q --mode=fast --switch-stacks -e cycles:1000 --pmu-trace="$dir/x.exp" \
    --user "$dir/p" >"$out" 2>"$dir/err" || fail "$(cat "$dir/err")"
function=$(sed -n 's/^ \* root: runs //p' "$dir/p.c")

# damage SEED: some bytes of each file become others
damage() {
    rm -rf "$dir/d.exp"
    cp -r "$dir/x.exp" "$dir/d.exp"
    for file in state wake frame profile switch; do
        perl -e '
            my ($name, $seed) = @ARGV;
            open my $f, "+<:raw", $name or die "$name: $!\n";
            my $size = -s $f;
            my $x = $seed * 2654435761 % 4294967296;
            for (1 .. (0, 1, 5, 40)[$seed % 4]) {
                $x = ($x * 1664525 + 1013904223) % 4294967296;
                seek $f, 32 + ($x >> 8) % ($size - 32), 0;
                print $f chr($x >> 20 & 255);
            }' "$dir/d.exp/$file.rec" $(($1 * 5 + ${#file}))
    done
}
for seed in $(seq 1 100); do
    damage $seed
    for words in "predict --what-if func:$function+=x0.5 --what-if cpus=+1" causes \
        "causes --methods"; do
        status=0
        timeout 60 "$BUILD/simprof" $words "$dir/d.exp" >"$out" 2>&1 || status=$?
        [ $status -lt 124 ] || { [ $status -eq 125 ] && grep -q '^simprof: --what-if: ' "$out"; } || fail "seed $seed: simprof $words: status $status"
    done
done
exit 0
