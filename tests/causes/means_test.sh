#!/bin/sh
# means_test.sh - a function that several call for work or sleeps is not what simprof advise
# calls the cause: its caller is, which simprof causes has in the same row, under --user and in
# the guest; so is one kind of thread among others. A lock is named with the function that
# holds it. No two changes are tried together of which one contains the other. Where all
# threads have the same to do, or CPUs idle only since threads begin and end, nothing is called
# the cause.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/head.h" <<'EOF'
#include <pthread.h>
#include <time.h>
static volatile unsigned out[8], sum;
static unsigned mix(unsigned x, unsigned n)
{
    while (n--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static void all(void *(*(*begin)(unsigned))(void *))
{
    pthread_t t[4];
    static unsigned n[4];
    for (unsigned i = 0; i < 4; i++) {
        n[i] = i;
        pthread_create(&t[i], NULL, begin(i), &n[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}
EOF
# All sleep in nap(); it is commit() that has the lock meanwhile.
cat >"$dir/naps.c" <<'EOF'
#include "head.h"
static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static void nap(long ns)
{
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}
static void commit(void)
{
    pthread_mutex_lock(&ledger);
    nap(400000);
    sum++;
    pthread_mutex_unlock(&ledger);
}
static void rest(void)
{
    nap(100000);
    sum++;
}
static void *worker(void *p)
{
    unsigned me = *(unsigned *)p, x = me;
    for (int i = 0; i < 10; i++) {
        x = mix(x, 4000);
        commit();
        rest();
    }
    out[me] = x;
    return NULL;
}
static void *(*begin(unsigned n))(void *)
{
    (void)n;
    return worker;
}
int main(void)
{
    all(begin);
    return 0;
}
EOF
# All compute in mix(); one thread has four times as much to do as the others.
cat >"$dir/hog.c" <<'EOF'
#include "head.h"
static pthread_barrier_t gate;
static void *hog(void *p)
{
    unsigned me = *(unsigned *)p, x = me;
    for (int i = 0; i < 20; i++) {
        x = mix(x, 20000);
        pthread_barrier_wait(&gate);
    }
    out[me] = x;
    return NULL;
}
static void *light(void *p)
{
    unsigned me = *(unsigned *)p, x = me;
    for (int i = 0; i < 20; i++) {
        x = mix(x, 5000 + me * 100);
        pthread_barrier_wait(&gate);
    }
    out[me] = x;
    return NULL;
}
static void *(*begin(unsigned n))(void *)
{
    return n == 2 ? hog : light;
}
int main(void)
{
    pthread_barrier_init(&gate, NULL, 4);
    all(begin);
    return 0;
}
EOF
# A cache: mix() is called by its writer, its readers and beside it.
cat >"$dir/cache.c" <<'EOF'
#include "head.h"
static pthread_rwlock_t cache = PTHREAD_RWLOCK_INITIALIZER;
static unsigned look_up(unsigned x)
{
    pthread_rwlock_rdlock(&cache);
    x = mix(x + sum, 300);
    pthread_rwlock_unlock(&cache);
    return x;
}
static void refresh(unsigned x)
{
    pthread_rwlock_wrlock(&cache);
    sum += mix(x, 30000);
    pthread_rwlock_unlock(&cache);
}
static void *reader(void *p)
{
    unsigned me = *(unsigned *)p, x = me;
    for (int i = 0; i < 400; i++)
        x = look_up(mix(x, 500 + me * 7));
    out[me] = x;
    return NULL;
}
static void *writer(void *p)
{
    (void)p;
    for (int i = 0; i < 20; i++)
        refresh(mix(9, 1000));
    return NULL;
}
static void *(*begin(unsigned n))(void *)
{
    return n ? reader : writer;
}
int main(void)
{
    all(begin);
    return 0;
}
EOF
# All the same work, which two functions have half of each.
cat >"$dir/equal.c" <<'EOF'
#include "head.h"
static unsigned step_a(unsigned x)
{
    return mix(x, 30000) + 1;
}
static unsigned step_b(unsigned x)
{
    return mix(x, 30000) ^ 5;
}
static void *worker(void *p)
{
    unsigned me = *(unsigned *)p, x = me;
    for (int i = 0; i < 10; i++)
        x = step_b(step_a(x));
    out[me] = x;
    return NULL;
}
static void *(*begin(unsigned n))(void *)
{
    (void)n;
    return worker;
}
int main(void)
{
    all(begin);
    return 0;
}
EOF
tests/causes/generate 10 >"$dir/control.c"
grep -q 'family: control' "$dir/control.c" || fail "seed 10 is no control any more"
for name in naps hog cache equal control; do
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -fno-inline -fno-optimize-sibling-calls \
        -o "$dir/$name" "$dir/$name.c" 2>"$dir/err" || fail "$name.c: $(cat "$dir/err")"
done

# advise NAME guest|user: its words, to $dir/text
advise() {
    name=$1
    line="$1 $2"
    rm -rf "$dir/$name.exp"
    case $2 in
    guest) set -- --append states=on "$guest" --program "$dir/$name" ;;
    *) set -- --user "$dir/$name" ;;
    esac
    (cd "$dir" && "$simrun" -q --mode=fast --cpus=4 --switch-stacks -e cycles:1000 -f \
        --pmu-trace="$dir/$name.exp" "$@") >"$out" 2>"$dir/err" </dev/null || fail "$(cat "$dir/err")"
    (cd "$dir" && "$simprof" advise --pairs=5 --width=300 "$dir/$name.exp") >"$dir/text" 2>"$dir/err" ||
        fail "$(cat "$dir/err")"
}
# cause NAME guest|user PATTERN: advise says so, and no pair is of changes that contain
# each other.
cause() {
    advise "$1" "$2"
    pattern=$3
    grep -q "^The cause: $pattern" "$dir/text" || fail "not $pattern: $(cat "$dir/text")"
    ! grep 'func:\(mix\|nap\)+' "$dir/text" || fail "the means are tried"
    grep ' both$' "$dir/text" | sed 's/func:\([a-z_]*\)+*=x0.5/\1/g' >"$dir/pairs"
    for pair in "commit worker" "refresh writer" "look_up reader" "hog hog" "light light" "commit hold:ledger"; do
        ! grep "${pair% *}.* and .*${pair#* }\|${pair#* }.* and .*${pair% *}" "$dir/pairs" || fail "a pair of $pair"
    done
}
for where in user guest; do
    cause naps $where 'sleeps nap < commit < worker .*With func:commit+=x0.5'
    grep 'hold:ledger=x0.5' "$dir/text" | grep -q 'the lock ledger is held, mostly in commit < worker' ||
        fail "the lock's holder: $(cat "$dir/text")"
    cause hog $where 'runs mix < hog < start_thread .*With func:hog+=x0.5'
    cause cache $where 'runs mix < refresh < writer .*With func:refresh+=x0.5'
    # What causes has first is what advise calls the cause.
    "$simprof" causes --csv "$dir/cache.exp" | sed -n 2p | grep -q 'mix < refresh < writer' ||
        fail "causes: $("$simprof" causes "$dir/cache.exp")"
    for name in equal control; do
        advise $name $where
        ! grep '^The cause' "$dir/text" && tr '\n' ' ' <"$dir/text" |
            grep -Eq 'No single change of .* brings 1%\.|nothing that is waited for limits this run' ||
            fail "a control has a cause: $(cat "$dir/text")"
    done
    # Idle it is all the same, where a program begins and ends in the guest.
    [ $where = user ] || grep -q '^CPUs were idle for [1-9][0-9]*\.[0-9]% of their time, for [0-4]\.[0-9]% because of what the program does, and for less than 1% because of this alone' "$dir/text" ||
        fail "why they are idle: $(cat "$dir/text")"
done

# Sleeps until a word is written: who writes it is known with --record-locks alone.
tests/causes/generate 2008 >"$dir/backoff.c"
grep -q 'family: backoff' "$dir/backoff.c" || fail "seed 2008 has another family"
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/backoff" "$dir/backoff.c" || exit 1
for option in switch-stacks record-locks; do
    (cd "$dir" && "$simrun" -q --mode=fast --cpus=4 --$option -e cycles:1000 -f \
        --pmu-trace=$option.exp --user ./backoff && "$simprof" advise --pairs=3 --width=300 \
        $option.exp) >"$dir/$option" 2>"$dir/err" </dev/null || fail "$(cat "$dir/err")"
done
tr '\n' ' ' <"$dir/switch-stacks" | grep -q 'No single change of .* brings 1%\. CPUs idled since threads slept: .*--record-locks instead of --switch-stacks' ||
    fail "$(cat "$dir/switch-stacks")"
grep -q '^The cause: runs compute < part_4 < run' "$dir/record-locks" && ! grep 'CPUs idled since' "$dir/record-locks" ||
    fail "$(cat "$dir/record-locks")"
exit 0
