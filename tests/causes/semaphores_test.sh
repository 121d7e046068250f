#!/bin/sh
# semaphores_test.sh - a semaphore that threads have in turn is a lock: simprof locks counts who
# took it, predict knows what holding it shorter brings as simrun --what-if measures it, also
# where who comes first decides. One that counts, or by which a thread tells another one
# something, is none.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/sems.c" <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t turn, two, told;
static unsigned done[4];

static unsigned __attribute__((noipa)) compute(unsigned x, int steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static void *run(void *arg)
{
    unsigned me = *(unsigned *)arg;

    for (int i = 0; i < 20; i++) {
        sem_wait(&two);
        done[me] = compute(done[me], 300);
        sem_post(&two);
        if (sem_trywait(&turn))
            sem_wait(&turn);
        done[me] = compute(done[me], 1000);
        sem_post(&turn);
    }
    sem_post(&told);
    return NULL;
}
int main(void)
{
    unsigned index[3] = {0, 1, 2};
    pthread_t t[3];

    sem_init(&turn, 0, 1);
    sem_init(&two, 0, 2);
    sem_init(&told, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run, &index[i]);
    for (int i = 0; i < 3; i++)
        sem_wait(&told);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[0]);
    return 0;
}
C
compiled() {
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$1" "$1.c" || exit 1
}
cycles() { sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$out"; }
compiled "$dir/sems"
user "$dir/sems" --cpus=4 --record-locks -e cycles:500 --summary=json \
    --pmu-trace="$dir/x.exp" >"$out" 2>&1 </dev/null || fail "$(cat "$out")"
was=$(cycles)
user "$dir/sems" --cpus=4 --summary=json --what-if 'hold:turn=x0.5' >"$out" 2>&1 </dev/null ||
    fail "$(cat "$out")"
is=$(cycles)
"$simprof" locks "$dir/x.exp" | sed -n '/^Locks that were taken/,$p' >"$dir/taken"
grep -Eq '^ +60 +[1-9][0-9]* .* turn$' "$dir/taken" || fail "turn: $(cat "$dir/taken")"
grep -Eq ' (two|told)$' "$dir/taken" && fail "no locks: $(cat "$dir/taken")"
p=$("$simprof" predict --csv "$dir/x.exp" --what-if hold:turn=x0.5 | sed -n '3s/,.*//p')
awk -v was="$was" -v is="$is" -v p="$p" 'BEGIN {
    off = is > p ? is - p : p - is
    exit !(was - is > was / 4 && off < (was - is) / 10) }' ||
    fail "hold:turn takes $was to $is, predicted $p"
for name in two told; do
    "$simprof" predict "$dir/x.exp" --what-if hold:$name=x0.5 >"$out" 2>&1 && fail "$name: $(cat "$out")"
    grep -q "$name: no lock of that name" "$out" || fail "$name: $(cat "$out")"
done

# Two of four threads may have it at a time, and the others wait.
sed -e 's/unsigned index\[3\] = {0, 1, 2}/unsigned index[4] = {0, 1, 2, 3}/; s/t\[3\]/t[4]/' \
    -e 's/i < 3/i < 4/; s/compute(done\[me\], 300)/compute(done[me], 6000)/' \
    -e '/sem_trywait/,/sem_post(&turn)/s/.*/done[me] = compute(done[me], 20);/' "$dir/sems.c" >"$dir/pair.c"
compiled "$dir/pair"
for where in user guest; do
    set -- user "$dir/pair" --cpus=4
    [ $where = user ] || set -- "$simrun" -q --mode=fast --cpus=4 --append states=on
    with="${where#user}"
    "$@" --record-locks -e cycles:500 --summary=json --pmu-trace="$dir/$where.exp" \
        ${with:+"$guest" --program "$dir/pair"} >"$out" 2>&1 </dev/null || fail "$(cat "$out")"
    was=$(cycles)
    "$@" --summary=json --what-if func:compute=x0.5 ${with:+"$guest" --program "$dir/pair"} \
        >"$out" 2>&1 </dev/null || fail "$(cat "$out")"
    is=$(cycles)
    "$simprof" locks "$dir/$where.exp" | sed -n '/^Locks that were taken/,$p' >"$dir/taken"
    grep -Eq '^ +[1-9][0-9,]* +[1-9][0-9]* .* two$' "$dir/taken" || fail "$where: two: $(cat "$dir/taken")"
    p=$("$simprof" predict --csv "$dir/$where.exp" --what-if func:compute=x0.5 | sed -n '3s/,.*//p')
    awk -v was="$was" -v is="$is" -v p="$p" 'BEGIN {
        off = is > p ? is - p : p - is
        exit !(was - is > was / 5 && off < was / 20) }' ||
        fail "$where: half of compute takes $was to $is, predicted $p"
done

# Three threads, one of which may take the semaphore again before who was woken comes.
tests/causes/generate 41 >"$dir/pool.c" || exit 1
compiled "$dir/pool"
"$simrun" -q --mode=fast --cpus=2 --append states=on --record-locks -e cycles:1000 \
    --pmu-trace="$dir/p.exp" "$guest" --program "$dir/pool" >"$out" 2>&1 </dev/null ||
    fail "$(cat "$out")"
"$simrun" -q --mode=fast --cpus=2 --append states=on --summary=json --what-if func:part_1+=x0.5 \
    "$guest" --program "$dir/pool" >"$out" 2>&1 </dev/null || fail "$(cat "$out")"
"$simprof" predict --csv "$dir/p.exp" --what-if func:part_1+=x0.5 >"$dir/p.csv"
awk -F, -v is="$(cycles)" 'NR == 2 { was = $1 } NR == 3 {
    off = is > $1 ? is - $1 : $1 - is
    exit !(was - is > was / 10 && off < was * 3 / 100) }' "$dir/p.csv" ||
    fail "func:part_1 takes it to $(cycles), predicted $(cat "$dir/p.csv")"
