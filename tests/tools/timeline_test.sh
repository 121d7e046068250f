#!/bin/sh
# timeline_test.sh - the timeline has every cycle that `states` has, however long its
# steps are, and each CPU's busy cycles; in text each letter is the state that had most
# of its step, which shows an inversion: one waits for the lock, its holder is
# runnable, another runs.
# timeout: 200
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof
boot 3 "work=txn n=20 states=on sampler=off" --switch-stacks --pmu-trace="$dir/g.exp"
exp=$dir/g.exp
states() { # of $exp: thread, state, cycles
    "$simprof" states --csv "$exp" "$@" | awk -F, 'NR == 1 { for (i = 1; i < 12; i++) name[i] = $i; next }
        { for (i = 1; i < 12; i++) if ($i) print $13, name[i], $i }' | sort
}
lines() { # the same of a timeline
    awk -F, 'NR > 1 && $2 == "thread" { n[$3 " " $5] += $6 } END { for (k in n) print k, n[k] }' | sort
}
states >"$dir/want"
for step in 1000 12345 1ms 10s; do
    "$simprof" timeline --csv --step=$step "$exp" >"$dir/csv" || fail "status $?"
    lines <"$dir/csv" >"$dir/got"
    cmp -s "$dir/got" "$dir/want" || fail "step $step: $(diff "$dir/got" "$dir/want" | head -n 4)"
done
"$simprof" timeline --csv --step=12345 "$exp" | awk -F, 'NR > 1 { n[$1 $2 $3] += $6 }
    END { for (k in n) if (n[k] > 12345) print k, n[k] }' >"$dir/long"
is "more than a step" "$(cat "$dir/long")" ""
states --to=400000 >"$dir/want"
"$simprof" timeline --csv --to=400000 "$exp" | lines >"$dir/got"
cmp -s "$dir/got" "$dir/want" || fail "part: $(diff "$dir/got" "$dir/want" | head -n 4)"
# A CPU is busy where its idle thread does not run. The others begin in theirs, which
# `idle` does not count up to the first switch.
"$simprof" idle --csv --table=cpus "$exp" | awk -F, 'NR > 1 && $1 != "all" { print $1, $2 - $3 }' >"$dir/want"
"$simprof" timeline --csv "$exp" | awk -F, '$2 == "cpu" && $5 == "busy" { n[$3] += $6 }
    END { for (k = 0; k < 3; k++) print k, n[k] }' >"$dir/got"
is "busy" "$(sed -n 1p "$dir/got")" "$(sed -n 1p "$dir/want")"
paste "$dir/got" "$dir/want" | awk '$2 > $4 || $2 < 0.8 * $4' >"$dir/off"
is "busy" "$(cat "$dir/off")" ""

# Where it is not busy it is idle, in one of the classes of `causes`: those of steps add
# up to those of longer ones, and are of the idle time about the shares that causes has.
"$simprof" timeline --csv --step=1000 "$exp" >"$dir/csv"
awk -F, '$2 == "cpu" { n[$1 $3] += $6 } END { for (k in n) if (n[k] > 1000) print k, n[k] }' "$dir/csv" >"$dir/long"
is "more than a step" "$(cat "$dir/long")" ""
classes() { awk -F, '$5 ~ /^idle:/ { n[substr($5, 6)] += $6 } END { for (k in n) print k, n[k] }' | sort; }
classes <"$dir/csv" >"$dir/want"
for step in 77777 10s; do
    "$simprof" timeline --csv --step=$step "$exp" | classes >"$dir/got"
    cmp -s "$dir/got" "$dir/want" || fail "idle, step $step: $(diff "$dir/got" "$dir/want" | head -n 4)"
done
for part in --to=444444 --from=444444; do "$simprof" timeline --csv $part "$exp"; done | classes >"$dir/got"
cmp -s "$dir/got" "$dir/want" || fail "idle in two parts: $(diff "$dir/got" "$dir/want" | head -n 4)"
"$simprof" idle --csv --table=cpus "$exp" | awk -F, 'NR > 1 && $1 != "all" { print $1, $3 }' >"$dir/want"
awk -F, '$5 ~ /^idle:/ { n[$3] += $6 } END { for (k = 0; k < 3; k++) print k, n[k] }' "$dir/csv" >"$dir/got"
paste "$dir/got" "$dir/want" | awk '$2 < $4 || $2 > 1.05 * $4' >"$dir/off"
is "idle" "$(cat "$dir/off")" ""
# The thread that had most of a step has its name there: a worker, mostly.
awk -F, '$5 == "busy" && $6 == 1000 { n[substr($4, 1, 6)]++ } END { print (n["worker"] > 10) }' "$dir/csv" >"$dir/got"
is "a name" "$(cat "$dir/got")" 1

# Text: rows of one width, and their letters.
"$simprof" timeline --width=100 "$exp" >"$dir/text"
is "rows" "$(grep -c '^.*|.*|$' "$dir/text")" $((3 + $("$simprof" states --csv "$exp" | wc -l) - 1))
is "widths" "$(grep '|$' "$dir/text" | awk '{ print length }' | sort -u | wc -l)" 1
above "idle for a lock" "$("$simprof" timeline --width=400 "$exp" | grep '^CPU' | tr -dc L | wc -c)" 10
above "locks" "$(grep '^worker' "$dir/text" | tr -dc L | wc -c)" 100
"$simprof" timeline --step=1 "$exp" >/dev/null 2>"$dir/err"
is "steps of a cycle" "$?" 2
grep -q "more than 100000 steps" "$dir/err" || fail "$(cat "$dir/err")"

command -v powerpc-linux-gnu-gcc >/dev/null || exit 0
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
"$simrun" -q --mode=fast --switch-stacks --pmu-trace="$dir/u.exp" --user "$BUILD/workloads/priority_inversion" >"$out" ||
    fail "no run"
"$simprof" timeline --width=120 "$dir/u.exp" | awk -F'|' '/^100[012] / { row[substr($1, 4, 1)] = $2 }
    END { for (i = 1; i <= length(row[0]); i++)
            n[substr(row[0], i, 1) substr(row[1], i, 1) substr(row[2], i, 1)]++
        print n["rUL"] + 0, length(row[0]) }' >"$dir/seen"
read inverted letters <"$dir/seen"
above "inverted" "$inverted" $((letters / 2))

# CPUs that are not released before a program has threads are not idle until then, for nobody: as in
# causes, the time that a thread is not born yet has nothing of that.
cat >"$dir/late.c" <<'C'
#include <pthread.h>
static volatile unsigned sum;
static void mix(int n) { while (n--) sum = sum * 3 + 1; }
static void *run(void *arg) { mix(20000); return arg; }
int main(void)
{
    pthread_t t[2];
    mix(50000);
    for (int i = 0; i < 2; i++) { pthread_create(&t[i], 0, run, 0); mix(3000); }
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    mix(10000);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/late" "$dir/late.c" || fail "does not compile"
user "$dir/late" --cpus=4 --record-locks --pmu-trace="$dir/late.exp" || fail "late: status $?"
parked=$("$simprof" causes "$dir/late.exp" | sed -n 's/^CPUs not yet released, \([0-9,]*\) .*/\1/p' | tr -d ,)
above "cycles before CPUs are released" "$parked" 500000
"$simprof" causes --csv --table=classes "$dir/late.exp" | awk -F, '{ n[$3] = $1 }
    END { print n["not-born"] + 0, n["no-more"] + 0, n["barrier"] + 0 }' >"$dir/want"
"$simprof" timeline --csv "$dir/late.exp" | classes | awk '{ n[$1] = $2 }
    END { print n["not-born"] + 0, n["no-more"] + 0, n["barrier"] + 0 }' >"$dir/got"
paste "$dir/got" "$dir/want" | awk '{ for (k = 1; k <= 3; k++) if ($k < $(k + 3) || $k > 1.02 * $(k + 3) + 2000) print }' >"$dir/off"
is "classes of a program that begins alone" "$(cat "$dir/off")" ""
# Its first root is what main and threads' first function call: why it has no gain is said.
user "$dir/late" --cpus=4 --record-locks -e cycles:500 --pmu-trace="$dir/sampled.exp" || fail "late: status $?"
"$simprof" causes "$dir/sampled.exp" | tr '\n' ' ' >"$out"
grep -q ' \.  runs  .*A row that runs and has \. has no change of its own' "$out" || fail "no gain: $(cat "$out")"
exit 0
