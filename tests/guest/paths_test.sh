#!/bin/sh
# paths_test.sh - more different stacks than the kernel's tree of 4,096 nodes has room
# for: samples are counted at a caller, the guest says how many, its checks pass, and
# the records have every stack whole.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -o "$dir/paths" tests/guest/prog/paths.c ||
    fail "paths.c does not compile"

# walk PATHS: $out has what was printed, $dir/stacks a line a record: depth, addresses
walk() {
    line="sampler=both trigger=time:20000"
    rm -rf "$dir/e.exp"
    status=0
    "$simrun" -q --mode=fast --cpus=2 --append "$line" -f --pmu-trace="$dir/e.exp" \
        --program "$dir/paths" "$guest" -- "$1" </dev/null >"$out" 2>"$dir/err" || status=$?
    is "status" "$status $(cat "$dir/err")" "0 "
    is "result" "$(head -n 1 "$out")" "steps $(($1 * 17))"
    records "$dir/e.exp/idle.rec" | awk '{ print $NF }' >"$dir/outermost"
    is "records" "$(wc -l <"$dir/outermost")" \
        "$(records "$dir/e.exp/stat.rec" | awk '$5 == 4 || $5 == 5 { n += $7 } END { print n }')"
    # Every stack goes to the beginning of the program.
    is "outermost callers" "$(sort -u "$dir/outermost" | wc -l)" 1
}
walk 100
is "lines" "$(wc -l <"$out")" 1
walk 1200
cut=$(sed -n 's/^samples: \([0-9]*\) counted at a caller, .* 4096 nodes .*/\1/p' "$out")
above "samples that were cut" "${cut:-0}" 500
stacks=$(records "$dir/e.exp/idle.rec" | cut -d' ' -f9- | sort -u | wc -l)
above "different stacks in the records" "$stacks" 900
exit 0
