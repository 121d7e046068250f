#!/bin/sh
# rwlocks_test.sh - read-write locks are locks like mutexes: a cache with readers and a slow
# writer, and a writer that readers keep out, on 2, 3 and 4 CPUs, under --user and in the
# guest. Who waited is known without --record-locks, from the function that waits, and is
# what --record-locks has; how often each side took it is what the program does; a lock in a
# structure is found from its words. simrun --what-if hold: counts for one, simprof predict
# and advise know it.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
is() { [ "$2" = "$3" ] || fail "$1: $2, not $3"; }

cat >"$dir/head.h" <<'EOF'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile unsigned out[8];
static pthread_barrier_t begin; /* all are there */
static unsigned mix(unsigned x, unsigned n)
{
    while (n--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static void all(void *(*first)(void *), void *(*other)(void *))
{
    pthread_t t[4];
    unsigned n[4];
    pthread_barrier_init(&begin, NULL, 4);
    for (unsigned i = 0; i < 4; i++) {
        n[i] = i;
        pthread_create(&t[i], NULL, i ? other : first, &n[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}
EOF
cat >"$dir/cache.c" <<'EOF'
#include "head.h"
static pthread_rwlock_t cache = PTHREAD_RWLOCK_INITIALIZER;
static volatile unsigned table = 1;
static unsigned look_up(unsigned x)
{
    pthread_rwlock_rdlock(&cache);
    x = mix(x + table, 300);
    pthread_rwlock_unlock(&cache);
    return x;
}
static void refresh(unsigned x)
{
    pthread_rwlock_wrlock(&cache);
    table += mix(x, 30000);
    pthread_rwlock_unlock(&cache);
}
static void *reader(void *p)
{
    unsigned me = *(unsigned *)p, x = me;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < 400; i++)
        x = look_up(mix(x, 500 + me * 7));
    out[me] = x;
    return NULL;
}
static void *writer(void *p)
{
    (void)p;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < 20; i++)
        refresh(mix(9, 1000));
    return NULL;
}
int main(void)
{
    all(writer, reader);
    return 0;
}
EOF
# `prefer`: readers let a writer pass, and then wait at another word of the lock.
cat >"$dir/starved.c" <<'EOF'
#include "head.h"
struct store { unsigned hits, sum; pthread_rwlock_t lock; unsigned more; };
static struct store *store;
static unsigned peruse(unsigned x)
{
    pthread_rwlock_rdlock(&store->lock);
    x = mix(x + store->sum, 4000);
    pthread_rwlock_unlock(&store->lock);
    return x;
}
static void change(unsigned x)
{
    pthread_rwlock_wrlock(&store->lock);
    store->sum += mix(x, 200);
    pthread_rwlock_unlock(&store->lock);
}
static void *reader(void *p)
{
    unsigned me = *(unsigned *)p, x = me;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < 200; i++)
        x = peruse(mix(x, 300 + me * 70));
    out[me] = x;
    return NULL;
}
static void *writer(void *p)
{
    (void)p;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < 40; i++)
        change(mix(9, 500));
    return NULL;
}
int main(int count, char **word)
{
    pthread_rwlockattr_t kind;
    (void)word;
    pthread_rwlockattr_init(&kind);
    if (count > 1)
        pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    store = calloc(1, sizeof *store);
    pthread_rwlock_init(&store->lock, &kind);
    all(writer, reader);
    printf("lock at 0x%08x\n", (unsigned)&store->lock);
    return 0;
}
EOF
for name in cache starved; do
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -fno-inline -o "$dir/$name" "$dir/$name.c" \
        2>"$dir/err" || fail "$name.c: $(cat "$dir/err")"
done

# record NAME guest|user CPUS OPTION [WORD...]: to $dir/NAME.exp; what it prints to $dir/said
record() {
    name=$1
    where=$2
    line="$*"
    set -- "$3" "$4" "$dir/$name" "${5-}"
    rm -rf "$dir/$name.exp"
    case $where in
    guest) set -- "$1" "$2" --append states=on "$guest" --program "$3" -- $4 ;;
    *) set -- "$1" "$2" --user "$3" $4 ;;
    esac
    cpus=$1
    shift
    "$simrun" -q --mode=fast --cpus="$cpus" -e cycles:1000 -f --pmu-trace="$dir/$name.exp" "$@" \
        >"$dir/said" 2>"$dir/err" </dev/null || fail "$(cat "$dir/err")"
}
# of LOCK COLUMN...: these columns of its row
of() {
    lock=$1
    shift
    "$simprof" locks --csv --limit=0 "$dir/$name.exp" | awk -F, -v lock="$lock" -v want="$*" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $NF == lock { n = split(want, w, " "); for (i = 1; i <= n; i++) printf "%s ", $at[w[i]] }'
}
waits="waits waited longest_wait held longest_held read_waits read_waited read_longest_wait"

for where in user guest; do
    for cpus in 2 3 4; do
        record cache $where $cpus --switch-stacks
        told=$(of cache $waits)
        [ -n "$told" ] || fail "$where, $cpus CPUs: no lock: $("$simprof" locks "$dir/cache.exp")"
        record cache $where $cpus --record-locks
        is "$where, $cpus CPUs: waits" "$told" "$(of cache $waits)"
        is "$where, $cpus CPUs: taken" "$(of cache taken read_taken)" "1220 1200 "
        set -- $(of cache waited read_waited longest_wait contended waits all_held all_longest)
        # Readers wait for a writer that holds it for 97,500 cycles; who holds it is one at least.
        [ "$2" -gt 2000000 ] && [ "$3" -gt 90000 ] && [ "$4" -eq "$5" ] && [ "$6" -gt 3000000 ] &&
            [ "$7" -gt 97000 ] || fail "$where, $cpus CPUs: $*"
        record starved $where $cpus --switch-stacks
        lock=$(sed -n 's/lock at //p' "$dir/said")
        set -- $(of "$lock" waited read_waited longest_wait)
        [ "${1:-0}" -gt 300000 ] && [ $(($1 - $2)) -gt $(($1 * 9 / 10)) ] ||
            fail "$where, $cpus CPUs: a writer that is kept out: $lock: $("$simprof" locks "$dir/starved.exp")"
    done
done

# Readers that wait at the lock's first word are of the same lock.
record starved user 4 --switch-stacks prefer
lock=$(sed -n 's/lock at //p' "$dir/said")
told=$(of "$lock" $waits)
record starved user 4 --record-locks prefer
is "writers preferred" "$told" "$(of "$lock" $waits)"
is "no other lock" "$("$simprof" locks "$dir/starved.exp" | grep -c "^ .*0x1")" \
    "$("$simprof" locks "$dir/starved.exp" | grep -c "^ .*$lock")"

# The tables and the sentence.
record cache user 4 --record-locks
"$simprof" locks "$dir/cache.exp" >"$dir/text"
sed -n '/^Read-write locks/,/^$/p' "$dir/text" | grep -q '20 .* writers  cache$' &&
    sed -n '/^Read-write locks/,/^$/p' "$dir/text" | grep -q '1,200 .* readers  cache$' ||
    fail "$(cat "$dir/text")"
"$simprof" causes --width=200 "$dir/cache.exp" >"$dir/text"
grep -q 'waits to read for the lock "cache" in look_up; thread [0-9]* lets it go' "$dir/text" &&
    grep -q 'its thread waits for a lock' "$dir/text" || fail "$(cat "$dir/text")"

# What holding it half as long brings: tried, predicted, and in advise's table.
cycles() { "$simrun" -q --mode=fast --cpus=4 --summary=json:"$dir/json" "$@" --user "$dir/cache" >/dev/null &&
    sed 's/.*"cycles":\([0-9]*\).*/\1/' "$dir/json"; }
whole=$(cycles)
half=$(cycles --what-if hold:cache=x0.5)
[ $((half * 100 / whole)) -lt 70 ] || fail "hold:cache=x0.5: $half of $whole cycles"
told=$("$simprof" predict --csv --what-if hold:cache=x0.5 "$dir/cache.exp" | tail -n 1 | cut -d, -f1)
off=$(((told - half) * 100 / whole))
[ "${off#-}" -le 2 ] || fail "predicted $told, measured $half of $whole cycles"
"$simprof" advise --csv --pairs=3 "$dir/cache.exp" >"$dir/text" 2>"$dir/err" || fail "$(cat "$dir/err")"
grep -q 'hold:cache=x0.5,' "$dir/text" || fail "not tried: $(cat "$dir/text")"

# Of a lock that several have at a time each one's part is scaled, until it gives that back:
# measured is what is predicted from a recording of locks. Without one who reads is not known
# where those who write wait, which is said.
${MAKE:-make} -s BUILD="$BUILD" workloads || exit 1
starved() { # starved OPTION...: cycles of rw_starvation
    (cd "$BUILD/workloads" && "$simrun" -q --mode=fast --cpus=4 --summary=json:"$dir/json" "$@" \
        --user ./rw_starvation) >"$out" 2>&1 || fail "rw_starvation: $(cat "$out")"
    sed 's/.*"cycles":\([0-9]*\).*/\1/' "$dir/json"
}
foretold() { "$simprof" predict --csv --what-if hold:table_lock=x0.5 "$dir/$1.exp" | tail -n 1; }
whole=$(starved --record-locks -e cycles:1000 --pmu-trace="$dir/all.exp")
starved --switch-stacks -e cycles:1000 --pmu-trace="$dir/waits.exp" >/dev/null
half=$(starved --what-if hold:table_lock=x0.5)
told=$(foretold all)
off=$(((${told%%,*} - half) * 100 / whole))
[ "${off#-}" -le 2 ] && [ "$half" -lt $((whole * 2 / 3)) ] ||
    fail "rw_starvation: predicted $told, measured $half of $whole cycles"
[ -z "${told##*,}" ] || fail "in doubt: $told"
told=$(foretold waits)
[ "${told##*,}" = readers ] || fail "no doubt: $told, measured $half of $whole"
"$simprof" predict --what-if hold:table_lock=x0.5 "$dir/waits.exp" | tr '\n' ' ' |
    grep -q 'several threads may have the lock to read.*--record-locks says it' ||
    fail "it is not said why"
