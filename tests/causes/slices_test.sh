#!/bin/sh
# slices_test.sh - with more threads than CPUs under --user simprof predict plays the ends of time
# slices anew: a thread that has had its slice makes room for one that waits, wherever it is by
# then, or for the next that comes to wait. That is no preemption. Measured with simrun --what-if.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/slices.c" <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#define JOBS 24

static __attribute__((noipa)) uint32_t compute(uint32_t x, unsigned steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static unsigned packed;
static uint32_t done[4];

static __attribute__((noipa)) uint32_t pack(uint32_t x)
{
    return compute(x, 30000) ^ 1;
}

static void *packer(void *none)
{
    for (unsigned i = 0; i < JOBS; i++) {
        done[0] = pack(done[0]);
        pthread_mutex_lock(&lock);
        packed++;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return none;
}

static void *sender(void *none)
{
    for (unsigned i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&lock);
        while (packed <= i)
            pthread_cond_wait(&more, &lock);
        pthread_mutex_unlock(&lock);
        done[1] = compute(done[1], 16000);
    }
    return none;
}

static void *other(void *index)
{
    unsigned me = *(unsigned *)index;

    for (unsigned i = 0; i < 40; i++) {
        done[me] = compute(done[me], 15000);
        pthread_mutex_lock(&lock);
        done[me]++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    static unsigned index[4] = {0, 1, 2, 3};
    pthread_t t[4];

    pthread_create(&t[0], NULL, packer, NULL);
    pthread_create(&t[1], NULL, sender, NULL);
    pthread_create(&t[2], NULL, other, &index[2]);
    pthread_create(&t[3], NULL, other, &index[3]);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[0] + done[1] + done[2] + done[3]);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/slices" "$dir/slices.c" || fail "slices.c"
run() { # run OPTION...: cycles it takes
    user "$dir/slices" --cpus=2 --summary=json "$@" >"$out" 2>"$dir/err" </dev/null ||
        fail "$(cat "$dir/err")"
    cat "$out" "$dir/err" | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p'
}
look() { # look SLICE CHANGE...: predicted within a twentieth of the gain
    slice=--set=slice_us=$1
    cycles=$(run "$slice" --record-locks -e cycles:1000 -f --pmu-trace="$dir/x.exp")
    shift
    for change; do
        measured=$(run "$slice" --what-if "$change")
        predicted=$("$simprof" predict --csv --what-if "$change" "$dir/x.exp" | sed -n '$s/,.*//p')
        awk -v r="$cycles" -v m="$measured" -v p="${predicted:-0}" 'BEGIN {
            printf "gain %.1f %%, predicted %.1f\n", 100 * (1 - m / r), 100 * (1 - p / r)
            d = p > m ? p - m : m - p
            exit !(r - m > r * 0.05 && d <= (r - m) / 20) }' >"$dir/figures" ||
            fail "$slice, $change: $(cat "$dir/figures")"
        echo "$slice, $change: $(cat "$dir/figures")"
    done
}
look 1000 'func:pack+=x0.5' 'func:other+=x0.5'
look 500 'func:pack+=x0.5' 'func:other+=x0.5'
look 10000 'func:pack+=x0'
exit 0
