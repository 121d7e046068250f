#!/bin/sh
# real_test.sh - simprof on experiments of the real simulator and guest: the
# reports name the planted causes, agree with what the guest counted itself,
# and can be had at any moment of a run and after its violent end.
# timeout: 240
set -u
root=$PWD
cd "$TMPDIR" || exit 1
simrun=$BUILD/simrun simprof=$BUILD/simprof guest=$BUILD/guest.elf
for file in "$simrun" "$simprof" "$guest"; do
    [ -f "$file" ] || { echo "$file is not built"; exit 77; }
done
bad=0
complain() {
    echo "$1"
    bad=1
}

run() { # name, boot line
    "$simrun" --append "$2" "--pmu-trace=$1.exp" "$guest" \
        >"$1.console" 2>&1 </dev/null ||
        complain "$1: simrun ended with $?"
    for report in idle functions info; do
        "$simprof" $report "$1.exp" >"$1.$report" 2>"$1.$report.err" ||
            complain "$1: simprof $report ended with $?"
        [ -s "$1.$report.err" ] && complain "$1: $(cat "$1.$report.err")"
    done
    grep -q ', exact\.$' "$1.functions" ||
        complain "$1: $(tail -n 1 "$1.functions")"
}

top() { # the most frequent stack of a kind, root first
    "$simprof" idle --csv "$1.exp" | grep ",$2," | head -n 1 | cut -d, -f5
}

# The lock's wait explains txn, the queue's wait prodcons.
run txn "work=txn n=30"
case $(top txn to-idle) in
*txn*mutex_lock*) ;;
*) complain "txn: the top to-idle stack is $(top txn to-idle)" ;;
esac
grep -q 'mutex_lock' txn.idle || complain "txn: no mutex_lock in the report"
# With --pcs the stack names the line that takes the lock.
"$simprof" idle --pcs --table=stacks --width=1000 txn.exp >txn.pcs
line=$(grep -o 'txn_stage_commit+0x[0-9a-f]* (txn\.c:[0-9]*)' txn.pcs | head -n 1 |
    grep -o '[0-9]*)$' | tr -d ')')
sed -n "${line:-1}p" "$root/guest/work/txn.c" | grep -q 'mutex_lock(' ||
    complain "txn: line '$line' of txn.c is not where the lock is taken"
run prodcons "work=prodcons n=100"
case $(top prodcons to-idle) in
*consumer*queue*wait*) ;;
*) complain "prodcons: the top to-idle stack is $(top prodcons to-idle)" ;;
esac
"$simprof" idle --csv prodcons.exp | grep '^all,from-idle,.*producer.*sleep' \
    >found || complain "prodcons: the producer's sleep ended no idleness"

# Where all are busy, nothing is to be explained.
run busy "work=busy"
grep -q '^No idle transitions: the report is empty' busy.idle ||
    complain "busy: $(sed -n 5p busy.idle)"
[ "$("$simprof" idle --csv busy.exp | wc -l)" -eq 1 ] ||
    complain "busy: idle --csv has rows"

# The ordinary samples of busy CPUs name what the oracle names.
sampled=$("$simprof" interrupts --csv busy.exp | sed -n 3p | sed 's,.*\,,,')
truth=$("$simprof" functions --csv busy.exp | sed -n 3p | sed 's,.*\,,,')
[ "$sampled" = "$truth" ] ||
    complain "busy: most interrupts met $sampled, most cycles went to $truth"

# The guest prints its own counts: cpu N: ... to-idle A from-idle B ...
for name in txn prodcons; do
    "$simprof" idle --csv --table=cpus $name.exp |
        awk -F, '/^[0-9]/ { print $1, $8, $9 }' >ours
    sed -n 's/^cpu \([0-9]*\): .*to-idle \([0-9]*\) from-idle \([0-9]*\).*'\
'/\1 \2 \3/p' $name.console >theirs
    [ -s theirs ] || complain "$name: the guest printed no counts"
    cmp -s ours theirs ||
        complain "$name: simprof $(cat ours | tr '\n' ';') guest $(cat theirs |
            tr '\n' ';')"
done

# Every view of functions adds up to end x CPUs; samples to the tree's total.
want=$(($("$simprof" info --csv txn.exp | sed -n 's/^cycles,//p') * 4))
for view in '' --per-cpu --reasons '--per-cpu --reasons' --limit=5; do
    sum=$("$simprof" functions --csv $view txn.exp |
        awk -F, '!/<Total>/ { s += $1 } END { printf "%.0f\n", s }')
    [ "$sum" = "$want" ] || complain "functions $view: $sum of $want cycles"
done
"$simprof" idle --csv --table=tree txn.exp | awk -F, '
    $4 == "0" { to = $5; from = $7 }
    NR > 1 { bases += $6; from_bases += $8 }
    END { if (to != bases || from != from_bases || !to) exit 1 }' ||
    complain "the tree's bases do not add up to its total"

# While it runs, and killed: what is on the disk can be read, without a
# word of damage. 8 CPUs make it long enough.
"$simrun" --cpus=8 --append "work=txn n=100000" --pmu-trace=live.exp \
    "$guest" >live.console 2>&1 </dev/null &
pid=$!
tries=0
until [ "$(grep -c '^at ' live.exp/log 2>/dev/null)" -ge 3 ] 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || break
    sleep 0.1
done
for moment in running killed; do
    for report in info idle functions; do
        "$simprof" $report live.exp >out 2>err ||
            complain "$moment: simprof $report ended with $?: $(cat err)"
        grep -q damage: err && complain "$moment: $report: $(cat err)"
        grep -q 'log: the run has no end' err ||
            complain "$moment: $report does not say that the run has no end"
    done
    "$simprof" idle --csv live.exp 2>/dev/null | grep -q mutex_lock ||
        complain "$moment: no mutex_lock among the stacks"
    [ $moment = killed ] || kill -9 $pid
    wait $pid 2>/dev/null
done

# The program itself is not needed any more.
cp "$guest" gone.elf
"$simrun" --append "work=txn n=5" --pmu-trace=gone.exp gone.elf \
    >/dev/null 2>&1 </dev/null
rm gone.elf
"$simprof" functions gone.exp 2>&1 | grep -q 'mutex_lock\|spin_lock' ||
    complain "without the ELF file functions have no names"

# Fast mode keeps the account too.
"$simrun" --mode=fast --append "work=txn n=5" --pmu-trace=fast.exp "$guest" \
    >/dev/null 2>&1 </dev/null
"$simprof" functions fast.exp | grep -q ', exact\.$' ||
    complain "fast mode: $("$simprof" functions fast.exp | tail -n 1)"
exit $bad
