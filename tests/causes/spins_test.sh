#!/bin/sh
# spins_test.sh - threads that spin, with a counter or a yield in between, at locks of their own and in
# OpenMP: who spins waits for who writes the word, so causes says that threads
# looked at words, has the cause first, and predict says what simrun --what-if measures. The cycles of
# spins are the same in classes, roots, states, statistics and locks.
# timeout: 120
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/work.h" <<'C'
#define NOINLINE __attribute__((noipa))
static NOINLINE unsigned mix(unsigned x, int n)
{
    while (n--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static NOINLINE unsigned inside(unsigned x)
{
    return mix(x, 700) ^ 5;
}
static NOINLINE unsigned outside(unsigned x)
{
    return mix(x, 1500) ^ 9;
}
C
# LOCK: 1 test and set, 2 compare and swap and a yield now and then, 3 tickets, 4 a counter of tries
# and then a yield, 5 compare and swap and a pause that grows.
cat >"$dir/locks.c" <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include "work.h"
static atomic_int word;
static atomic_uint next, serving;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static unsigned sum;

static void lock(void)
{
#if LOCK == 1
    while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
        ;
#elif LOCK == 3
    unsigned mine = atomic_fetch_add(&next, 1);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        ;
#else
    int zero = 0, tries = 0, pause = 4;

    for (; !atomic_compare_exchange_strong(&word, &zero, 1); zero = 0) {
#if LOCK == 2
        if (++tries % 100 == 0)
            sched_yield();
#elif LOCK == 5
        for (int i = 0; i < pause; i++)
            __asm__ volatile("nop");
        pause *= pause < 200 ? 2 : 1;
#else
        while (atomic_load_explicit(&word, memory_order_relaxed) && ++tries < 4000)
            ;
        if (tries == 4000)
            sched_yield();
#endif
    }
#endif
}
static void unlock(void)
{
#if LOCK == 1
    atomic_flag_clear_explicit(&flag, memory_order_release);
#elif LOCK == 3
    atomic_store_explicit(&serving, serving + 1, memory_order_release);
#else
    atomic_store_explicit(&word, 0, memory_order_release);
#endif
}
static NOINLINE void add(unsigned x)
{
    lock();
    sum += inside(x);
    unlock();
}
static void *run(void *arg)
{
    unsigned x = (unsigned)(long)arg;

    for (int n = 0; n < 40; n++) {
        add(x);
        x = outside(x);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[4];

    for (long n = 0; n < 4; n++)
        pthread_create(&t[n], NULL, run, (void *)n);
    for (int n = 0; n < 4; n++)
        pthread_join(t[n], NULL);
    printf("%d\n", sum != 7);
    return 0;
}
C
# WORK: 1 a part of a loop is critical, 2 a slow section, 3 one thread comes late to a barrier, 4 a
# lock, 5 a serial part between loops, 6 tasks, of which some wait for others, 7 a tree of tasks, 8 a
# part of a loop in order, for which threads that come later may be first at the loop's lock.
cat >"$dir/openmp.c" <<'C'
#include <omp.h>
#include <stdio.h>
#include "work.h"
static unsigned sum, total;

static NOINLINE void grow(int deep)
{
    if (!deep) {
        total ^= inside(deep);
        return;
    }
#pragma omp task
    grow(deep - 1);
    grow(deep - 1);
#pragma omp taskwait
    sum += outside(deep);
}

int main(void)
{
#if WORK == 1
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 120; i++) {
        unsigned x = outside(i);
#pragma omp critical
        sum += inside(x);
    }
#elif WORK == 2
    for (int k = 0; k < 12; k++)
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < 6; i++)
            total += inside(k);
#pragma omp section
        sum ^= outside(k);
    }
#elif WORK == 3
#pragma omp parallel
    for (int k = 0; k < 12; k++) {
        unsigned x = outside(k);

        if (omp_get_thread_num() == 1)
            for (int i = 0; i < 6; i++)
                total ^= inside(x);
#pragma omp barrier
    }
#elif WORK == 4
    omp_lock_t lock;

    omp_init_lock(&lock);
#pragma omp parallel
    for (int k = 0; k < 40; k++) {
        unsigned x = outside(k);

        omp_set_lock(&lock);
        sum += inside(x);
        omp_unset_lock(&lock);
    }
#elif WORK == 6
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 8; i++)
#pragma omp task
        {
            unsigned x = outside(i);

#pragma omp atomic
            sum += x;
        }
#pragma omp taskwait
        for (int i = 0; i < 6; i++)
            total += inside(k);
    }
#elif WORK == 7
#pragma omp parallel
#pragma omp single
    grow(6);
#elif WORK == 9
    omp_set_num_threads(2);
#pragma omp parallel
    for (int k = 0; k < 6; k++) {
        unsigned x = 0;

        for (int i = 0; i < 8; i++)
            x += outside(k + i);
#pragma omp atomic
        sum += x;
#pragma omp barrier
    }
#elif WORK == 8
#pragma omp parallel for ordered schedule(dynamic, 1)
    for (int i = 0; i < 60; i++) {
        unsigned x = mix(i, 1000 + i % 5 * 600);

#pragma omp ordered
        sum += inside(x);
    }
#else
    for (int k = 0; k < 10; k++) {
        for (int i = 0; i < 8; i++)
            total += inside(k);
#pragma omp parallel for reduction(+ : sum)
        for (int i = 0; i < 8; i++)
            sum += outside(i);
    }
#endif
    printf("%d\n", (sum ^ total) != 1);
    return 0;
}
C
one=
cycles() { # cycles PROGRAM OPTION...
    program=$1
    shift
    user "$dir/$program" ${one:---cpus=4} --mode=fast --summary=json:"$dir/json" "$@" >"$out" 2>"$dir/err" ||
        fail "$program: $(cat "$dir/err")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
judge() { # judge PROGRAM [FUNCTIONS]: within a tenth of the gain or a fiftieth of all, with no doubt
    rm -rf "$dir/x.exp"
    all=$(cycles "$1" --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
    for function in ${2:-inside outside}; do
        measured=$(cycles "$1" --what-if "func:$function+=x0.5")
        "$simprof" predict --csv "$dir/x.exp" --what-if "func:$function+=x0.5" >"$dir/csv" 2>"$dir/err" ||
            fail "$1: $(cat "$dir/err")"
        predicted=$(awk -F, 'NR == 3 { print $1 }' "$dir/csv")
        echo "$1, $function: of $all, measured $measured, predicted $predicted"
        awk -v r="$all" -v m="$measured" -v p="$predicted" 'BEGIN {
            t = (r > m ? r - m : m - r) / 10; if (t < r / 50) t = r / 50
            exit (p > m ? p - m : m - p) > t }' ||
            fail "$1, $function: of $all, measured $measured, predicted $predicted"
        is "$1, $function: doubt" "$(awk -F, 'NR == 3 { print $NF }' "$dir/csv")" ""
    done
    first=${2:-inside}
    "$simprof" causes --csv "$dir/x.exp" | sed -n 2p | grep -q "${first%% *}" ||
        fail "$1: first is $("$simprof" causes --csv "$dir/x.exp" | sed -n 2p)"
    [ "$one" ] || "$simprof" causes "$dir/x.exp" | tr '\n' ' ' | grep -q 'threads ran in functions that take locks while others had these .*, or looked at words until others wrote them' ||
        fail "$1: no word of spinning: $("$simprof" causes "$dir/x.exp" | sed -n 3,7p)"
}
told() { # told REPORT COLUMN=VALUE COLUMN OPTION...: the sum of that column in those rows
    report=$1 is=${2#*=} of=${2%=*} column=$3
    shift 3
    "$simprof" "$report" --csv "$@" "$dir/x.exp" | awk -F, -v of="$of" -v is="$is" -v column="$column" '
        NR == 1 { for (n = 1; n <= NF; n++) at[$n] = n - NF; next }
        is == "" || $(NF + at[of]) == is { sum += $(NF + at[column]) } END { print sum + 0 }'
}
# spins PROGRAM WHAT: one that spins for WHAT, lock or word: classes, roots and states have the same
# cycles of it, apart from spins of fewer than 64 cycles; work, waits and spins are a thread's life.
spins() {
    exact=$(told states name= spinning)
    classes=$(told causes class=spins cycles --table=classes)
    echo "$1: spun $exact, by classes $classes"
    awk -v a="$exact" -v b="$classes" 'BEGIN { exit !(a > 20000 && b <= a && b > a * 0.98) }' ||
        fail "$1: spun $exact by states, $classes by classes"
    is "$1: roots" "$(told causes what= spun)" "$classes"
    most=$(told causes "class=spins-$2" cycles --table=classes)
    awk -v a="$most" -v b="$classes" 'BEGIN { exit !(a > b / 2) }' || fail "$1: $most of $classes are of a $2"
    is "$1: parts" "$(($(told causes class=spins cycles --table=classes --to=100000) +
        $(told causes class=spins cycles --table=classes --from=100000)))" "$classes"
    is "$1: waits" "$(told statistics of=total user_lock)" "$exact"
    is "$1: total" "$(told statistics of=total total)" "$(($(told statistics of=total work) + $(told statistics of=total wait)))"
    "$simprof" locks --limit=0 "$dir/x.exp" | awk '/^Words that threads looked at/ { on = 1; next }
        !NF { on = 0 } on && $4 ~ /^(lock|word)$/ { gsub(/,/, ""); sum += $1 } END { print sum + 0 }' >"$dir/words"
    awk -v all="$classes" '{ exit !($1 <= all && $1 > all * 0.9) }' "$dir/words" ||
        fail "$1: of $classes cycles words have $(cat "$dir/words")"
    "$simprof" locks --csv --spun "$dir/x.exp" >"$dir/csv"
    is "$1: --spun" "$(head -n 1 "$dir/csv")" "spun,times,longest,is,word,line,functions"
    awk -F, -v all="$classes" 'NR > 1 { sum += $1 } END { exit !(sum <= all && sum > all * 0.9) }' "$dir/csv" ||
        fail "$1: of $classes cycles words have $(cat "$dir/csv")"
    # Those of one word by its name, and those of threads that spin until one has it that spins for it.
    word=$(sed -n 2p "$dir/csv" | cut -d, -f 5)
    told causes class=spins cycles --table=classes "--object=$word" >"$dir/of"
    awk -F, -v w="$word" -v all="$classes" -v of="$(cat "$dir/of")" 'NR > 1 && $5 == w { sum += $1 }
        END { exit !(sum && of >= sum && of <= all) }' "$dir/csv" ||
        fail "$1: --object=$word: $(cat "$dir/of") of $(cat "$dir/csv")"
    # What it spins until is over is not the spinning: most of it is in functions that work.
    "$simprof" causes "$dir/x.exp" >"$dir/text"
    grep -q '^ *[1-9][0-9,]* *100.0%  <Total>$' "$dir/text" || fail "$1: $(cat "$dir/text")"
    chain='looks again and again until .* is written; thread [0-9]* writes that'
    [ "$2" = word ] || chain='spins for the lock .*, which thread [0-9]* has, because'
    tr '\n' ' ' <"$dir/text" | grep -q "of spinning time is like this.*CPU [0-3] does no work: thread [0-9]* $chain" ||
        fail "$1: no chain: $(cat "$dir/text")"
    "$BUILD/simview" --text --size=1600x1000 "$dir/x.exp" >"$dir/screen" || fail "$1: simview"
    grep -Eq '^(No change stands out: )?CPUs are idle [0-9.]* % of the time, and threads spin [1-9][0-9.]* % of it[,;].* waits for ' \
        "$dir/screen" || fail "$1: the first screen: $(sed -n 3,6p "$dir/screen")"
    "$simprof" history --limit=0 "$dir/x.exp" | grep -q ' spinning  ' || fail "$1: history"
    "$simprof" timeline --csv "$dir/x.exp" | grep -q ',spinning,' || fail "$1: timeline"
}
for lock in 1 2 3 4; do
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -DLOCK=$lock -o "$dir/lock$lock" "$dir/locks.c" || fail "lock $lock"
    judge lock$lock
    what=lock
    [ $lock = 3 ] && what=word
    spins lock$lock $what
done
# Threads that come later take the lock before one that pauses: in another run others do.
powerpc-linux-gnu-gcc -O2 -g -static -pthread -DLOCK=5 -o "$dir/lock5" "$dir/locks.c" || fail "lock 5"
rm -rf "$dir/x.exp"
all=$(cycles lock5 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
is "doubt, a pause that grows" "$("$simprof" predict --csv --what-if func:outside+=x0.5 "$dir/x.exp" | awk -F, 'NR == 3 { print $NF }')" order
spins lock5 lock
# A spin is over when the thread has loaded the word, behind its pause: it is nearly all of the function.
all=$("$simprof" functions --csv --limit=0 --metrics=e+exact "$dir/x.exp" | awk -F, '$NF == "add" { print $1 }')
spun=$(told states name= spinning)
awk -v all="$all" -v spun="$spun" 'BEGIN { exit !(spun <= all && spun > all * 0.95) }' ||
    fail "lock5: of $all cycles of add threads spin $spun"
# Threads that lose their CPU within a spin spin on when they have one again.
one=--cpus=2
rm -rf "$dir/x.exp"
all=$(cycles lock3 --set slice_us=20 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
one=
spins lock3 word
if echo 'int main(void) { return 0; }' | powerpc-linux-gnu-gcc -static -fopenmp -x c -o "$dir/any" - 2>"$dir/err"; then
    for work in 1 2 3 4 5; do
        powerpc-linux-gnu-gcc -O2 -g -static -fopenmp -DWORK=$work -o "$dir/openmp$work" "$dir/openmp.c" \
            2>"$dir/err" || fail "$(cat "$dir/err")"
        judge openmp$work
        what=word
        case $work in 1 | 4) what=lock ;; esac
        spins openmp$work $what
        # It is the cause, though no CPU idles; a library's function that runs tasks is not tried.
        case $work in 2 | 3)
            "$simprof" advise --budget=15 --pairs=3 --limit=2 --width=300 "$dir/x.exp" >"$dir/text" 2>"$dir/err" ||
                fail "$(cat "$dir/err")"
            grep -q '^The cause: runs .*inside' "$dir/text" || fail "openmp$work: $(cat "$dir/text")" ;;
        esac
    done
    for work in 6 7 8; do
        powerpc-linux-gnu-gcc -O2 -g -static -fopenmp -DWORK=$work -o "$dir/openmp$work" "$dir/openmp.c" \
            2>"$dir/err" || fail "$(cat "$dir/err")"
    done
    rm -rf "$dir/x.exp"
    all=$(cycles openmp6 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
    is "tasks, played as they were" "$("$simprof" predict --csv "$dir/x.exp" | awk -F, 'NR == 2 { print $1 }')" "$all"
    "$simprof" advise --budget=20 --pairs=3 --csv "$dir/x.exp" >"$dir/csv" 2>"$dir/err" || fail "$(cat "$dir/err")"
    grep -q 'func:inside' "$dir/csv" || fail "tasks: $(cat "$dir/csv")"
    # What threads spin in is no work: in half the time the run is as long.
    rm -rf "$dir/x.exp"
    all=$(cycles openmp3 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
    "$simprof" predict --csv --what-if func:gomp_team_barrier_wait_end+=x0.5 "$dir/x.exp" >"$dir/csv" 2>"$dir/err" ||
        fail "$(cat "$dir/err")"
    awk -F, -v all="$all" 'NR == 3 { exit !($2 < all / 50 && $2 > -all / 50) }' "$dir/csv" ||
        fail "half the spinning brings $(sed -n 3p "$dir/csv") of $all"
    # Of two threads on a CPU one has none when what it waits for is there: that is no part of its wait.
    powerpc-linux-gnu-gcc -O2 -g -static -fopenmp -DWORK=9 -o "$dir/openmp9" "$dir/openmp.c" \
        2>"$dir/err" || fail "$(cat "$dir/err")"
    one=--cpus=1
    judge openmp9 outside
    one=
    # GOMP_taskwait runs tasks of the program while it waits.
    rm -rf "$dir/x.exp"
    all=$(cycles openmp7 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
    "$simprof" functions --csv --limit=0 --metrics=i+cycles "$dir/x.exp" | awk -F, '$2 == "GOMP_taskwait" { n = $1 }
        NR == 2 { all = $1 } END { exit !(n > all / 10) }' || fail "GOMP_taskwait runs no tasks"
    "$simprof" advise --budget=20 --pairs=3 --limit=0 --csv "$dir/x.exp" >"$dir/csv" 2>"$dir/err" || fail "$(cat "$dir/err")"
    grep -q 'func:inside' "$dir/csv" || fail "a tree of tasks: $(cat "$dir/csv")"
    ! grep -q 'func:GOMP_' "$dir/csv" || fail "a tree of tasks: $(cat "$dir/csv")"
    # Of iterations in order each waits for the one before; a lock that is had for a moment says nothing.
    judge openmp8 "inside mix"
else
    echo "skipped: OpenMP, the cross compiler has no libgomp"
fi
exit 0
