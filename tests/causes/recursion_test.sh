#!/bin/sh
# recursion_test.sh - a function that calls itself stands in a place once: it is one root, whose gain is
# what predict says of it and simrun measures, however deep it was.
# timeout: 60
set -u
. tests/guest/lib.sh
. tests/causes/judged.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

cat >"$dir/tree.c" <<'C'
#include <pthread.h>
#define NOINLINE __attribute__((noipa))
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE int weigh(int depth)
{
    int sum = 1;

    for (volatile int i = 0; i < 60; i++)
        ;
    if (depth) {
        sum += weigh(depth - 1);
        sum += weigh(depth - 1);
    }
    return sum;
}
static NOINLINE int balance(int depth)
{
    int sum;

    pthread_mutex_lock(&lock);
    sum = weigh(depth);
    pthread_mutex_unlock(&lock);
    return sum;
}
static void *client(void *arg)
{
    for (int k = 0; k < 12; k++)
        balance(4);
    return arg;
}
int main(void)
{
    pthread_t t[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, client, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -fno-optimize-sibling-calls -g -static -pthread -o "$dir/tree" "$dir/tree.c" || fail "no program"
judge tree 4 func:weigh=x0.5
"$simprof" causes --table=roots --csv "$dir/x.exp" >"$dir/roots" || fail "causes"
is "roots of it" "$(grep -c '"*weigh < ' "$dir/roots")" 1
sed -n 2p "$dir/roots" | grep -q 'runs,.*,"*weigh < balance < client' || fail "first: $(sed -n 2p "$dir/roots")"
# Of half of it the root has all.
gain=$("$simprof" predict --csv --what-if func:weigh=x0.5 "$dir/x.exp" | awk -F, 'NR == 3 { print $3 }')
sed -n 2p "$dir/roots" | awk -F, -v want="$gain" '{ got = $(NF - 1); exit !(want > 30 && (got - want) ^ 2 < 1) }' ||
    fail "gain, of $gain: $(sed -n 2p "$dir/roots")"
exit 0
