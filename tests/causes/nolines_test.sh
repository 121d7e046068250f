#!/bin/sh
# nolines_test.sh - of a program without line numbers simprof advise tries first what it tries of
# the same source with them, and simprof causes charges idle time to the same function; what
# the C library has for its own, in the same file or another, is no cause.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/ledger.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned page[1024];

static int order(const void *a, const void *b)
{
    return *(const unsigned *)a < *(const unsigned *)b ? -1 : 1;
}
static void __attribute__((noinline)) settle(unsigned seed)
{
    for (int i = 0; i < 32; i++)
        page[i] = seed = seed * 1103515245 + 12345;
    for (int i = 0; i < 6; i++)
        memset(page + 128, i, sizeof page - 512);
    for (int i = 0; i < 900; i++)
        page[i & 1023] ^= page[(i * 7) & 1023] + page[(i * 13) & 1023];
    qsort(page, 32, sizeof *page, order);
}
static void __attribute__((noinline)) prepare(volatile unsigned *sum)
{
    for (int i = 0; i < 400; i++)
        *sum += i;
}
static void *clerk(void *arg)
{
    volatile unsigned sum = *(unsigned *)arg;

    for (int i = 0; i < 20; i++) {
        prepare(&sum);
        pthread_mutex_lock(&lock);
        settle(sum);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
int main(void)
{
    unsigned seed[4] = {1, 2, 3, 4};
    pthread_t t[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, clerk, &seed[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", page[0] & 1);
    return 0;
}
C
make_one() { # make_one NAME OPTION...
    name=$1
    shift
    powerpc-linux-gnu-gcc -O2 -pthread -Wall -Werror "$@" -o "$dir/$name" "$dir/ledger.c" || exit 1
    # shellcheck disable=SC2086
    user "$dir/$name" $libraries --cpus=4 --switch-stacks -e cycles:500 -f \
        --pmu-trace="$dir/$name.exp" >"$out" 2>&1 </dev/null || fail "$name: $(cat "$out")"
    "$simprof" advise --csv --pairs=3 --budget=3000 --limit=0 "$dir/$name.exp" >"$dir/$name.csv" 2>"$dir/err" ||
        fail "$name, advise: $(cat "$dir/err")"
    "$simprof" causes --csv "$dir/$name.exp" >"$dir/$name.roots"
    awk -F, '{ print $11 }' "$dir/$name.csv" >"$dir/$name.tried"
}
libraries=
make_one with -g -static
make_one without -static
libraries="--sysroot=${SYSROOT:-/usr/powerpc-linux-gnu}"
make_one shared

# A sample is needed in qsort, which but calls, for it to be tried.
awk -F, '$2 > 5 && $11 ~ /^(func|hold):/ && $11 !~ /:qsort\+/ { print $11 }' "$dir/with.csv" >"$dir/wanted"
[ "$(wc -l <"$dir/wanted")" -ge 3 ] || fail "with lines: $(cat "$dir/with.csv")"
for name in without shared; do
    sed -n 2p "$dir/$name.csv" | awk -F, '{ exit !($11 == "func:settle+=x0.5" && $2 > 30 && $9 == 1) }' ||
        fail "$name: first is $(sed -n 2p "$dir/$name.csv")"
    grep -E '^func:(_|msort|start_thread|clone|frame_dummy|main)' "$dir/$name.tried" &&
        fail "$name: a function of the library: $(cat "$dir/$name.csv")"
    sed -n 2p "$dir/$name.roots" >"$dir/first"
    grep -q '\(,\| < \)settle < clerk' "$dir/first" || fail "$name: $(head -n 3 "$dir/$name.roots")"
done
while read -r spec; do
    grep -qxF "$spec" "$dir/without.tried" ||
        fail "$spec is not tried: $(cat "$dir/without.csv")"
done <"$dir/wanted"
