#!/bin/sh
# together_test.sh - one run, one experiment, every report (ANA-97): idle
# transitions, counters, active time, a time tree, marks and the truth of them
# all, which tell of the same cycles. Active time and the context registers
# differ by exactly what lies between a switch's two stores to the trace port.
set -u
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

# Of the log of the pipeline and of accesses a line for each thread that was
# named (include/board.h): CPU, the cycle at which the store to TRACE_RECORD before
# it issued, which its record has, and the cycle by which everything in front
# of the store to TRACE_CONTEXT had completed, up to which the old thread is
# charged.
named() {
    awk '$5 == "pipe" {
            before[$1] = done[$1]
            done[$1] = $3
            for (i = 7; $i != "issue"; i++)
                ;
            issue[$1] = $(i + 1)
        }
        $7 ~ /^fe0020[048c]0$/ { recorded[$1] = issue[$1] }
        $7 ~ /^fe0020[048c]4$/ { print $1, recorded[$1], before[$1] }'
}
# In a small cache of instructions the two stores are not always as far apart.
"$BUILD/simrun" -q --set icache_kb=8 -e cycles:5000 --probe=journal_write --probe=sched \
    --mark func:journal_write=count --pmu-trace=x.exp --log=pipe,mem \
    --append="work=txn n=4" "$BUILD/guest.elf" 2>&1 >/dev/null | named >named
grep -q '^exit 0 ' x.exp/log || { echo "simrun failed"; exit 1; }
show() { "$BUILD/simprof" "$@" 2>err || { complain "$*: status $?"; cat err; }; }
end=$(awk '$1 == "end" { print $2 }' x.exp/log)

show idle x.exp >idle
show functions --csv --limit=0 x.exp >functions
show active --function=journal_write --csv x.exp >active
show active --function=sched --csv x.exp >scheds
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
[ "$entered" = 32 ] && [ "$(grep -c ,journal_write, active)" = 32 ] ||
    complain "32 transactions, $entered entries by marks, others by probes"
# Active time is what the account has for the function and what it called. A
# switch is recorded by one store and takes effect with another, so a call's
# residual is how much later the second was where its thread came in, less how
# much later where it left; to the cycle. A switch's record: header of 4 words,
# pids of both, who left.
od -An -v -tu4 -j32 -w40 x.exp/switch.rec |
    awk '{ print int($1 / 16777216), $3 + $4 * 4294967296, $2, $7 }' >switches
awk -F'[ ,]' '
    FILENAME == "named" { late[$1, $2] = $3 - $2; next }
    FILENAME == "switches" && !(($1, $2) in late) {
        print "CPU " $1 ", cycle " $2 ": no thread is named behind the record"
        bad = 1
        next
    }
    FILENAME == "switches" {
        n++
        at[n] = $2
        came[n] = $3
        left[n] = $4
        by[n] = late[$1, $2]
        next
    }
    FNR == 1 { next }
    {
        rule = 0
        for (i = 1; i <= n; i++)
            if (at[i] >= $1 && at[i] < $2)
                rule += ((came[i] == $8) - (left[i] == $8)) * by[i]
        if ($13 != rule) {
            print $9 ", thread " $8 " from " $1 " to " $2 ": residual " $13 \
                ", its switches say " rule
            bad = 1
        }
        odd += rule != 0
        calls++
    }
    END {
        if (!odd) {
            print "of " calls " calls none has switches unlike each other"
            bad = 1
        }
        exit bad
    }' named switches active scheds || complain "active time leaves residuals"
for kind in cycles idle marks active; do
    grep -qi "$kind" truth || complain "truth does not know $kind"
done
exit $bad
