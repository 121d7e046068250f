#!/bin/sh
# ranks_test.sh - simprof causes puts first what half of would bring most, though CPUs wait for
# something else: the slow stage of a pipeline, the holder of a spin lock, the work of bound
# threads. The gain it says is simprof predict's; of a part of a run there is none, but of the time
# of a program.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

record() { # record SEED guest|user: to $dir/x.exp
    tests/causes/generate "$1" >"$dir/one.c" &&
        powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/one" "$dir/one.c" 2>"$dir/err" ||
        fail "seed $1: $(cat "$dir/err")"
    told() { sed -n "s/^ \* $1: //p; s/^\/\* $1: //p" "$dir/one.c"; }
    change=$(told change)
    rm -rf "$dir/x.exp"
    if [ "$2" = guest ]; then
        "$simrun" -q --mode=fast --cpus="$(told cpus)" --append states=on --record-locks \
            -e cycles:1000 --pmu-trace="$dir/x.exp" "$guest" --program "$dir/one"
    else
        user "$dir/one" --cpus="$(told cpus)" $(told options) --record-locks -e cycles:1000 \
            --pmu-trace="$dir/x.exp"
    fi >"$out" 2>"$dir/err" </dev/null || fail "seed $1: $(cat "$dir/err")"
    "$simprof" causes --csv "$dir/x.exp" >"$dir/csv" || fail "seed $1: status $?"
}
# Pipelines, whose slow stage has less of the idle time than another; bound threads; who spins.
more=0
for run in "135 guest" "134 guest" "111 guest" "2125 user" "2110 user" "2098 user"; do
    set -- $run
    record $1 $2
    function=$(echo "$change" | sed 's/^func://; s/+=.*//')
    sed -n 2p "$dir/csv" | grep -q " < $function < " || fail "seed $1: $(sed -n 1,3p "$dir/csv")"
    awk -F, 'NR == 2 { first = $1 } NR > 2 && $3 == "runs" && $1 > first { more = 1 }
        END { exit !more }' "$dir/csv" && more=$((more + 1))
    # Nearly all that the function does is that row.
    gain=$(sed -n '2s/.*,\([^,]*\),[0-9]*$/\1/p' "$dir/csv")
    says=$("$simprof" predict --csv --what-if "$change" "$dir/x.exp" |
        awk -F, 'NR == 3 { print $3 }')
    awk -v a="$gain" -v b="$says" 'BEGIN { exit !(a > 1 && a <= b + 0.1 && a > b * 0.9) }' ||
        fail "seed $1: gain $gain, predict says $says"
    sum=$(awk -F, 'NR > 1 { n += $1 } END { print n }' "$dir/csv")
    is "seed $1: naps" "$sum" "$("$simprof" functions --csv --limit=0 --metrics=e+exact \
        "$dir/x.exp" | awk -F, '$NF == "<napping>" { print $1 }')"
    [ $2 = guest ] || continue
    # Of the program's time it is the same cycles; what it does to other programs is not asked.
    "$simprof" causes --csv --from=begin:one --to=end:one "$dir/x.exp" >"$dir/part" 2>"$dir/err" ||
        fail "seed $1: $(cat "$dir/err")"
    sed -n 2p "$dir/part" | grep -q " < $function < " || fail "seed $1: $(sed -n 1,3p "$dir/part")"
    part=$(sed -n '2s/.*,\([^,]*\),[0-9]*$/\1/p' "$dir/part")
    awk -v a="$part" -v b="$gain" 'BEGIN { exit !(a >= b && a < 60) }' ||
        fail "seed $1: $part of the program's time, $gain of the run"
    "$simprof" causes --from=begin:one --to=end:one "$dir/x.exp" | tr '\n' ' ' |
        grep -q 'gain: of this time, what half of it is predicted to take away' ||
        fail "seed $1: it does not say of what"
    awk -F, '$3 ~ /^(mask|device)$/ && $6 != "" { exit 1 }' "$dir/part" ||
        fail "seed $1: a gain of what all programs have: $(cat "$dir/part")"
done
[ $more -ge 4 ] || fail "only $more have another row with more idle cycles"

# A thread that spins waits for the lock's holder: in chains, on the path, in words.
cat >"$dir/spin.c" <<'C'
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static pthread_spinlock_t lock;
static volatile uint32_t sum;

static __attribute__((noipa)) void hold(void)
{
    for (unsigned i = 0; i < 40000; i++)
        sum = sum * 1664525u + 1;
}
static void *holder(void *arg)
{
    pthread_spin_lock(&lock);
    hold();
    pthread_spin_unlock(&lock);
    return arg;
}
static void *spinner(void *arg)
{
    usleep(50);
    pthread_spin_lock(&lock);
    pthread_spin_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t one, other;

    pthread_spin_init(&lock, 0);
    pthread_create(&one, NULL, holder, NULL);
    pthread_create(&other, NULL, spinner, NULL);
    pthread_join(other, NULL);
    pthread_join(one, NULL);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/spin" "$dir/spin.c" || fail "spin.c"
rm -rf "$dir/x.exp"
user "$dir/spin" --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" \
    >"$out" 2>"$dir/err" || fail "spin: $(cat "$dir/err")"
for report in causes path locks; do
    "$simprof" $report "$dir/x.exp" >"$dir/$report" || fail "$report: status $?"
    tr '\n' ' ' <"$dir/$report" >"$dir/$report.line"
done
grep -q 'spins for the lock "lock", which thread [0-9]* has, because thread [0-9]* runs in hold ' \
    "$dir/causes.line" || fail "no chain: $(cat "$dir/causes")"
"$simprof" path --csv "$dir/x.exp" | sed -n 2p | grep -q ',[89][0-9]\.[0-9],runs,.*,hold < holder' ||
    fail "path: $(cat "$dir/path")"
is "path" "$("$simprof" path "$dir/x.exp" --csv | awk -F, 'NR > 1 { n += $1 } END { print n }')" \
    "$(sed -n 's/^\([0-9,]*\) cycles, from cycle .*/\1/p' "$dir/path" | tr -d ,)"
# The headline says what was spun, and the lock has it.
spun=$("$simprof" locks --csv "$dir/x.exp" | sed -n 's/.*,1,\([0-9]*\),lock$/\1/p')
above "cycles spun" "${spun:-0}" 150000
tr -d , <"$dir/locks.line" | grep -q "Threads waited $spun cycles for locks: 0 off their CPUs 0 times and $spun spinning most for lock\." ||
    fail "locks: $(cat "$dir/locks")"

# Of a part of it: by idle cycles, without gains.
"$simprof" causes --csv --from=100000 "$dir/x.exp" >"$dir/csv" || fail "status $?"
head -n 1 "$dir/csv" | grep -q 'functions,spun$' || fail "gains of a part: $(head -n 1 "$dir/csv")"
awk -F, 'NR > 1 && $3 == "runs" { if (seen && $1 > last) exit 1; last = $1; seen = 1 }' "$dir/csv" ||
    fail "not most first: $(cat "$dir/csv")"
exit 0
