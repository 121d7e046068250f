#!/bin/sh
# autopif_test.sh - the guest profiles itself with marks: it finds what is hot
# and counts it, climbs from the hottest routine to the root, and scans its
# own text page by page. Counts are those of the execution log, and those that
# the host reads from the experiment.
# timeout: 300
set -u
. tests/guest/lib.sh
nm=powerpc-linux-gnu-nm
command -v $nm >/dev/null || { echo "$nm is missing"; exit 77; }
$nm -n "$guest" >"$dir/nm"
hex() { awk -v f="$1" '$3 == f { sub(/^0*/, "", $1); print $1 }' "$dir/nm"; }
exp=$dir/e.exp
work() { # work CPUS LINE [OPTION...]: into an experiment
    n=$1
    text=$2
    shift 2
    rm -rf "$exp"
    boot "$n" "sampler=off $text" --pmu-trace="$exp" "$@"
}
said() { grep -qx "pif: $1" "$out" || fail "does not say: $1"; }
leaf=$(hex calls_leaf) inner=$(hex calls_inner) outer=$(hex calls_outer)
thread=$(hex calls_thread)
at=$(printf %d "0x$leaf")

# More than 13 times interrupts at the 14th; each tells caller and count. The
# callers, round by round, to the root.
for mode in fast detailed; do
    for example in 182,13,0,182 100,7,2,98; do
        IFS=, read -r times interrupts left counted <<X
$example
X
        work 1 "work=calls n=$times pif=climb:$at" --mode=$mode
        said "round 1: $leaf in $leaf: executed $times interrupts $interrupts left $left"
        for level in 1:$inner 2:$outer 3:$thread; do
            round=${level%:*} in=${level#*:}
            awk -v r="$round:" -v in_="$in" -v i="$interrupts" -v c="$counted" '
                $2 == "round" { now = $3 == r }
                now && /called from/ { n++; good += $6 == in_ ":" && $8 == i && $10 == c }
                END { exit !(n == 1 && good == 1) }' "$out" ||
                fail "$mode: round $round was not called by $in alone"
        done
        for call in "$inner calls $leaf" "$outer calls $inner" "$thread calls $outer"; do
            grep -q "^pif: graph: $call at [0-9a-f]*: $times\$" "$out" ||
                fail "$mode: not in the graph: $call, $times"
        done
        said "5 rounds, 0 interrupts lost"
    done
done
# The experiment of the last has the same: 4 rounds of 7, the captured counts
# 14 each, the callers by name.
records "$exp/trap.rec" >"$dir/traps"
is "interrupts" "$(wc -l <"$dir/traps")" 28
is "captured" "$(awk '{ print $9 }' "$dir/traps" | sort -u)" 14
"$BUILD/simprof" marks "$exp" >"$dir/report" || fail "no report"
grep -Eq '^ *7 +98 +guest +limit passed +calls_inner +calls_leaf$' "$dir/report" ||
    fail "the report has no calls_leaf by calls_inner: $(grep guest "$dir/report")"

# Samples find what is hot, it is marked, counts come back: those of the log.
loop() { # loop CPUS LINE FUNCTION...
    n=$1
    text=$2
    shift 2
    work "$n" "$text pif=auto" --log exec:"$dir/log"
    "$BUILD/simprof" marks "$exp" --csv --limit=0 >"$dir/marks.csv" || fail "no report"
    # A processor looks marks up from behind the instruction that sets PIFM on.
    awk '
        on[$1] { n[$4]++ }
        $NF ~ /^pifm=/ { on[$1] = $NF != "pifm=00000000" }
        END { for (a in n) print a, n[a] }' "$dir/log" | sort >"$dir/by_log"
    awk -F, '$1 == "code" && $2 == "guest" && $3 { print substr($5, 3), $3 }' \
        "$dir/marks.csv" | sort >"$dir/by_marks"
    [ "$(wc -l <"$dir/by_marks")" -gt 10 ] || fail "little is marked"
    join -a 1 "$dir/by_marks" "$dir/by_log" | awk '
        $2 != $3 { print "address, marks, log:", $0; bad = 1 } END { exit bad }' ||
        fail "marks and log differ"
    for f in "$@"; do
        sum=$(sed -n "s/^pif: hot $(hex "$f"): .*executed //p" "$out")
        above "$f" "${sum:-0}" 1000
        is "$f, printed and in the experiment" "$sum" "$(awk -F, -v f="$f" '
            $1 == "code" { p = $7; sub(/\+.*/, "", p); if (p == f) s += $3 }
            END { print s }' "$dir/marks.csv")"
    done
}
loop 1 "work=calls trigger=time:2000" calls_leaf
loop 4 "work=txn n=4 trigger=time:2000" txn_stage_lookup txn_stage_parse

# From the hottest up without being told where to begin.
work 1 "work=calls trigger=time:2000 pif=climb"
grep -q "^pif: round 1: $leaf in $leaf: executed 182 interrupts 13 left 0" "$out" ||
    fail "the climb does not begin at calls_leaf"

# G-H8, page after page: a run each, and the sum is what all pages at once count.
work 1 "work=calls trigger=time:2000 pif=scan"
pages=$((($(printf %d "0x$(hex text_end)") + 4095) / 4096))
is "pages" "$(grep -c '^pif: page ' "$out")" "$pages"
sum=$(awk '/^pif: page/ { n += $NF } END { print n }' "$out")
said "scan: $pages runs, executed $sum; at once $sum, words that differ 0"
# With interrupts off no timer samples it, but it is counted: 46 turns.
said "function $(hex calls_quiet_step): executed 9154 samples 0"
above "samples of calls_leaf" \
    "$(sed -n "s/^pif: function $leaf: .*samples //p" "$out")" 10
work 1 "work=calls trigger=time:2000 pif=scan:4"
is "four pages at a time" "$(grep -c '^pif: page ' "$out")" $(((pages + 3) / 4))
said "scan: $(((pages + 3) / 4)) runs, executed $sum; at once $sum, words that differ 0"

# A function and a variable by their addresses, on 2 CPUs.
work 2 "work=calls n=50 pif=mark:$at"
said "marked $leaf: $((50 * 226))"
word=$(hex calls_word)
work 2 "work=calls n=50 pif=mark:$(printf %d "0x$word")"
said "marked $word: 51" # 50 stores, and it is printed
is "accesses" "$("$BUILD/simprof" marks "$exp" --csv | awk -F, '$1 == "data" { print $3 }')" 51

# Every workload can be run again and again, more often than there are slots for
# its threads; on 8 CPUs as on 1.
for cpus in 1 8; do
    boot $cpus "work=prodcons n=1 threads=30 sampler=off pif=scan"
    boot $cpus "work=switch n=60 threads=30 sampler=off trigger=time:2000 pif=climb"
    boot $cpus "work=txn n=1 threads=30 trigger=time:2000 pif=auto"
    boot $cpus "work=busy n=2 trigger=time:2000 pif=auto"
done

refused "work=calls pif=auto trigger=event:cycles:5000" "samples by time"
refused "pif=mark" "no such value"
refused "pif=nonsense" "no such value"
line="work=calls pif=auto"
timeout 60 "$simrun" --mode=fast --cpus 1 --set pif=0 --append "$line" "$guest" \
    >"$out" 2>/dev/null && fail "runs without a facility"
grep -q "FAIL: this processor has the facility" "$out" || fail "does not say what is missing"
exit 0
