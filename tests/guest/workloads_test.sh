#!/bin/sh
# workloads_test.sh - the programs of guest/work/pthread print the same line in
# the guest, under --user and under qemu-ppc, and their planted cause rules: the
# shares of docs/workloads.md hold.
# timeout: 300
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
simprof=$BUILD/simprof
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
programs=$(ls guest/work/pthread/*.c | sed 's,.*/,,; s,\.c$,,')
[ "$(echo "$programs" | wc -l)" -ge 14 ] || fail "programs are missing"

# Small sizes everywhere, by the same file.
for p in $programs; do
    file=$BUILD/workloads/$p
    grep -q "^/\* $p.c - cause: " "guest/work/pthread/$p.c" ||
        fail "$p: its first line does not tell its cause"
    grep -q "^[|-] *\`$p\`" docs/workloads.md || fail "$p is not in the document"
    timeout $((60 * ${TIMES:-1})) qemu-ppc "$file" 7 3 >"$dir/want" ||
        fail "$p: qemu-ppc: status $?"
    grep -q "^$p: [0-9]" "$dir/want" || fail "$p prints no result"
    for cpus in 1 4; do
        "$simrun" -q --mode=fast --cpus=$cpus --user "$file" 7 3 >"$out" 2>&1 ||
            fail "$p: --user, $cpus CPUs: status $?"
        cmp "$dir/want" "$out" || fail "$p: --user, $cpus CPUs: $(cat "$out")"
        timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=$cpus \
            "$guest" --program "$file" -- 7 3 >"$dir/console" </dev/null ||
            fail "$p: guest, $cpus CPUs: status $?"
        # Calls for priorities, where there are none, are named.
        grep -v '^process .* is not there$' "$dir/console" >"$out"
        cmp "$dir/want" "$out" || fail "$p: guest, $cpus CPUs: $(cat "$out")"
    done
    "$BUILD/simrun" -q --user "$file" 7 65 >"$out" 2>&1
    is "$p: status of too many threads" $? 2
done

# idle PROGRAM OPTIONS [ARGUMENT...]: stacks of naps to $dir/naps, their number
# to $naps, that of all samples to $all.
idle() {
    file=$BUILD/workloads/$1
    options=$2
    shift 2
    rm -rf "$dir/idle.exp"
    "$simrun" -q --mode=fast $options -e cycles:1000 \
        --pmu-trace="$dir/idle.exp" --user "$file" "$@" >/dev/null ||
        fail "$file: status $?"
    "$simprof" export --format=csv "$dir/idle.exp" >"$dir/csv" || fail "no export"
    all=$(tail -n +2 "$dir/csv" | wc -l)
    awk -F, 'NR > 1 && $12 == "<napping>" { print $13 }' "$dir/csv" >"$dir/naps"
    naps=$(wc -l <"$dir/naps")
}
rows=0
while IFS='|' read -r none program cause end behind least of rest; do
    program=$(echo "$program" | tr -d '` ')
    behind=$(echo "$behind" | tr -d '` ')
    idle "$program" ""
    there=$(grep -cE ";$behind" "$dir/naps")
    [ $((naps * 100)) -ge $((all * least)) ] ||
        fail "$program: $naps of $all samples are naps"
    [ $((there * 100)) -ge $((naps * of)) ] ||
        fail "$program: $there of $naps naps are behind $behind"
    rows=$((rows + 1))
done <<T
$(sed -n '/^## What stands/q; /^| `.*| *[0-9]* | *[0-9]* |$/p' docs/workloads.md)
T
[ $rows -ge 11 ] || fail "$rows rows in the table"

# The inversion, and the same with a lock that lends its holder the priority.
idle priority_inversion --cpus=2
there=$(grep -c ';urgent_update' "$dir/naps")
[ $((naps * 100)) -ge $((all * 40)) ] && [ $((there * 100)) -ge $((naps * 85)) ] ||
    fail "inversion: $there of $naps naps, $all samples"
idle priority_inversion --cpus=2 20 3 1
there=$(grep -c ';urgent_update' "$dir/naps")
[ $((there * 10)) -lt "$naps" ] || fail "inheritance: $there of $naps naps"

idle false_sharing ""
[ $((naps * 20)) -lt "$all" ] || fail "false_sharing: $naps of $all are naps"
for extra in 0 1; do
    "$simrun" -q --mode=detailed --pmu-trace="$dir/$extra.exp" --user \
        "$BUILD/workloads/false_sharing" 20 4 $extra >/dev/null ||
        fail "false_sharing: $?"
done
cycles() {
    sed -n 's/^end //p' "$dir/$1.exp/log"
}
[ "$(cycles 0)" -gt $((2 * $(cycles 1))) ] ||
    fail "false_sharing: $(cycles 0) cycles, $(cycles 1) with lines apart"
exit 0
