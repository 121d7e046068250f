#!/bin/sh
# names_test.sh - threads that name themselves have that name in every report, in the guest
# and under --user; two of one name have their numbers, too.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
cat >"$dir/named.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sum;
static void *work(void *name)
{
    pthread_setname_np(pthread_self(), name);
    for (int n = 0; n < 20; n++) {
        pthread_mutex_lock(&m);
        for (int k = 0; k < 3000; k++)
            sum += k;
        pthread_mutex_unlock(&m);
    }
    return name;
}
static pthread_mutex_t wanted = PTHREAD_MUTEX_INITIALIZER;
static void *wait(void *unused)
{
    pthread_mutex_lock(&wanted);
    return unused;
}
int main(void)
{
    char got[16] = "nothing";
    pthread_mutex_lock(&wanted);
    char *names[] = {"producer", "consumer", "consumer"};
    pthread_t t[3];
    for (int n = 0; n < 3; n++)
        pthread_create(&t[n], 0, work, names[n]);
    for (int n = 0; n < 3; n++)
        pthread_join(t[n], 0);
    pthread_create(&t[0], 0, wait, 0);
    pthread_setname_np(t[0], "first");
    pthread_getname_np(t[0], got, sizeof got);
    puts(got);
    pthread_mutex_unlock(&wanted);
    pthread_join(t[0], 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/named" "$dir/named.c" || fail "named.c"
"$simrun" -q --mode=fast --cpus=2 --append states=on --pmu-trace="$dir/guest.exp" "$guest" \
    --program "$dir/named" >"$dir/got" || fail "the guest"
is "a name that the guest has not" "$(cat "$dir/got")" nothing
"$simrun" -q --mode=fast --cpus=2 --switch-stacks --pmu-trace="$dir/user.exp" --user \
    "$dir/named" >"$dir/got" || fail "--user"
is "a thread's name for another" "$(cat "$dir/got")" first
for where in guest user; do
    line=$where
    e=$dir/$where.exp
    "$BUILD/simprof" states "$e" >"$out" || fail "states"
    is "producers" "$(grep -c ' producer$' "$out")" 1
    [ $where = guest ] || grep -q ' first$' "$out" || fail "no thread was named by another"
    is "consumers" "$(grep -c ' consumer 1*[0-9]*$' "$out")" 2
    is "their numbers" "$(grep -o ' consumer [0-9]*$' "$out" | sort -u | wc -l)" 2
    "$BUILD/simprof" states --csv "$e" | grep -q ',[0-9]*,producer$' || fail "states --csv"
    "$BUILD/simprof" timeline "$e" >"$out" || fail "timeline"
    is "lanes" "$(grep -c '^\(producer\|consumer\) [0-9]* *|' "$out")" 3
    "$BUILD/simprof" export --format=chrome -o "$dir/$where.json" "$e" || fail "export"
    grep -q '"name":"producer' "$dir/$where.json" || fail "no name for Perfetto"
done
exit 0
