#!/bin/sh
# guest_test.sh - active time and the time tree on a run of the guest: the
# context registers agree to the cycle about a function that calls nothing,
# the oracle but for interrupts in it, whatever its probes cost (ACT-05,
# ACT-46); a tree's answers are within what they promise, from few samples
# (TREE-04, TREE-33, TREE-45 to TREE-47). timeout: 120
set -u
exp=$TMPDIR/1.exp
bad=0
fail() {
    echo "$*"
    bad=1
}

"$BUILD/simrun" -e cycles:1000 --probe=txn_stage_lookup \
    --set=probe_cycles=40 --cpus=4 --append=work=txn --pmu-trace="$exp" \
    "$BUILD/guest.elf" >"$TMPDIR/console" 2>&1 || {
    tail -n 5 "$TMPDIR/console"
    exit 1
}
simprof() {
    "$BUILD/simprof" "$@" "$exp" 2>"$TMPDIR/err" || {
        echo "simprof $*: $(cat "$TMPDIR/err")" >&2
        return 1
    }
}

simprof active --function=txn_stage_lookup --width=400 --limit=5 \
    >"$TMPDIR/active" || bad=1
# What the oracle has less is interrupts that met the function, some 900 cycles
# each: a period of 50,000 cycles goes sixty times into its 3 million.
simprof interrupts --csv --limit=0 >"$TMPDIR/interrupts" || bad=1
met=$(awk -F, '$NF == "txn_stage_lookup" { print $1 }' "$TMPDIR/interrupts")
[ "${met:-0}" -ge 30 ] && [ "$met" -le 120 ] || fail "${met:-no} interrupts met it"
less=$(sed -n 's/.*in it 32,000: residual +\([0-9,]*\) cycles.*/\1/p' \
    "$TMPDIR/active" | tr -d ,)
grep -q 'are [0-9,]*: residual +0 cycles (0.0%). 800 of the calls agree' \
    "$TMPDIR/active" &&
    [ "${less:-0}" -ge $((${met:-0} * 500)) ] &&
    [ "$less" -le $((met * 1200)) ] || {
    fail "the oracle does not agree:"
    tail -n 3 "$TMPDIR/active"
}

# One leaf holds everything: exact. Then a tree of the usual kind.
whole="--from=2000000 --to=9000000"
simprof tree build --m=100000000 >/dev/null || bad=1
simprof tree query --csv $whole >"$TMPDIR/exact" || bad=1
simprof tree build >/dev/null || bad=1
simprof tree query --csv $whole >"$TMPDIR/query" || bad=1
awk -F, '
    FNR == 1 { next }
    NR == FNR { exact[$5] = $1; next }
    $5 == "<Other>" { other = $1; next }
    { rows++; got[$5] = $1; sum += $5 == "<Total>" ? 0 : $1 }
    END {
        for (f in got) {
            if (got[f] > exact[f]) { print f ": too large"; bad = 1 }
            if (exact[f] - got[f] > other && f != "<Total>") {
                print f ": too small"; bad = 1
            }
        }
        if (got["<Total>"] != exact["<Total>"]) { print "totals differ"; bad = 1 }
        if (sum + other != got["<Total>"]) { print "rows do not add up"; bad = 1 }
        if (rows < 20 || !other) { print rows " rows, other " other; bad = 1 }
        exit bad
    }' "$TMPDIR/exact" "$TMPDIR/query" || fail "a query of the tree is wrong"
simprof tree query -v --width=400 $whole >"$TMPDIR/text" || bad=1
sed -n 's/^Samples read one by one: \([0-9,]*\) of \([0-9,]*\) .*/\1 \2/p' \
    "$TMPDIR/text" | tr -d , >"$TMPDIR/read"
awk '{ exit !(NF == 2 && $1 > 0 && $1 * 100 < $2) }' "$TMPDIR/read" ||
    fail "samples read, of all: $(cat "$TMPDIR/read")"

# The whole run takes no sample; all ways to show it have the same total.
simprof tree query -v --width=400 >"$TMPDIR/text" || bad=1
grep -q '^Samples read one by one: 0 of ' "$TMPDIR/text" || fail "some were read"
total=$(simprof tree query --csv | awk -F, '$5 == "<Total>" { print $1 }')
stacks=$(simprof tree query --csv --show=stacks |
    awk -F, 'NR > 1 { n += $1 } END { print n }')
calls=$(simprof tree query --csv --show=calltree |
    awk -F, 'NR > 1 { n += $3 } END { print n }')
[ "$total" = "$stacks" ] && [ "$total" = "$calls" ] ||
    fail "totals: $total functions, $stacks stacks, $calls calls"

# What callers attribute, and what a function has itself and of its callees,
# are both its inclusive samples.
simprof tree query --csv --function=sched >"$TMPDIR/sched" || bad=1
simprof tree query --csv >"$TMPDIR/query" || bad=1
inclusive=$(awk -F, '$5 == "sched" { print $3 }' "$TMPDIR/query")
own=$(awk -F, '$5 == "sched" { print $1 }' "$TMPDIR/query")
awk -F, -v inclusive="$inclusive" -v own="$own" '
    $3 == "caller" { callers += $1; rows++ }
    $3 == "callee" { callees += $1; rows++ }
    $3 == "inclusive" { all = $1 }
    $3 == "exclusive" { self = $1 }
    END { exit !(rows > 3 && all == inclusive && self == own &&
                 callers == all && self + callees == all) }' \
    "$TMPDIR/sched" || {
    fail "callers and callees of sched, $inclusive inclusive, $own its own:"
    cat "$TMPDIR/sched"
}

# Samples that the tree is not of: every record is read, and that is said.
simprof tree query --csv --thread=10 --show=stacks >"$TMPDIR/scan" || bad=1
grep -q 'timetree: there is none of cycles, thread 10; every record was read' "$TMPDIR/err" ||
    fail "a scan is not named"

# Threads one by one, and idle transitions.
simprof tree build --thread=10 >"$TMPDIR/text" || bad=1
grep -q 'samples of cycles, thread 10' "$TMPDIR/text" || fail "no thread 10"
simprof tree query --csv --show=stacks --thread=10 | grep -q txn_worker ||
    fail "thread 10 is no worker"
simprof tree query --csv --show=stacks --thread=10 --to=999999999 >"$TMPDIR/x"
[ ! -s "$TMPDIR/err" ] || fail "a tree of thread 10 is not used for it"
awk -F, 'NR > 1 { n[FILENAME] += $1 }
    END { exit n[ARGV[1]] != n[ARGV[2]] || !n[ARGV[1]] }' \
    "$TMPDIR/x" "$TMPDIR/scan" || fail "thread 10: scan and tree differ"
# Each tree has the samples of its thread, CPU or filter, those and no others.
simprof export --format=csv >"$TMPDIR/all"
has() { # AWK, OPTION: as many samples as rows of the export that AWK holds for
    want=$(awk -F, "\$6 == \"cycles\" && $1 { n++ } END { print n + 0 }" \
        "$TMPDIR/all")
    simprof tree build "$2" >"$TMPDIR/text" || bad=1
    got=$(simprof tree query --csv "$2" | sed -n 2p | cut -d, -f1)
    grep -q timetree "$TMPDIR/err" && fail "$2: the tree is not used"
    [ "$want" -gt 10 ] && [ "$got" = "$want" ] ||
        fail "$2: $got samples in the tree, $want in the records"
}
has '$4 == 10' --thread=10
has '$4 == 12' --thread=12
has '$2 == 1' --cpu=1
has '$7 > 1000' '--filters=events > 1000'
simprof tree build --event=to-idle >"$TMPDIR/text" || bad=1
simprof tree query --csv --event=to-idle | grep -q mutex_lock || fail "nobody waited idly"

# What functions and calltree say is the same from the tree as from the records.
rm "$exp"/timetree.*
for report in functions callers-callees "calltree --csv" overview; do
    simprof $report $whole >"$TMPDIR/was" || bad=1
    simprof tree build >/dev/null || bad=1
    simprof $report -v $whole >"$TMPDIR/is" || bad=1
    grep -q "timetree.cycles: .* samples were read" "$TMPDIR/err" ||
        fail "$report does not use the tree"
    cmp "$TMPDIR/was" "$TMPDIR/is" || fail "$report: another tale from a tree"
    rm "$exp"/timetree.*
done

# And what idle says: of everything, and where the interval cuts idle periods.
for report in "" "$whole" "--from=3000001 --to=3500000 --csv --table=cpus" \
    "--to=5000000 --csv --table=tree --per-cpu"; do
    simprof idle --no-intervals $report >"$TMPDIR/was" || bad=1
    simprof tree build --event=idle >/dev/null || bad=1
    simprof idle -v --no-intervals $report >"$TMPDIR/is" || bad=1
    grep -q "timetree.idle: .* samples and idle times were read" "$TMPDIR/err" ||
        fail "idle does not use the tree"
    grep -Eq "note: (idle|switch).rec" "$TMPDIR/err" && fail "idle reads records"
    cmp "$TMPDIR/was" "$TMPDIR/is" || fail "idle $report: another tale from a tree"
    rm "$exp"/timetree.*
done

# Two builds make the same bits; a damaged tree is refused.
simprof tree build >/dev/null && cp "$exp/timetree.cycles" "$TMPDIR/one"
simprof tree build >/dev/null
cmp "$exp/timetree.cycles" "$TMPDIR/one" || bad=1
size=$(wc -c <"$TMPDIR/one")
for at in 9 100 400 $((size / 3)) $((size - 9)); do
    head -c "$at" "$TMPDIR/one" >"$exp/timetree.cycles"
    "$BUILD/simprof" tree query "$exp" >/dev/null 2>"$TMPDIR/err"
    status=$?
    [ $status -eq 125 ] && grep -q 'damaged' "$TMPDIR/err" ||
        fail "cut at $at: status $status: $(cat "$TMPDIR/err")"
done
rm "$exp/timetree.cycles"
"$BUILD/simprof" tree query "$exp" >/dev/null 2>"$TMPDIR/err"
grep -q "has no time tree of .*, make it with simprof tree build $exp\$" \
    "$TMPDIR/err" || fail "a missing tree is not named"

# One that cannot be kept is no report, and no wrong usage either.
(trap "" XFSZ && ulimit -f 4 && exec "$BUILD/simprof" tree build "$exp") \
    >/dev/null 2>"$TMPDIR/err"
status=$?
[ $status -eq 125 ] && grep -q 'the tree is not kept' "$TMPDIR/err" &&
    [ ! -e "$exp/timetree.cycles" ] ||
    fail "no room for the tree: status $status: $(cat "$TMPDIR/err")"
exit $bad
