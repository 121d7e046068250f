#!/bin/sh
# crowded_test.sh - threads that spin, and more of them than CPUs: one that spins keeps its CPU until
# its time slice is over, so the lock's owner may have none. Locks that a program has made of a word
# are recorded free or not, so that predict knows with other CPUs, and with other times, who has to
# wait for them; it says what simrun --what-if measures.
# timeout: 120
set -u
. tests/guest/lib.sh
. tests/causes/judged.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

# KIND: 1 one lock, 2 two locks and threads that come in another order, 3 a barrier, 4 a lock that is
# free each time on few CPUs, as what is done under it is short, 5 one in memory that is freed, 6 one
# for which threads let others run between two tries, 7 a queue in which each looks at a word of its
# own, for which those that run at the same time seldom have to wait, 8 a spin lock of the C library,
# for which as few have to wait, 9 threads that may use one CPU each, 10 two permits, held by a sleep.
cat >"$dir/spin.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#ifndef THREADS
#define THREADS 4
#endif
#define NOINLINE __attribute__((noipa))
static atomic_int first, second, count, round, *heap;
static volatile unsigned sum;
static pthread_spinlock_t spin;
static struct place {
    struct place *_Atomic next;
    atomic_int waits;
} *_Atomic last;

static NOINLINE void inside(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
    sum++;
}
static NOINLINE void outside(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
#if KIND == 10
static sem_t permits;

static NOINLINE void pause_for(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
    sum++;
}
#endif
static NOINLINE void lock(atomic_int *l)
{
    while (atomic_exchange(l, 1))
        while (atomic_load(l))
            ;
}
static NOINLINE void meet(void)
{
    int now = atomic_load(&round);

    if (atomic_fetch_add(&count, 1) == THREADS - 1) {
        atomic_store(&count, 0);
        atomic_fetch_add(&round, 1);
    } else {
        while (atomic_load(&round) == now)
            ;
    }
}
static void *run(void *arg)
{
    int id = (int)(long)arg;

#if KIND == 9
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(id < 3, &one);
    sched_setaffinity(0, sizeof one, &one);
#endif
    for (int k = 0; k < ROUNDS; k++) {
#if KIND == 1
        outside(1500 + id * 25);
        lock(&first);
        inside(1000);
        atomic_store(&first, 0);
#elif KIND == 2
        atomic_int *l = (k + id) % 3 ? &first : &second;

        outside(1000 + (id * 37 + k * 13) % 7 * 150);
        lock(l);
        inside(l == &first ? 350 : 900);
        atomic_store(l, 0);
#elif KIND == 3
        if (id)
            outside(1000);
        else
            inside(3000);
        meet();
#elif KIND == 5
        outside(1500 + id * 25);
        lock(heap);
        inside(1000);
        atomic_store(heap, 0);
#elif KIND == 6
        outside(1800 + id * 25);
        while (atomic_exchange(&first, 1))
            sched_yield();
        inside(1000);
        atomic_store(&first, 0);
#elif KIND == 7
        struct place me = {0}, *before, *self = &me;

        outside(1500);
        atomic_store(&me.waits, 1);
        before = atomic_exchange(&last, &me);
        if (before) {
            atomic_store(&before->next, &me);
            while (atomic_load(&me.waits))
                ;
        }
        inside(1000);
        if (!atomic_compare_exchange_strong(&last, &self, 0)) {
            while (!atomic_load(&me.next))
                ;
            atomic_store(&atomic_load(&me.next)->waits, 0);
        }
#elif KIND == 8
        outside(1500);
        pthread_spin_lock(&spin);
        inside(1000);
        pthread_spin_unlock(&spin);
#elif KIND == 9
        outside(1500);
#elif KIND == 10
        sem_wait(&permits);
        pause_for(40000);
        inside(250);
        sem_post(&permits);
        outside(900);
#else
        outside(3000);
        lock(&first);
        inside(300);
        atomic_store(&first, 0);
#endif
    }
    return 0;
}
int main(void)
{
    pthread_t t[THREADS];

    heap = calloc(1, 64);
#if KIND == 10
    sem_init(&permits, 0, 2);
#endif
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    free(heap);
    return 0;
}
C
built() { # built NAME OPTION...
    name=$1
    shift
    powerpc-linux-gnu-gcc -O2 -g -static -pthread "$@" -o "$dir/$name" "$dir/spin.c" || fail "$name"
}
taken() { # taken LOCK: how often, by `locks`
    "$simprof" locks --limit=0 "$dir/x.exp" | awk -v lock="$1" '/^taken/ { on = 1 } on && $NF == lock { print $1 }'
}
built one -DKIND=1 -DROUNDS=40
judge one 2 cpus=-1 func:inside+=x0.5 func:outside+=x0.5 func:inside+=x2
is "one lock: taken" "$(taken first)" 160
judge one 4 cpus=-1 cpus=+1 func:inside+=x0.5 func:outside+=x0.5
built two -DKIND=2 -DROUNDS=40 -DTHREADS=5
judge two 2 cpus=+1 cpus=+2 cpus=-1 func:inside+=x0.5 func:outside+=x0.5
judge two 4 cpus=+1 cpus=-1 func:inside+=x0.5 func:outside+=x0.5
cp -r "$dir/x.exp" "$dir/two.exp"
is "two locks: taken" "$(($(taken first) + $(taken second)))" 200
built heap -DKIND=5 -DROUNDS=40
judge heap 2 cpus=-1 func:inside+=x0.5 func:outside+=x0.5
judge heap 4 cpus=-1
is "in memory: taken" "$("$simprof" locks --limit=0 "$dir/x.exp" | awk '/^taken/ { on = 1 } on && $NF ~ /^0x/ && $1 == 160' | wc -l)" 1
# Such a lock is none for hold:, which says so.
"$simprof" predict --what-if hold:second=x0 "$dir/two.exp" >"$out" 2>"$dir/err" && fail "hold: $(cat "$out")"
is "hold: of a word" "$(cat "$dir/err")" \
    "simprof: --what-if: second: the program has made this lock of a word; name what it does there (func:)"
"$simprof" predict --what-if cpus=+5 "$dir/two.exp" >"$out" 2>"$dir/err" && fail "nine CPUs: $(cat "$out")"
built yield -DKIND=6 -DROUNDS=60 -DTHREADS=6
doubt=looks judge yield 2 cpus=+1 func:inside+=x0.5 func:inside+=x2 func:outside+=x0.5
doubt=looks judge yield 4 cpus=+1 func:inside+=x0.5 func:inside+=x2 func:outside+=x0.5
built queue -DKIND=7 -DROUNDS=100
rm -rf "$dir/x.exp"
cycles queue --cpus=2 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp" >/dev/null
is "a queue: doubt" "$("$simprof" predict --csv --what-if cpus=+1 "$dir/x.exp" | awk -F, 'NR == 3 { print $NF }')" looks
"$simprof" predict --what-if affinity:1001=0 "$dir/two.exp" >"$out" 2>"$dir/err" || fail "affinity: $(cat "$dir/err")"
status=0
"$simprof" predict --what-if affinity:7=0 "$dir/two.exp" >"$out" 2>"$dir/err" || status=$?
is "no such thread" "$status $(cat "$dir/err")" \
    "125 simprof: --what-if: affinity:7: no thread of that number is in the recording; simprof states has them"
built spins -DKIND=8 -DROUNDS=40
judge spins 2 func:outside=x0.5 func:inside=x0.5 cpus=+1
built bound -DKIND=9 -DROUNDS=40
judge bound 2 cpus=+1 affinity:all=all
# They do not end together, but no other pieces would help who may use one CPU only.
"$simprof" causes "$dir/x.exp" | tr '\n' ' ' | grep -q 'do not end together' && fail "bound: divided unevenly"
# Threads that are woken for a permit come late for it all the time, as one that runs takes it in
# front of them: in the recording they do not.
built permits -DKIND=10 -DROUNDS=25 -DTHREADS=6
rm -rf "$dir/x.exp"
cycles permits --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" >/dev/null
is "permits: doubt" "$("$simprof" predict --csv --what-if func:pause_for=x0.5 "$dir/x.exp" | awk -F, 'NR == 3 { print $NF }')" plays
"$simprof" advise --pairs=3 --limit=9 "$dir/x.exp" >"$dir/text" 2>"$dir/err" || fail "permits: $(cat "$dir/err")"
grep -q 'func:pause_for' "$dir/text" || fail "permits: the sleep was not tried: $(cat "$dir/text")"
grep 'func:.*nanosleep' "$dir/text" && fail "permits: a sleep by the library's name"
is "permits: no doubt" "$("$simprof" predict --csv --what-if func:pause_for=x0.9 "$dir/x.exp" | awk -F, 'NR == 3 { print $NF }')" ""
# Without samples it is not known which cycles are under the lock.
cycles one --cpus=4 --record-locks -f --pmu-trace="$dir/x.exp" >/dev/null
is "doubt, no samples" "$("$simprof" predict --csv --what-if func:inside=x0.5 "$dir/x.exp" | awk -F, 'NR == 3 { print $NF }')" where
# Without records of locks threads that spin do work, and causes says that this is not known.
unknown() { # unknown OPTION: how often that is said
    rm -rf "$dir/x.exp"
    cycles one --cpus=4 "$1" --pmu-trace="$dir/x.exp" >/dev/null
    "$simprof" causes --width=200 "$dir/x.exp" | grep -c 'What threads spin for is not recorded'
}
is "states: spins are unknown" "$(unknown --switch-stacks)" 1
is "locks: spins are unknown" "$(unknown --record-locks)" 0
# Who is the last one at a barrier may be another one.
built meet -DKIND=3 -DROUNDS=4
doubt=looks judge meet 2 func:inside+=x0.5 func:outside+=x0.5
built free -DKIND=4 -DROUNDS=30
judge free 1 cpus=+1 cpus=+3 func:inside+=x8
is "free each time: taken" "$(taken first)" 120
"$simprof" locks "$dir/x.exp" | grep -q '^Words that threads looked at' && fail "one that is free was spun for"
# Where it is not known how it would be: a barrier whose last thread would be another one.
rm -rf "$dir/x.exp"
cycles meet --cpus=4 --record-locks --pmu-trace="$dir/x.exp" >/dev/null
is "doubt, fewer CPUs" "$("$simprof" predict --csv --what-if cpus=-1 "$dir/x.exp" | awk -F, 'NR == 3 { print $NF }')" looks
# A counter is no lock.
is "a counter" "$(taken count)$(taken round)" ""
# Without locks threads that spin make room when they did: with nothing changed that is the recorded run.
cat >"$dir/sections.c" <<'C'
#include <omp.h>
static void __attribute__((noipa)) work(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
int main(void)
{
    omp_set_num_threads(3);
    for (int k = 0; k < 20; k++)
#pragma omp parallel sections
    {
#pragma omp section
        work(5000);
#pragma omp section
        work(3000);
#pragma omp section
        work(2000);
    }
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -fopenmp -o "$dir/sections" "$dir/sections.c" || fail sections
doubt= judge sections 2
exit 0
