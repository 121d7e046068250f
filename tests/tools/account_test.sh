#!/bin/sh
# account_test.sh - the exact account by time: no row of any report by time has
# more cycles than fit, whatever its length, on CPUs that run, wait, nap or are
# parked; and a run that is killed loses an interval of it.
# timeout: 180
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
simprof=$BUILD/simprof
cat >"$dir/a.c" <<'C'
#include <pthread.h>
#include <unistd.h>
static volatile int x;
static void *early(void *p) { for (int i = 0; i < 500; i++) x++; return p; }
static void *sleeper(void *p)
{
    for (int i = 0; i < 3; i++) {
        usleep(700);
        for (int k = 0; k < 20000; k++) x++;
    }
    return p;
}
int main(int n, char **v)
{
    pthread_t a, b;
    (void)v;
    pthread_create(&a, 0, early, 0);
    pthread_create(&b, 0, sleeper, 0);
    for (int i = 0; i < 100000; i++) x += i;
    while (n > 1) x++;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/a" "$dir/a.c" || exit 1
cd "$dir" || exit 1

# Each row but the last has step x CPUs, exactly; all have the run's.
slots() { # experiment, cpus, step
    end=$(sed -n 's/^end //p' "$1/log")
    "$simprof" seconds --csv --step="$3" "$1" >seconds.csv 2>err ||
        fail "seconds: $(cat err)"
    awk -F, -v cpus="$2" -v step="$3" -v end="$end" '
        NR == 1 || $NF == "<Total>" { next }
        { long = $NF + step <= end ? step : end - $NF
          if ($1 != long * cpus) { print "from " $NF ": " $1; bad = 1 }
          n += $1 }
        END { exit bad || n != end * cpus }' seconds.csv ||
        fail "$1, --step=$3: rows do not fit"
}
for mode in detailed fast; do
    for cpus in 1 3 8; do
        for us in 1000 37; do
            e=$mode.$cpus.$us.exp
            "$simrun" -q --mode=$mode --cpus=$cpus --set account_us=$us \
                --pmu-trace="$e" --user ./a || fail "$e: status $?"
            for step in $((us * 200)) 1000000 60000 7001; do
                slots "$e" $cpus $step
            done
        done
        # A window's cycles are those that it has, in every report.
        for report in functions threads cpus samples; do
            "$simprof" $report --csv --from=123457 --to=323461 "$e" |
                awk -F, -v want=$((cpus * (323461 - 123457))) '
                    NR == 1 { next }
                    /<Total>/ { total = $1; next }
                    { n += $1 } END { exit !(n == want || total == want) }' ||
                fail "$e: $report of a window"
        done
    done
done

# Samples are the intervals, from 1 on; by either name.
"$simprof" samples --csv fast.8.1000.exp >samples.csv || fail samples
awk -F, 'NR > 2 && $NF != NR - 2 { exit 1 } NR == 3 { exit $1 != 1600000 }' \
    samples.csv || fail "samples: $(cat samples.csv)"
"$simprof" indxobj --csv samples fast.8.1000.exp | cmp -s - samples.csv ||
    fail "indxobj samples"

# The knob costs the program nothing, and neither does the recording.
for mode in detailed fast; do
    for e in none 1000 37; do
        set -- --pmu-trace=cost.$e.exp --set account_us=$e
        [ $e = none ] && set --
        "$simrun" --summary --mode=$mode --cpus=3 "$@" --user ./a 2>&1 |
            grep -v 'host ' | grep -E '^ +(simulated|instructions|CPU)' >sum.$e
        rm -rf cost.$e.exp
    done
    [ -s sum.none ] || fail "$mode: no summary"
    cmp -s sum.none sum.1000 && cmp -s sum.none sum.37 ||
        fail "$mode: the account changes the run"
done

# Killed: what is settled reaches to within an interval, and a beat, of the
# last record of anything.
"$simrun" -q --cpus=3 -e cycles:5000 --pmu-trace=killed.exp --user ./a x &
pid=$!
tries=0
intervals() {
    n=$(grep -c '^at ' killed.exp/log 2>/dev/null)
    echo "${n:-0}"
}
while [ "$(intervals)" -lt 20 ]; do
    tries=$((tries + 1))
    [ $tries -lt 1200 ] || { kill -9 $pid; fail "20 intervals take too long"; }
    sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
settled=$(sed -n 's/^at //p' killed.exp/log | tail -n 1)
[ $((settled % 200000)) -eq 0 ] || fail "settled by $settled"
"$simprof" functions killed.exp >functions 2>err || fail "killed: $(cat err)"
last=$(sed -n 's/.*written by cycle \([0-9]*\).*/\1/p' err)
[ -n "$last" ] || fail "no end is said: $(cat err)"
[ $((last - settled)) -le $((200000 + 3 * 16384)) ] ||
    fail "killed at $last, the account ends at $settled"
"$simprof" cpus --csv killed.exp 2>/dev/null >cpus.csv
awk -F, -v want="$settled" 'NR > 2 && $1 != want { bad = 1 }
    END { exit bad || NR != 5 }' cpus.csv || fail "cpus: $(cat cpus.csv)"
