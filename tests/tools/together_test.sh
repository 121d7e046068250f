#!/bin/sh
# together_test.sh - one run, one experiment, every report (ANA-97): idle
# transitions, counters, active time, a time tree, marks and the truth of them
# all, which tell of the same cycles.
set -u
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

"$BUILD/simrun" -q -e cycles:5000 --probe=journal_write \
    --mark func:journal_write=count --pmu-trace=x.exp \
    --append="work=txn n=20" "$BUILD/guest.elf" >/dev/null || exit 1
show() { "$BUILD/simprof" "$@" 2>err || { complain "$*: status $?"; cat err; }; }
end=$(awk '$1 == "end" { print $2 }' x.exp/log)

show idle x.exp >idle
show functions --csv --limit=0 x.exp >functions
show active --function=journal_write --csv x.exp >active
show tree build x.exp >build
show tree query --csv --limit=0 x.exp >tree
show marks --csv --limit=0 x.exp >marks
show truth x.exp >truth
grep -q 'mutex_lock <' idle || complain "idle: no wait for the lock"
[ "$(awk -F, '/<Total>/ { print $1 }' functions)" = $((end * 4)) ] ||
    complain "functions: not the cycles of 4 CPUs to $end"
# The same samples in the list and in the tree; the same calls by probes and
# by marks, each transaction's.
samples=$("$BUILD/simprof" export --format=csv x.exp | grep -c ",cycles,")
[ "$(awk -F, '/<Total>/ { print $1 }' tree)" = "$samples" ] ||
    complain "the tree has not the $samples samples"
entered=$(awk -F, '$7 == "journal_write" { print $3 }' marks)
[ "$entered" = 160 ] && [ "$(grep -c ,journal_write, active)" = 160 ] ||
    complain "160 transactions, $entered entries by marks, others by probes"
# Active time is what the account has for the function and what it called, but
# for a cycle or two at a switch: its record is stamped by a store, and the
# context register is written by an instruction of its own.
awk -F, 'NR > 1 { bad += $13 < -2 || $13 > 2; odd += $13 != 0 }
    END { exit bad > 0 || odd * 50 > NR }' active ||
    complain "active time leaves residuals"
for kind in cycles idle marks active; do
    grep -qi "$kind" truth || complain "truth does not know $kind"
done
exit $bad
