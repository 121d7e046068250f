#!/bin/sh
# blocked_test.sh - the time that threads were blocked is a metric of reports and
# exports: of all of them the same total, that of the report `states`, in the guest
# and under --user, of threads and of parts of the run; where nothing tells of it it
# is refused. Idle samples are exported as well, each as often as the records have it.
# timeout: 200
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof
boot 3 "work=txn n=20 states=on" --switch-stacks --pmu-trace="$dir/guest.exp"
if command -v powerpc-linux-gnu-gcc >/dev/null; then
    ${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
    "$simrun" -q --mode=fast --switch-stacks -e cycles:5000 --pmu-trace="$dir/user.exp" \
        --user "$BUILD/workloads/slow_stage" >"$out" || fail "no run"
fi
# Of the states that are waits; -v thread=N: of one.
waited() {
    "$simprof" states --csv $2 "$1" | awk -F, 'NR > 1 { for (i = 5; i <= 11; i++) n += $i } END { print n + 0 }'
}
first() { awk -F, 'NR == 2 { print $1 }'; }
sum() { awk -F, 'NR > 1 { n += $1 } END { print n + 0 }'; }

for exp in "$dir/guest.exp" "$dir/user.exp"; do
    [ -d "$exp" ] || continue
    all=$(waited "$exp" "")
    above "waits" "$all" 100000
    for report in functions lines pcs objects threads cpus seconds; do
        "$simprof" $report --csv --limit=0 --metrics=e+blocked "$exp" >"$dir/csv" || fail "$report: status $?"
        is "$report: total" "$(first <"$dir/csv")" "$all"
        is "$report: rows" "$(sum <"$dir/csv")" $((2 * all))
    done
    # With a dot they are seconds, and the column says so.
    "$simprof" functions --csv --limit=0 --metrics=e.blocked "$exp" >"$dir/csv" || fail "seconds: status $?"
    is "seconds: column" "$(sed -n '1s/,.*//p' "$dir/csv")" excl_blocked_seconds
    is "seconds" "$(first <"$dir/csv")" "$(awk -v n="$all" 'BEGIN { printf "%.6f", n / 200000000 }')"
    is "calltree" "$("$simprof" calltree --csv --metrics=i+blocked "$exp" | first)" "$all"
    # A name that is near to one that the run has.
    for ask in "export --format=folded --event=block" "functions --metrics=e.block"; do
        "$simprof" $ask "$exp" >"$dir/text" 2>"$dir/err"
        [ $? = 2 ] && grep -q '; did you mean blocked or lock?$' "$dir/err" || fail "$ask: $(cat "$dir/err")"
    done
    for format in folded csv; do
        "$simprof" export --format=$format --event=blocked "$exp" >"$dir/$format" || fail "$format"
    done
    is "folded" "$(awk '{ n += $NF } END { print n }' "$dir/folded")" "$all"
    is "csv" "$(awk -F, 'NR > 1 { n += $7 } END { print n }' "$dir/csv")" "$all"
    "$simprof" export --format=callgrind --event=blocked "$exp" | grep -q "^summary: $all$" || fail "callgrind"
    # Each state alone, of all threads and by function.
    for state in runnable lock queue barrier timer; do
        of=$("$simprof" states --csv "$exp" | awk -F, -v s=$state '
            NR == 1 { for (i = 1; i <= NF; i++) if ($i == s) k = i; next } { n += $k } END { print n }')
        for report in functions threads; do
            is "$report: $state" "$("$simprof" $report --csv --metrics=e+$state "$exp" | first)" "$of"
        done
        is "folded: $state" "$("$simprof" export --format=folded --event=$state "$exp" |
            awk '{ n += $NF } END { print n + 0 }')" "$of"
    done
    is "sum of states" "$("$simprof" functions --csv --metrics=e+lock:e+queue:e+barrier:e+timer:e+io:e+page:e+stopped "$exp" |
        awk -F, 'NR == 2 { print $1 + $2 + $3 + $4 + $5 + $6 + $7 }')" "$all"
    # Parts: a time, a thread.
    is "halves" $(($("$simprof" functions --csv --metrics=e+blocked --to=700000 "$exp" | first) +
        $("$simprof" functions --csv --metrics=e+blocked --from=700000 "$exp" | first))) "$all"
    "$simprof" threads --csv --metrics=e+blocked "$exp" | sed -n 's/^\([0-9]*\),.*(thread \([0-9]*\))"*$/\1 \2/p' |
        while read -r cycles thread; do
            is "thread $thread" "$cycles" "$(waited "$exp" --thread=$thread)"
            is "filter $thread" "$("$simprof" functions --csv --metrics=e+blocked --filters="thread==$thread" "$exp" | first)" "$cycles"
        done || exit 1
done
"$simprof" export --format=folded --event=runnable "$dir/guest.exp" | grep -q "txn_stage_commit;mutex_lock" ||
    fail "who was woken stands nowhere"
# The stack is the one with which the thread left: by `locks` as well.
"$simprof" functions --csv --metrics=i+blocked "$dir/guest.exp" >"$dir/csv"
is "behind the lock" "$(sed -n 's/^\([0-9]*\),mutex_lock$/\1/p' "$dir/csv")" \
    "$("$simprof" locks --csv "$dir/guest.exp" | awk -F, 'NR > 1 { n += $2 } END { print n }')"
printf 'metrics e.blocked\nfunctions --limit=3\n' | "$simprof" "$dir/guest.exp" >"$dir/text" 2>&1 || true
grep -q "blocked s" "$dir/text" || fail "in a script: $(cat "$dir/text")"

# Not asked for, not there; not recorded, refused.
"$simprof" functions "$dir/guest.exp" | grep -q blocked && fail "unasked"
boot 2 "work=txn n=10" --pmu-trace="$dir/idle.exp"
for asked in "functions --metrics=e.blocked" "threads --sort=e.blocked" "export --format=folded --event=blocked"; do
    "$simprof" $asked "$dir/idle.exp" >"$out" 2>"$dir/err"
    is "$asked" "$?" 2
    grep -q "blocked: the run does not tell" "$dir/err" || fail "$asked: $(cat "$dir/err")"
done
for ask in "export --format=folded --event=block" "functions --metrics=e.block"; do
    "$simprof" $ask "$dir/idle.exp" >"$out" 2>"$dir/err" || true
    grep -q 'did you mean.*block' "$dir/err" && fail "$ask: $(cat "$dir/err")"
done
"$simprof" export --format=folded --event=to-idel "$dir/idle.exp" 2>"$dir/err"
grep -q '; did you mean to-idle?$' "$dir/err" || fail "$(cat "$dir/err")"

# Idle samples: to-idle first, without a word, since there are no others.
kind() { "$simprof" export --format=csv "$dir/idle.exp" | awk -F, -v k="$1" '$6 == k { n += $7 } END { print n + 0 }'; }
for kind in to from; do
    recorded=$(records "$dir/idle.exp/idle.rec" | awk -v k=$kind '$5 == (k == "to" ? 1 : 2)' | wc -l)
    above "$kind-idle" "$recorded" 3
    is "$kind-idle, csv" "$(kind $kind-idle)" "$recorded"
    is "$kind-idle, folded" "$("$simprof" export --format=folded --event=$kind-idle "$dir/idle.exp" |
        awk '{ n += $NF } END { print n + 0 }')" "$recorded"
done
"$simprof" export --format=folded "$dir/idle.exp" | grep -q "txn_stage_commit;mutex_lock;.*[0-9]$" || fail "no stack"
exit 0
