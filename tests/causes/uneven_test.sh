#!/bin/sh
# uneven_test.sh - of threads that one place makes and that do not end together causes and advise say
# so, and what sharing out their work would bring: that is what the same program takes less with many
# small pieces. The creating thread may have a part. Of small pieces, of a pipeline, and of a thread that waits at its end nothing is said.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/pieces.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noipa))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int left, length, items;
static unsigned sum;

static NOINLINE unsigned mix(unsigned x, int steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static NOINLINE unsigned pack(int piece)
{
    return mix(piece, length);
}
/* Takes pieces until there are none. */
static NOINLINE void *packer(void *unused)
{
    int piece;

    do {
        pthread_mutex_lock(&lock);
        piece = left > 0 ? left-- : 0;
        pthread_mutex_unlock(&lock);
        if (piece)
            sum ^= pack(piece);
    } while (piece);
    return unused;
}
/* Stages: the first makes items, the second takes them, and works on longer. */
static NOINLINE void *make_items(void *unused)
{
    for (int n = 0; n < 40; n++) {
        sum ^= mix(n, 4000);
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
static NOINLINE void *take_items(void *unused)
{
    for (int n = 0; n < 40; n++) {
        pthread_mutex_lock(&lock);
        while (!items)
            pthread_cond_wait(&filled, &lock);
        items--;
        pthread_mutex_unlock(&lock);
        sum ^= mix(n, 8000);
    }
    return unused;
}
int main(int argc, char **argv)
{
    void *(*const stage[2])(void *) = {make_items, take_items};
    int stages = argc > 1 && !strcmp(argv[1], "stages"), threads = stages ? 2 : 4;
    pthread_t t[4];

    left = argc > 1 && !stages ? atoi(argv[1]) : 6;
    length = 1200000 / (left ? left : 1);
    for (int n = 0; n < threads; n++)
        pthread_create(&t[n], NULL, stages ? stage[n] : packer, NULL);
    for (int n = 0; n < threads; n++)
        pthread_join(t[n], NULL);
    printf("%u\n", sum);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -g -static -pthread -o "$dir/pieces" "$dir/pieces.c" || fail "does not compile"
record() { # record WHERE CPUS ARGUMENT: $dir/x.exp, and cycles
    rm -rf "$dir/x.exp"
    set -- "$1" "$2" "$3" -q --mode=fast --cpus="$2" --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp"
    where=$1 argument=$3
    shift 3
    if [ "$where" = user ]; then
        "$simrun" "$@" --user "$dir/pieces" "$argument" >"$out" 2>"$dir/err" || fail "$(cat "$dir/err")"
    else
        "$simrun" "$@" --append states=on "$guest" --program "$dir/pieces" "$argument" >"$out" 2>"$dir/err" ||
            fail "$(cat "$dir/err")"
    fi
    cycles=$(sed -n 's/^end //p' "$dir/x.exp/log")
    "$simprof" causes --width=1000 "$dir/x.exp" | grep 'do not end together' >"$dir/said"
}
for where in user guest; do
    # 6 pieces, 4 CPUs: two rounds, of which four threads have two thirds of the second to wait.
    record $where 4 6
    long=$cycles
    grep -q "^The 4 threads of packer that main.* creates (.*pieces\.c:[0-9]*) do not end together: .*smaller pieces" \
        "$dir/said" || fail "$where: $(cat "$dir/said")"
    is "$where: a blank line before it" \
        "$("$simprof" causes "$dir/x.exp" | grep -B 1 '^The 4 threads of' | head -n 1)" ""
    said=$(sed 's/.*earlier, by \([0-9]*\)\..*/\1/' "$dir/said")
    record $where 4 60
    is "$where, 60 pieces" "$(cat "$dir/said")" ""
    found=$((100 * (long - cycles) / long))
    [ "$said" -ge $((found - 1)) ] && [ "$said" -le $((found + 2)) ] ||
        fail "$where: $said said, $found with small pieces"
    above "$where: found" "$found" 15
    record $where 2 6
    is "$where, 2 CPUs" "$(cat "$dir/said")" ""
    record $where 4 stages
    is "$where, stages" "$(cat "$dir/said")" ""
done
# The thread that makes the others has a part, too: of 280 pieces 160, where 70 would be even on 4 CPUs.
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
for cpus in 4 2; do
    rm -rf "$dir/x.exp"
    user "$BUILD/workloads/early_end" --cpus=$cpus --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" >"$out" 2>&1 ||
        fail "$(cat "$out")"
    "$simprof" causes --width=1000 "$dir/x.exp" | grep 'do not end together' >"$dir/said"
    grep -q '^The 3 threads of worker that load_run < main creates (.*), and the thread that creates them, do not' \
        "$dir/said" || fail "early_end: $(cat "$dir/said")"
    gain=$(sed 's/.*earlier, by \([0-9]*\)\..*/\1/' "$dir/said")
    case $cpus in 4) even=70 ;; 2) even=140 ;; esac
    less=$((100 * (160 - even) / 160))
    [ "$gain" -le "$less" ] && [ "$gain" -ge $((less - 4)) ] || fail "early_end: $gain said, $less of the work"
done
rm -rf "$dir/x.exp"
user "$BUILD/workloads/barrier_imbalance" --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" >"$out" 2>&1
is "in step" "$("$simprof" causes --width=1000 "$dir/x.exp" | grep -c 'do not end together')" 0
record user 4 6
"$simprof" advise --budget=20 --limit=1 --pairs=3 --width=1000 "$dir/x.exp" >"$dir/text" 2>"$dir/err" || fail "$(cat "$dir/err")"
grep -q '^The 4 threads of packer that main.* do not end together' "$dir/text" || fail "advise: $(cat "$dir/text")"
# Who waits for the others in a loop, as threads of OpenMP do, has finished as well: in smaller pieces
# the run is as much shorter as is said.
cat >"$dir/rows.c" <<'C'
static unsigned v[64];
static __attribute__((noipa)) unsigned row(int i)
{
    unsigned s = i;

    for (int k = 0; k < 200 * i; k++)
        s = s * 33 + k;
    return s;
}
int main(void)
{
#pragma omp parallel for schedule(SCHEDULE) num_threads(4)
    for (int i = 0; i < 64; i++)
        v[i] = row(i);
    return v[5] == 1;
}
C
elapsed() { sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"; }
for schedule in static dynamic,1; do
    powerpc-linux-gnu-gcc -O2 -g -static -fopenmp -DSCHEDULE=$schedule -o "$dir/rows-$schedule" "$dir/rows.c" \
        2>"$dir/err" || { echo "no OpenMP: $(cat "$dir/err")"; exit 77; }
    rm -rf "$dir/x.exp"
    user "$dir/rows-$schedule" --cpus=4 --mode=fast --record-locks --summary=json:"$dir/json" -e cycles:500 \
        --pmu-trace="$dir/$schedule.exp" >"$out" 2>&1 || fail "rows: $(cat "$out")"
    eval "$(echo $schedule | tr -d ,1)=$(elapsed)"
done
said=$("$simprof" causes --width=1000 "$dir/static.exp" | sed -n 's/.*earlier, by \([0-9.]*\)% of the run.*/\1/p')
awk -v s="${said:-0}" -v a="$static" -v b="$dynamic" 'BEGIN { g = 100 * (1 - b / a); exit !(g > 10 && s > g - 3 && s < g + 3) }' ||
    fail "rows: by ${said:-nothing} is said, $static become $dynamic"
exit 0
