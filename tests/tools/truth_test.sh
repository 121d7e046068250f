#!/bin/sh
# truth_test.sh - simprof truth on a real run, its figures computed again from
# the records by a script that shares nothing with it.
set -u
cd "$(dirname "$0")/../.." || exit 1
dir=$TMPDIR
bad=0
complain() {
    echo "$1"
    bad=1
}
"$BUILD/simrun" -e cycles:2000 -e int_completed:500 -e cycles -e cycles:1500:k \
    -e cycles:1500:u --append "work=busy n=30 trigger=event:cycles:3000" --pmu-trace="$dir/t.exp" "$BUILD/guest.elf" \
    >"$dir/out" || complain "simrun: status $?"
"$BUILD/simprof" truth --csv "$dir/t.exp" >"$dir/truth.csv" ||
    complain "simprof: status $?"

# counter, signal pc, interrupt pc, flags of every record
od -A n -v -t u4 -w4 -j 32 "$dir/t.exp/profile.rec" | awk '
    { w[NR - 1] = $1 }
    END { for (i = 0; i < NR; i += (w[i] % 65536) / 4)
            print w[i + 4], w[i + 6], w[i + 7], w[i + 9] }' >"$dir/samples"

figure() { # counter, by, column
    awk -F, -v c="$1" -v b="$2" -v n="$3" \
        '$1 == c && $2 == b { print $n }' "$dir/truth.csv"
}

# An event: where interrupts meet it against where it belongs.
awk '$1 == 1 && int($4 / 4) % 2 == 0 { n[$2]++; m[$3]++; s++ }
    END { for (p in n) right += n[p] < m[p] ? n[p] : m[p]
        printf "%d %.4f\n", s, 1 - right / s }' "$dir/samples" >"$dir/want"
got="$(figure int_completed instruction 3) $(figure int_completed instruction 4)"
[ "$got" = "$(cat "$dir/want")" ] ||
    complain "int_completed: $got, the records say $(cat "$dir/want")"

# Cycles, by instruction, against the oracle's own records; in supervisor state,
# where all of this guest runs, too.
od -A n -v -t u1 -w1 -j 32 "$dir/t.exp/oracle.rec" |
    awk -f tests/lib/oracle.awk | awk '{ print $4, $5, $6 }' >"$dir/oracle"
off=$(sed -n 's/^reason \([0-9]*\) off$/\1/p' "$dir/t.exp/log")
nap=$(sed -n 's/^reason \([0-9]*\) nap$/\1/p' "$dir/t.exp/log")
for counter in "0 cycles" "3 cycles.k"; do
    # shellcheck disable=SC2086 # number, name
    set -- $counter
    awk -v off="$off" -v nap="$nap" -v counter="$1" '
        FNR == NR { if ($2 == off) next
            pc = $2 == nap ? "nap" : $1; exact[pc] += $3; all += $3; next }
        $1 == counter { pc = int($4 / 4) % 2 ? "nap" : $3; met[pc]++; s++ }
        END { for (p in met) { a = met[p] / s; b = exact[p] / all
                right += a < b ? a : b }
            printf "%.4f\n", 1 - right }' "$dir/oracle" "$dir/samples" >"$dir/want"
    got=$(figure "$2" instruction 4)
    awk -v a="$got" -v b="$(cat "$dir/want")" \
        'BEGIN { d = a - b; exit !(a != "" && d < 0.0005 && d > -0.0005) }' ||
        complain "$2 by instruction: $got, the records say $(cat "$dir/want")"
done
got=$(figure cycles instruction 4)
"$BUILD/simprof" truth "$dir/t.exp" >"$dir/text"
grep -q "^Not judged: cycles.u: nothing ran in this mode" "$dir/text" ||
    complain "cycles.u: $(head -n 8 "$dir/text")"

# The guest's timer and performance monitor interrupts, by instruction: naps are
# where they go on.
for kind in "2304 timer" "3840 perfmon"; do
# shellcheck disable=SC2086 # vector, name
set -- $kind
od -A n -v -t u4 -w4 -j 32 "$dir/t.exp/irq.rec" | awk -v vector="$1" '
    { w[NR - 1] = $1 }
    END { for (i = 0; i < NR; i += (w[i] % 65536) / 4)
            if (w[i + 4] == vector) print w[i + 5] }' >"$dir/timer"
awk -v off="$off" '
    FNR == NR { if ($2 == off) next
        exact[$1] += $3; all += $3; next }
    { met[$1]++; s++ }
    END { for (p in met) { a = met[p] / s; b = exact[p] / all
            right += a < b ? a : b }
        printf "%d %.4f\n", s, 1 - right }' "$dir/oracle" "$dir/timer" \
    >"$dir/want"
awk -v n="$(figure "$2" instruction 3)" -v a="$(figure "$2" instruction 4)" '
    { d = a - $2; exit !(n == $1 && n > 30 && d < 0.0005 && d > -0.0005) }' \
    "$dir/want" || complain "$2: $(figure "$2" instruction 4) of \
$(figure "$2" instruction 3), the records say $(cat "$dir/want")"
done

# A line is between an instruction and a function.
awk -v f="$(figure cycles function 4)" -v l="$(figure cycles line 4)" -v i="$got" \
    'BEGIN { exit !(l > f && i > l) }' ||
    complain "cycles by line: $(figure cycles line 4)"

# Skid moves samples between instructions more than between functions.
awk -v f="$(figure cycles function 4)" -v i="$got" \
    'BEGIN { exit !(f < 0.05 && i > f) }' ||
    complain "cycles: by function $(figure cycles function 4), by instruction $got"

"$BUILD/simrun" --append "work=busy n=5" --pmu-trace="$dir/none.exp" \
    "$BUILD/guest.elf" >"$dir/out"
"$BUILD/simprof" truth "$dir/none.exp" >"$dir/none" ||
    complain "without samples: status $?"
grep -q "No counter was sampled" "$dir/none" || complain "$(cat "$dir/none")"

# Functions that take turns at random are independent samples, long phases are
# not, and that is said.
cc=${CROSS:-powerpc-linux-gnu-}gcc
if command -v "$cc" >/dev/null; then
    for how in RANDOM PHASES; do
        "$cc" -I. -O2 -ffreestanding -nostdlib -static -D$how \
            -o "$dir/$how.elf" tests/observe/phases.c || complain "$how"
        "$BUILD/simrun" -q -e cycles:1000 --cpus=1 --pmu-trace="$dir/$how.exp" \
            "$dir/$how.elf" || complain "$how: status $?"
        "$BUILD/simprof" truth --width=400 "$dir/$how.exp" >"$dir/$how"
    done
    grep -q "agree as independent ones would" "$dir/RANDOM" &&
        ! grep -q WARNING "$dir/RANDOM" || complain "random turns: $(cat "$dir/RANDOM")"
    grep -q "WARNING: samples are autocorrelated: of those 1 apart" \
        "$dir/PHASES" || complain "phases: $(cat "$dir/PHASES")"

    # A CPU has no samples from before it was released: nothing ran there.
    "$cc" -I. -O2 -static -pthread -o "$dir/user" tests/user/prog/sections.c ||
        complain "sections.c"
    for mode in fast detailed; do
        rm -rf "$dir/u.exp"
        "$BUILD/simrun" -q --mode=$mode -e cycles:500 --cpus=3 \
            --pmu-trace="$dir/u.exp" --user "$dir/user" >"$dir/out" ||
            complain "user: status $?"
        parked=$("$BUILD/simprof" functions --cpu=2 --csv --limit=0 "$dir/u.exp" |
            awk -F, '/<parked>/ { print $1 }')
        od -A n -v -t u4 -w4 -j 32 "$dir/u.exp/profile.rec" |
            awk -v parked="${parked:-0}" '{ w[NR - 1] = $1 }
                END { for (i = 0; i < NR; i += (w[i] % 65536) / 4)
                    if (int(w[i] / 16777216) == 2) {
                        n++
                        early += w[i + 2] + w[i + 3] * 4294967296 < parked
                    }
                    exit !(parked > 20000 && n > 100 && !early) }' ||
            complain "$mode: samples of a parked CPU"
    done
fi

# Under --user one mode is the program's, the other the system's: together
# they are what is judged of both.
if [ -f "$dir/user" ]; then
    rm -rf "$dir/u.exp"
    "$BUILD/simrun" -q -e cycles:300:u -e cycles:300:k --cpus=3 \
        --pmu-trace="$dir/u.exp" --user "$dir/user" >"$dir/out" ||
        complain "user: status $?"
    "$BUILD/simprof" truth --csv "$dir/u.exp" >"$dir/truth.csv"
    for mode in u k; do
        [ "$(figure cycles.$mode function 3)" -gt 100 ] ||
            complain "cycles.$mode: $(cat "$dir/truth.csv")"
        "$BUILD/simprof" truth --csv --event=cycles.$mode --limit=0 "$dir/u.exp" \
            >"$dir/$mode"
    done
    grep -q "<napping>" "$dir/u" && complain "cycles.u: naps"
    awk -F, '$6 == "<napping>" && $1 > 0.1 { ok = 1 } END { exit !ok }' "$dir/k" ||
        complain "cycles.k: $(cat "$dir/k")"
fi

# One profile alone; one that is not there; what was probed.
"$BUILD/simprof" truth --csv --event=int_completed "$dir/t.exp" >"$dir/one"
[ "$(head -n 1 "$dir/one")" = "exact,found,low,high,inside,function" ] ||
    complain "--event: $(head -n 1 "$dir/one")"
awk -F, 'NR > 1 { e += $1; f += $2; n++; bad += $3 > $2 || $4 < $2 ||
        ($1 >= 0.001 && $1 != $3 && $1 != $4 && $5 != ($1 > $3 && $1 < $4)) }
    END { exit !(n > 5 && e > 0.99 && e < 1.01 && f > 0.99 && f < 1.01 && !bad) }' \
    "$dir/one" || complain "--event: $(cat "$dir/one")"
"$BUILD/simprof" truth --event=nothing "$dir/t.exp" >"$dir/out" 2>"$dir/err" &&
    complain "--event=nothing is taken"
grep -q "there is no such profile" "$dir/err" || complain "$(cat "$dir/err")"
"$BUILD/simprof" truth --event=int_complete "$dir/t.exp" >"$dir/out" 2>"$dir/err" ||
    grep -q "there is no such profile; did you mean int_completed?" "$dir/err" || complain "$(cat "$dir/err")"
"$BUILD/simrun" -q --probe=mutex_lock --append "work=txn n=10" \
    --pmu-trace="$dir/p.exp" "$BUILD/guest.elf" >"$dir/out" ||
    complain "simrun --probe: status $?"
"$BUILD/simprof" truth "$dir/p.exp" >"$dir/p"
awk '$NF == "mutex_lock" && $(NF - 1) == "function" { found = 1
        gsub(",", ""); if ($1 != 80 || $2 != $3 || $4 || $5 != 80) bad = 1 }
    END { exit !found || bad }' "$dir/p" ||
    complain "active time: $(tail -n 4 "$dir/p")"
# Stacks of switches, seen from outside, change nothing; every idle sample has
# the stack that its period began with.
"$BUILD/simrun" -q --switch-stacks --append "work=txn n=10" \
    --pmu-trace="$dir/s.exp" "$BUILD/guest.elf" >"$dir/out" ||
    complain "simrun --switch-stacks: status $?"
for file in idle irq thread stat oracle; do
    cmp "$dir/s.exp/$file.rec" "$dir/p.exp/$file.rec" ||
        complain "stacks of switches change $file.rec"
done
"$BUILD/simprof" truth --csv "$dir/s.exp" >"$dir/truth.csv"
samples=$(figure to-idle "each cause" 3)
# A thread may be woken between the sample and its stack: one in fifty at most.
[ "${samples:-0}" -gt 50 ] &&
    awk -v e="$(figure to-idle "each cause" 4)" 'BEGIN { exit !(e <= 0.02) }' ||
    complain "causes: $(grep to-idle "$dir/truth.csv")"
"$BUILD/simprof" truth --width=400 "$dir/s.exp" >"$dir/text"
# Of the samples whose thread is wrong some came behind a daemon: how many,
# depends on the guest's layout, but no more than there are.
awk -v n="$(figure to-idle "each thread" 3)" -v e="$(figure to-idle "each thread" 4)" '
    /^Of the wrong ones [0-9]+ came where a daemon had run last/ { said = $5 }
    END { wrong = int(n * e + 0.5); exit !(said <= wrong && !said == !wrong) }' \
    "$dir/text" || complain "unmonitored: $(grep wrong "$dir/text")"
# The guest's rule for the next sample: said where it is the biased one.
rm -rf "$dir/rule.exp"
"$BUILD/simrun" -q --append "work=txn n=10 rearm=complete" \
    --pmu-trace="$dir/rule.exp" "$BUILD/guest.elf" >"$dir/out" ||
    complain "complete: status $?"
for report in idle truth; do
    "$BUILD/simprof" $report --width=400 "$dir/rule.exp" | grep -q "rearm=steady, the default, cures" ||
        complain "$report: nothing about rearm"
done
"$BUILD/simrun" -q --append "work=txn n=10" \
    --pmu-trace="$dir/steady.exp" "$BUILD/guest.elf" >"$dir/out" ||
    complain "steady: status $?"
for report in idle truth; do
    "$BUILD/simprof" $report --width=400 "$dir/steady.exp" >"$dir/text"
    grep -q "to-idle" "$dir/text" || complain "$report: no idle samples"
    grep "cures" "$dir/text" && complain "$report: the default cured"
done
# Another event than cycles: what the host saw of it is needed, and enough.
for also in "" "-e dcache_miss:20"; do
    rm -rf "$dir/d.exp"
    # shellcheck disable=SC2086 # none or two words
    "$BUILD/simrun" -q $also --append "work=txn n=5 trigger=event:dcache_miss:50" \
        --pmu-trace="$dir/d.exp" "$BUILD/guest.elf" >"$dir/out" || complain "dcache_miss"
    "$BUILD/simprof" truth "$dir/d.exp" >"$dir/text"
    if [ "$also" ]; then
        grep -q "^perfmon  *instruction" "$dir/text"
    else
        grep -q "^Not judged: perfmon: the guest counted dcache_miss" "$dir/text"
    fi || complain "perfmon $also: $(head -n 12 "$dir/text")"
done
"$BUILD/simprof" truth --csv --event=to-idle-causes "$dir/s.exp" |
    grep -q ",thread_block < mutex_lock < txn_stage_commit < txn_worker" ||
    complain "nobody waited for a lock"
grep -q "^Idle cycles: of the idle report" "$dir/p" || complain "$(cat "$dir/p")"
exit $bad
