#!/bin/sh
# twins_test.sh - two static locks of one name, each in its source file, are told apart by their
# addresses in `locks`, in text and CSV, and hold: with such an address means that one. A lock whose
# name no other lock has is called by its name alone.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
cat >"$dir/part.c" <<'C'
#include <pthread.h>
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static unsigned mix(unsigned x, int n) { while (n--) { x = x * 3 + n; __asm__ volatile("" : "+r"(x)); } return x; }
unsigned PART(unsigned x)
{
    pthread_mutex_lock(&guard);
    x = mix(x, STEPS);
    pthread_mutex_unlock(&guard);
    return x;
}
C
cat >"$dir/main.c" <<'C'
#include <pthread.h>
static pthread_mutex_t last = PTHREAD_MUTEX_INITIALIZER;
unsigned one(unsigned x), two(unsigned x);
static void *work(void *arg)
{
    unsigned *x = arg;

    for (int i = 0; i < 6; i++)
        *x = two(one(*x));
    pthread_mutex_lock(&last);
    pthread_mutex_unlock(&last);
    return arg;
}
int main(void)
{
    pthread_t t[3];
    unsigned x[3] = {1, 2, 3};

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &x[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return x[0] == 1;
}
C
for part in one two; do
    steps=4000
    [ $part = one ] || steps=9000
    cp "$dir/part.c" "$dir/$part.c"
    powerpc-linux-gnu-gcc -O2 -g -c -DPART=$part -DSTEPS=$steps -o "$dir/$part.o" "$dir/$part.c" || fail $part
done
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/twins" "$dir/main.c" "$dir/one.o" "$dir/two.o" || fail "main"
exp=$dir/x.exp
user "$dir/twins" --cpus=3 --record-locks -e cycles:500 --pmu-trace="$exp" || fail "does not run"
address() { powerpc-linux-gnu-nm "$dir/twins" | sed -n 's/^\(.*\) [bBdD] guard$/0x\1/p' | sort | sed -n "$1p"; }
# Which is which: two holds its lock longer, so that more is waited for it.
"$simprof" locks --csv "$exp" | awk -F, 'NR > 1 { print $NF, $2 }' >"$out"
is "names" "$(grep -o '^guard (0x[0-9a-f]*)' "$out" | sort)" "guard ($(address 1))
guard ($(address 2))"
is "one of its own name" "$(grep -c '^last ' "$out")" 1
more=$(sed -n 's/^guard (\(0x[0-9a-f]*\)) .*/\1/p' "$out" | head -n 1)
"$simprof" locks --places "$exp" | grep -q " guard ($more) .*two.c:[0-9]* .* two < work" ||
    fail "places: $("$simprof" locks --places "$exp")"
gain() { "$simprof" predict --csv --what-if "hold:$1=x0.5" "$exp" | awk -F, 'NR == 3 { print int($2) }'; }
above "of the longer one" "$(gain "$more")" 100000
is "as locks prints it" "$(gain "guard ($more)")" "$(gain "$more")"
user "$dir/twins" --cpus=3 --summary=json:"$dir/by-name" --what-if "hold:guard ($more)=x0.5" || fail "not by its name"
user "$dir/twins" --cpus=3 --summary=json:"$dir/by-address" --what-if "hold:$more=x0.5" || fail "not by its address"
is "the same" "$(grep -o "\"cycles\":[0-9]*" "$dir/by-name")" "$(grep -o "\"cycles\":[0-9]*" "$dir/by-address")"
other=$(address 1)
[ "$other" != "$more" ] || other=$(address 2)
[ "$(gain "$other")" -lt 50000 ] || fail "of the other: $(gain "$other")"

# Two columns of one report that mean two things have two heads.
"$simprof" locks "$exp" >"$out"
is "heads" "$(grep -c 'wait  meanwhile  meanwhile' "$out") $(grep -c ' held     held  lock' "$out")" "1 1"
exit 0
