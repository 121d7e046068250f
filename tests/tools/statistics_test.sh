#!/bin/sh
# statistics_test.sh - the statistics of a run have every cycle of `states` once, by
# run, process and thread; work and wait are all of a thread's life; work is what the
# processors' account has of the thread, and user CPU what a counter of user mode alone
# counts, which is less than a thread's cycles.
# timeout: 200
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
for program in contended_lock barrier_imbalance; do
    "$simrun" -q --mode=fast --switch-stacks --append states=on -e cycles:2000:u \
        --pmu-trace="$dir/guest.$program.exp" "$guest" --program "$BUILD/workloads/$program" >"$out" 2>"$dir/err" ||
        fail "$(cat "$dir/err")"
    "$simrun" -q --mode=fast --switch-stacks -e cycles:2000:u \
        --pmu-trace="$dir/user.$program.exp" --user "$BUILD/workloads/$program" >"$out" || fail "no run"
done
for exp in "$dir"/*.exp; do
    line=$exp
    "$simprof" statistics --csv "$exp" >"$dir/csv" || fail "status $?"
    # 1 user_cpu, system_cpu, wait_cpu, user_lock, 5 text_fault, data_fault, other_wait, work, wait,
    # 10 total, percent, exact, 13 of, number, name
    awk -F, 'NR > 1 { if ($1 + $2 + $3 + $4 + $5 + $6 + $7 != $10 || $8 + $9 != $10 || $1 + $2 != $8) print "of itself: " $0
            for (i = 1; i <= 12; i++) sum[$13, i] += $i }
        END { for (i = 1; i <= 10; i++)
            if (sum["total", i] != sum["process", i] || sum["process", i] != sum["thread", i]) print "column " i }' \
        "$dir/csv" >"$dir/off"
    is "sums" "$(cat "$dir/off")" ""
    # The threads of the program are in one process, which is called as the program; the
    # guest keeps 15 letters.
    program=${exp##*/} program=${program#*.} program=${program%.exp}
    case $exp in */guest.*) program=$(printf %.15s "$program") ;; esac
    is "processes" "$(awk -F, '$13 == "process" { print $14, $15 }' "$dir/csv" | grep -v '^0 kernel$')" \
        "1000 $program"
    case $exp in */user.*)
        is "the kernel has no thread" "$(grep -c ',kernel' "$dir/csv")" 0 ;;
    esac
    # A lock in a page fault is a fault's.
    awk -F, '$13 == "thread" { print $14, $1, $2, $3, $4 + $5 + $6 + $7 }' "$dir/csv" | sort >"$dir/got"
    "$simprof" states --csv "$exp" | awk -F, 'NR > 1 {
        print $13, $1, $2, $4, $3 + $5 + $6 + $7 + $8 + $9 + $10 + $11 }' | sort >"$dir/want"
    cmp -s "$dir/got" "$dir/want" || fail "states: $(diff "$dir/got" "$dir/want" | head -n 4)"
    # The program's threads: what the system says that they ran, and what the machine knows.
    awk -F, '$13 == "thread" && $1 && ($8 > $12 * 1.02 || $8 < $12 * 0.98) { print $8, $12, $15 }' "$dir/csv" >"$dir/off"
    is "work" "$(cat "$dir/off")" ""
    # A counter that is off in the system sees the user CPU time, and so less than all; under
    # --user the calls are not told apart, which are a twentieth.
    counted=$("$simprof" metrics --csv "$exp" | awk -F, '$1 == "cycles.u" { print $5 }')
    awk -F, -v n="$counted" 'NR == 2 && (n > $1 * 1.01 || n < $1 * 0.94 || n >= $12) { print n, $0 }' "$dir/csv" >"$dir/off"
    is "counter of user mode" "$(cat "$dir/off")" ""
    all=$(awk -F, 'NR == 2 { print $10 }' "$dir/csv")
    parts=0
    for part in "--to=300000" "--from=300000 --to=1000001" "--from=1000001"; do
        parts=$((parts + $("$simprof" statistics --csv $part "$exp" | awk -F, 'NR == 2 { print $10 }')))
    done
    is "parts" "$parts" "$all"
    # By a clock (G-N1): the state at the end of each interval counts, and is kept when the thread
    # comes to its program, here worked out from the records themselves.
    for clock in 700 5003; do
        end=$(sed -n 's/^end //p' "$exp/log")
        records "$exp/state.rec" | sort -s -k3,3n -k4,4n | awk -v p=$clock -v end="$end" '
            function column(s) {
                if (s > 4 && s != 11 && (vector == 768 || vector == 1024))
                    return vector == 1024 ? 5 : 6
                return s == 1 ? 1 : s == 2 ? 2 : s == 4 ? 3 : s == 3 || s == 5 ? 4 : 7
            }
            function flush(  k) { for (k = 1; k <= 7; k++) { kept[k] += wait[k]; wait[k] = 0 } }
            function leave(until) {
                if (state && state != 12 && until > since) {
                    if (state == 1 || state == 3) { user = 1; flush() }
                    wait[column(state)] += int((until - 1) / p) - int((since > 0 ? since - 1 : 0) / p)
                }
            }
            function finish(  k, lost) {
                leave(end)
                kept[1] += wait[1]; wait[1] = 0
                if (!user) flush()
                for (k = 1; k <= 7; k++) { lost += wait[k]; line = line " " kept[k] * p; kept[k] = wait[k] = 0 }
                print thread line, lost + 0
            }
            $3 != thread { if (thread) finish(); thread = $3; line = ""; state = user = vector = 0 }
            { leave($4); state = $5; since = $4; if (state == 1 || $6 == 8) vector = $6 == 8 ? $7 : 0 }
            END { finish() }' | sort >"$dir/want"
        "$simprof" statistics --csv --clock=$clock "$exp" | awk -F, '$13 == "thread" {
            print $14, $16, $17, $18, $19, $20, $21, $22, $24 }' | sort >"$dir/got"
        cmp -s "$dir/got" "$dir/want" ||
            fail "by a clock of $clock: $(diff "$dir/got" "$dir/want" | head -n 4)"
    done
done
refuses() { # refuses OPTION WORDS
    status=0
    "$simprof" statistics "$1" "$dir/user.contended_lock.exp" >"$out" 2>"$dir/err" || status=$?
    is "$1" "$status" 2
    grep -q -- "$2" "$dir/err" || fail "$1: $(cat "$dir/err")"
}
refuses --clock=0 "--clock: give more than 0"
refuses --clock=soon "--clock=soon: must be a time"
"$simprof" statistics --clock=5000 "$dir/user.contended_lock.exp" |
    grep -q '^By a clock: at the end of each 5,000 cycles' || fail "no second table"
# Where threads wait for a lock it says so, where they wait for each other it does not.
share() { "$simprof" statistics --csv "$dir/$1.exp" | awk -F, 'NR == 2 { print int(100 * $4 / $10) }'; }
above "locks of contended_lock" "$(share user.contended_lock)" 60
is "locks of barrier_imbalance" "$(share user.barrier_imbalance)" 0
"$simprof" statistics "$dir/user.contended_lock.exp" | grep -q '^3,.* *32\.[0-9]*%.*<Total>$' ||
    fail "$("$simprof" statistics "$dir/user.contended_lock.exp")"
exit 0
