#!/bin/sh
# naps_test.sh - no thread has cycles of a processor that naps: not one that
# ended, waits for a mutex, a condition, a thread or the clock, nor one that has
# not begun. Naps, exact and sampled, are <napping> in every report and export.
# timeout: 180
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
simprof=$BUILD/simprof
cat >"$dir/early.c" <<'C'
#include <pthread.h>
#include <unistd.h>
/* A line of its own: a reservation of another word in it would be lost to
 * every store. */
static struct { volatile int n; char rest[124]; } alone
    __attribute__((aligned(128)));
#define x alone.n
static volatile int go;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static void *early(void *p) { for (int i = 0; i < 500; i++) x++; return p; }
static void *waits(void *p)
{
    pthread_mutex_lock(&lock);
    while (!go) pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    return p;
}
static void *locks(void *p)
{
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    return p;
}
static void *sleeps(void *p)
{
    for (int i = 0; i < 5; i++) {
        usleep(2000);
        for (int k = 0; k < 3000; k++) x++;
    }
    return p;
}
int main(void)
{
    void *(*run[])(void *) = {early, waits, locks, sleeps};
    pthread_t t[4];
    pthread_mutex_lock(&held);
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run[i], 0);
    for (int i = 0; i < 300000; i++) x += i;
    pthread_mutex_lock(&lock);
    go = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&held);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/early" "$dir/early.c" ||
    exit 1
cd "$dir" || exit 1
col() { # file, name in the last column, number of the column
    awk -F, -v name="$2" -v c="$3" '$NF == name { print $c; found = 1 }
        END { if (!found) print 0 }' "$1"
}
near() { # a, b, of: a and b differ by less than 2 % of it
    awk -v a="$1" -v b="$2" -v of="$3" \
        'BEGIN { d = a - b; exit !(d < of / 50 && d > -of / 50) }'
}

for mode in detailed fast; do
    for cpus in 1 2 4 8; do
        e=$mode.$cpus.exp
        where="$mode, $cpus CPUs"
        "$simrun" -q --mode=$mode --cpus=$cpus -e cycles:1500 \
            --pmu-trace=$e --user ./early || fail "$where: status $?"
        for report in threads functions pcs lines; do
            "$simprof" $report --csv --limit=0 --metrics=e+exact:e+cycles $e \
                >$report.csv 2>err || fail "$where: $report: $(cat err)"
        done
        all=$(col threads.csv '<Total>' 2)
        nap=$(col threads.csv '<napping>' 1)
        [ "$nap" -gt $((all / 20)) ] || fail "$where: <napping> has $nap"
        # Short threads: 500 rounds, a wait, a lock and its end.
        for t in 1001 1002 1003; do
            own=$(awk -F, -v t="thread $t" '$NF == t { print $1 + 0 }' \
                threads.csv)
            [ "${own:-0}" -gt 0 ] && [ "$own" -lt 15000 ] ||
                fail "$where: thread $t has '$own' cycles"
            own=$(awk -F, -v t="thread $t" '$NF == t { print $2 + 0 }' \
                threads.csv)
            [ "${own:-0}" -lt 25000 ] ||
                fail "$where: thread $t was sampled with $own cycles"
        done
        for report in threads functions pcs lines; do
            [ "$(col $report.csv '<napping>' 1)" = "$nap" ] ||
                fail "$where: $report: exact naps"
            near "$(col $report.csv '<napping>' 2)" "$nap" "$all" ||
                fail "$where: $report: sampled naps"
        done
        # Nothing of a nap is left in what was left behind.
        sampled=$(col functions.csv '<napping>' 2)
        near "$(col functions.csv start_thread 2)" \
            "$(col functions.csv start_thread 1)" "$all" ||
            fail "$where: start_thread has naps"
        "$simprof" export --format=folded $e >folded || fail "$where: folded"
        [ "$(sed -n 's/^<napping> //p' folded)" = "$sampled" ] ||
            fail "$where: folded naps"
        grep -q '.<napping>\|<napping>;' folded && fail "$where: naps in stacks"
        "$simprof" csingle '<napping>' $e | grep -q '<Total>$' ||
            fail "$where: who calls <napping>?"
        # A field to choose by, in both kinds.
        "$simprof" functions --csv --limit=0 --metrics=e+exact:e+cycles \
            --filters='!napping' $e >busy.csv || fail "$where: !napping"
        grep -q '<napping>' busy.csv && fail "$where: naps are there"
        [ "$(col busy.csv '<Total>' 2)" -eq $((all - sampled)) ] ||
            fail "$where: !napping has another sum"
        "$simprof" functions --csv --metrics=e+exact:e+cycles \
            --filters=napping $e >naps.csv || fail "$where: napping"
        [ "$(col naps.csv '<Total>' 1) $(col naps.csv '<Total>' 2)" = \
            "$nap $sampled" ] || fail "$where: napping has another sum"
        # The same by a time tree.
        "$simprof" functions --csv --limit=0 $e >list.csv
        "$simprof" tree build $e >/dev/null 2>err || fail "$where: $(cat err)"
        "$simprof" functions --csv --limit=0 $e 2>/dev/null | cmp -s - list.csv ||
            fail "$where: the time tree says otherwise"
    done
done

# perf has them as its own idle task, at no address.
"$simprof" export --format=perf --output=perf.data detailed.4.exp ||
    fail "no perf.data"
if command -v perf >/dev/null; then
    perf report -i perf.data --no-children --sort=comm --stdio -F period,comm \
        2>/dev/null >perf.txt
    got=$(awk '/swapper/ { n += $1 } END { print n + 0 }' perf.txt)
    want=$("$simprof" functions --csv --metrics=e+exact:e+cycles detailed.4.exp |
        awk -F, '$NF == "<napping>" { print $2 }')
    [ "$got" = "$want" ] || fail "perf: swapper has $got, naps are $want"
fi
exit 0
