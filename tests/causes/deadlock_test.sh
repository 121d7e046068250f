#!/bin/sh
# deadlock_test.sh - a run that ends in a deadlock says so first: who waits for which lock, where, and
# who has it; of philosophers, of a thread that has the lock itself, and not of one that merely waits
# for ever. The message of simrun names the locks. A run that is stopped while all that is left spin in
# vain says so, too, and not one that is stopped while a thread works.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/eats.c" <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#define PLACES 3
static pthread_mutex_t spoon[PLACES] = {[0 ... PLACES - 1] = PTHREAD_MUTEX_INITIALIZER};
static sem_t never;
static void *eats(void *place)
{
    long n = (long)place;
    pthread_mutex_lock(&spoon[n]);
    usleep(200);
    pthread_mutex_lock(&spoon[(n + 1) % PLACES]); /* the line */
    return place;
}
static __attribute__((noinline)) void twice(void)
{
    pthread_mutex_lock(&spoon[0]); /* itself */
    pthread_mutex_unlock(&spoon[0]);
}
int main(int argc, char **argv)
{
    pthread_t who[PLACES];
    if (argc > 1 && *argv[1] == 'i') {
        pthread_mutex_lock(&spoon[0]);
        twice();
    } else if (argc > 1) {
        sem_wait(&never);
    }
    for (long n = 0; n < PLACES; n++)
        pthread_create(&who[n], NULL, eats, (void *)n);
    for (int n = 0; n < PLACES; n++)
        pthread_join(who[n], NULL);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -g -static -pthread -o "$dir/eats" "$dir/eats.c" || exit 1
line=$(grep -n 'the line' "$dir/eats.c" | cut -d: -f1)
itself=$(grep -n 'itself \*/' "$dir/eats.c" | cut -d: -f1)

# ends NAME ARG...: it ends with 125; what `causes` says, on one line.
ends() {
    name=$1
    shift
    "$BUILD/simrun" -q --user --cpus=4 --record-locks --pmu-trace="$dir/$name" "$dir/eats" "$@" 2>"$dir/err"
    [ $? -eq 125 ] || fail "$name: did not end with 125"
    "$simprof" causes "$dir/$name" >"$dir/$name.txt" || fail "causes of $name"
    tr -s '\n ' ' ' <"$dir/$name.txt"
}

out=$(ends all)
place="in eats ([^ ]*eats.c:$line)"
case $out in
*"It ends in a deadlock: "*) ;;
*) fail "no deadlock: $out" ;;
esac
echo "$out" | grep -q "thread 1001 waits for the lock \"spoon\[1\]\" $place, which thread 1002 has; thread 1002 waits for the lock \"spoon\[2\]\" $place, which thread 1003 has; thread 1003 waits for the lock \"spoon\" $place, which thread 1001 has\." ||
    fail "not who waits for whom: $out"
grep -q '1003 in futex at spoon (0x' "$dir/err" && grep -q '1001 in futex at spoon+0x' "$dir/err" ||
    fail "simrun does not name the locks: $(cat "$dir/err")"
"$simprof" causes "$dir/all" --table=chains --limit=0 | tr -s '\n ' ' ' |
    grep -q "waits for the lock \"spoon[^ ]* $place, which thread 100[123] has: a deadlock\." ||
    fail "no chain ends in the deadlock"

out=$(ends self itself)
echo "$out" | grep -q "deadlock: thread 1000 waits for the lock \"spoon\" in twice ([^ ]*eats.c:$itself), which it has itself\." ||
    fail "not that it has the lock itself: $out"
case $out in
*"nothing that is waited for limits this run"*) fail "the opposite is said, too: $out" ;;
esac

out=$(ends wait sem)
case $out in
*"a deadlock"* | *"nothing that is waited for"*) fail "one that waits for ever is no deadlock: $out" ;;
esac
never=$(grep -n 'sem_wait(&never)' "$dir/eats.c" | cut -d: -f1)
echo "$out" | grep -q "It ends with threads that wait for ever: thread 1000 waits for [^;]*\"never\" in main ([^ ]*eats.c:$never)\." ||
    fail "not who waits for ever: $out"
# The first screen says how such a run ended, and not what would make it shorter.
for name in all wait; do
    "$simprof" html -o "$dir/$name.html" "$dir/$name" >/dev/null || fail "html of $name"
    grep -q 'The run ended because no thread could go on: each waits for ever\.' "$dir/$name.html" ||
        fail "$name: not on the first screen"
done

# Threads that spin do not sleep: such a run goes on until it is stopped.
cat >"$dir/spins.c" <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
static pthread_spinlock_t gate;
static struct { atomic_uint next, owner; } queue;
static atomic_int left, go;
static const char *how;
static __attribute__((noipa)) void turns(void)
{
    unsigned me = atomic_fetch_add(&queue.next, 1);
    while (queue.owner != me) /* its turn */
        ;
}
static __attribute__((noipa)) void passes(void)
{
    pthread_spin_lock(&gate); /* the gate */
}
static void *works(void *arg)
{
    if (!strcmp(how, "slow"))
        while (!go)
            ;
    for (int i = 0; i < 20; i++)
        if (!strcmp(how, "turns"))
            turns(); /* none lets the next one in */
        else
            passes(), i == 19 ? 0 : pthread_spin_unlock(&gate);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    how = argv[argc - 1];
    pthread_spin_init(&gate, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, works, NULL);
    if (!strcmp(how, "slow"))
        for (volatile int i = 0; i < 10000000; i++)
            ;
    go = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -g -static -pthread -o "$dir/spins" "$dir/spins.c" || exit 1
line() { # line COMMENT
    grep -n "/\* $1 \*/" "$dir/spins.c" | cut -d: -f1
}
stopped() { # stopped HOW: it is stopped; what `causes` says, on one line
    "$BUILD/simrun" -q --user --cpus=4 --mode=fast --record-locks -e cycles:500 --max-cycles=2000000 \
        --pmu-trace="$dir/$1" "$dir/spins" "$1" 2>"$dir/err"
    [ $? -eq 124 ] || fail "$1: was not stopped: $(cat "$dir/err")"
    "$simprof" causes "$dir/$1" >"$dir/$1.txt" || fail "causes of $1"
    "$simprof" html -o "$dir/$1.html" "$dir/$1" >/dev/null || fail "html of $1"
    tr -s '\n ' ' ' <"$dir/$1.txt"
}
out=$(stopped turns)
echo "$out" | grep -q "It ends with threads that wait for ever: .*thread 1002 looks again and again until \"queue\.owner\" is written in turns ([^ ]*spins.c:$(line 'its turn'))" ||
    fail "not what is spun for: $out"
grep -q 'No thread could go on when the run was stopped: each waits for ever\.' "$dir/turns.html" ||
    fail "turns: not on the first screen"
grep -q 'Who waits for what: thread 100[12] looks again' "$dir/turns.html" || fail "turns: not who waits on the first screen"

# The lock of a thread that has ended is given back by none.
out=$(stopped gate)
echo "$out" | grep -q "thread 100\([12]\) looks again and again for the lock \"gate\" in passes ([^ ]*spins.c:$(line 'the gate')), which thread 100[12] has, taken in passes ([^ ]*spins.c:$(line 'the gate'))\." ||
    fail "not who has the lock: $out"

out=$(stopped slow)
case $out in
*"wait for ever"* | *deadlock*) fail "a thread works: $out" ;;
esac
grep -q 'could go on' "$dir/slow.html" && fail "slow: on the first screen"
exit 0
