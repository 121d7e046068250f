#!/bin/sh
# advised_test.sh - what simprof advise calls the cause where what the program does is in other
# hands: the disk's, a library's that calls itself, a sleep's; and where the first changes in the
# list bring little.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/hands.c" <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEYS 300
#define ROUNDS 20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t meeting;
static uint64_t key[KEYS];
static volatile uint32_t sum;

static __attribute__((noipa)) uint32_t mix(uint32_t x, unsigned steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}
static __attribute__((noipa)) void sort_again(uint32_t x)
{
    for (unsigned n = 0; n < KEYS; n++)
        key[n] = x = x * 1664525u + 1013904223u;
    qsort(key, KEYS, sizeof *key, compare);
}
static __attribute__((noipa)) void write_out(void)
{
    struct timespec t = {0, 200000};

    sum += mix(sum, 4000);
    nanosleep(&t, NULL);
}
static __attribute__((noipa)) void part(unsigned n)
{
    sum += mix(n, 20000);
}
static __attribute__((noipa)) void other_part(unsigned n)
{
    sum ^= mix(n, 20000);
}
static __attribute__((noipa)) void closing(unsigned n)
{
    sum += mix(n, 1400);
}
static __attribute__((noipa)) void put(char what, uint32_t x)
{
    pthread_mutex_lock(&lock);
    if (what == 's')
        sort_again(x);
    else
        write_out();
    pthread_mutex_unlock(&lock);
}
static void *locked(void *arg)
{
    const char *what = arg;

    for (unsigned i = 0; i < ROUNDS; i++) {
        sum += mix(i, 3000);
        put(*what, i);
    }
    return NULL;
}
static void *first(void *arg)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        part(i);
        pthread_barrier_wait(&meeting);
        closing(i);
        pthread_barrier_wait(&meeting);
    }
    return arg;
}
static void *second(void *arg)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        other_part(i);
        pthread_barrier_wait(&meeting);
        pthread_barrier_wait(&meeting);
    }
    return arg;
}
int main(int argc, char **argv)
{
    char what = argc > 1 ? argv[1][0] : 's';
    pthread_t thread[4];
    unsigned count = what == 'p' ? 2 : 4;

    pthread_barrier_init(&meeting, NULL, 2);
    for (unsigned n = 0; n < count; n++)
        pthread_create(&thread[n], NULL,
                       what != 'p' ? locked
                       : n         ? second
                                   : first,
                       &what);
    for (unsigned n = 0; n < count; n++)
        pthread_join(thread[n], NULL);
    printf("%u\n", (unsigned)sum);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/hands" "$dir/hands.c" ||
    fail "it does not compile"

# advised NAME [OPTION]... PROGRAM [ARGUMENT]: its verdict, in one line.
advised() {
    name=$1
    shift
    rm -rf "$dir/x.exp"
    "$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp" \
        "$@" >"$out" 2>"$dir/err" </dev/null || fail "$name: $(cat "$dir/err")"
    "$simprof" advise --width=200 --pairs=4 "$dir/x.exp" >"$dir/text" 2>"$dir/err" ||
        fail "$name: $(cat "$dir/err")"
    tr '\n' ' ' <"$dir/text" >"$dir/line"
}
# Is a pair in the table in both orders?
mirrored() {
    awk '/ both$/ { for (n = 2; n < NF; n++) if ($n == "and") { seen[$(n - 1), $(n + 1)]; twice += ($(n + 1), $(n - 1)) in seen } }
        END { exit !twice }' "$dir/text"
}
says() { # says NAME TEXT: of the verdict
    grep -q "The cause: $2" "$dir/line" || fail "$1: not '$2': $(cat "$dir/text")"
    ! grep -q 'Most of the work\|No single change' "$dir/text" || fail "$1: $(cat "$dir/text")"
}

advised disk --set user_disk=1 --user "$BUILD/workloads/io_wait"
says disk 'waits for the disk in read_block < .* With func:read_block+=x0\.5'

# Two threads wait for the disk most of the time: shared by all that wait, the idle time is to
# equal parts that of both, and the place of the other one has most.
"$simprof" causes --width=500 "$dir/x.exp" | grep '^Rules: ' >"$dir/rules"
grep -q "the same one first; by all that wait then, evenly, [1-9][0-9.]*% of it .* first, with \
[0-9.]*%, device read_block < reader" "$dir/rules" || fail "rules: $(cat "$dir/rules")"

advised sorted --user "$dir/hands" s
says sorted '.* With func:sort_again+=x0\.5'
"$simprof" causes --csv "$dir/x.exp" >"$dir/roots"
sed -n 2p "$dir/roots" | grep -Eq '^[0-9]+,[0-9.]+,runs,[^,]*,([a-z_.0-9]+ < )?(sort_again < put|put < )' ||
    fail "sorted: first is $(head -n 3 "$dir/roots")"
sed -n 2p "$dir/roots" | grep -q 'sort_again' || fail "sorted: $(head -n 3 "$dir/roots")"
awk -F, 'NR > 1 && / < sort_again < put/ && $6 + 0 > 1 { any = 1 } END { exit !any }' "$dir/roots" ||
    fail "no gain is said of what the library does for it: $(cat "$dir/roots")"

# What CPUs idle for is the sleep, not the little that it runs.
advised written --user "$dir/hands" w
says written 'sleeps write_out < .* With func:write_out+=x0\.5'

# Recorded with a change, every run has that; another one is found beside it.
advised changed --what-if func:write_out=x0.5 --user "$dir/hands" w
grep -q "All runs have the change that was recorded, func:write_out=x0.5, and what that is about is not" \
    "$dir/line" || fail "changed: $(cat "$dir/text")"
! grep -q '^ .*func:write_out' "$dir/text" || fail "changed once more: $(cat "$dir/text")"
! grep -q 'Done again' "$dir/text" || fail "it is another run: $(cat "$dir/text")"
advised written --user "$dir/hands" w

# Of a process, and of one lock: a part of the whole, of which the chains go through it.
total() { "$simprof" causes "$@" "$dir/x.exp" | sed -n 's/ *100\.0%.*<Total>$//p' | tr -d ' ,'; }
all=$(total) mine=$(total --process=1000) lock=$(total --object=lock)
of_lock=$("$simprof" causes "$dir/x.exp" | sed -n 's/ *[0-9.]*%.*waits for a lock$//p' | tr -d ' ,')
[ "$mine" -le "$all" ] && [ "$mine" -gt $((all / 10 * 9)) ] || fail "process: $mine of $all"
[ "$lock" -ge "$of_lock" ] && [ "$lock" -lt "$all" ] && [ "$of_lock" -gt $((all / 10)) ] ||
    fail "lock: $lock of $all, class $of_lock"
"$simprof" causes --object=lock --width=200 "$dir/x.exp" | grep -q '^Only where a thread waits for lock' ||
    fail "it does not say what is left out"
"$simprof" causes --csv --object=lock "$dir/x.exp" | sed -n 2p | grep -q 'sleeps,.*,write_out < put' ||
    fail "lock: $("$simprof" causes --csv --object=lock "$dir/x.exp" | sed -n 2p)"
for wrong in --object=nothing --process=7 --process=x "--methods --process=1000"; do
    status=0
    "$simprof" causes $wrong "$dir/x.exp" >"$out" 2>"$dir/err" || status=$?
    is "$wrong" "$status $(wc -l <"$dir/err")" "2 1"
done

# Alone each half brings nothing: what brings a little is said, and both together.
advised parts --user "$dir/hands" p
says parts 'runs mix < closing < .*Only together: func:[a-z_]*part+=x0\.5 and func:[a-z_]*part+='
grep -q ' both$' "$dir/text" || fail "parts: no row of both: $(cat "$dir/text")"
mirrored && fail "parts: a pair twice: $(cat "$dir/text")"
# It is kept, and the first screen says it of what it names.
grep -q '^pair [0-9]* [0-9]* func:.*; func:' "$dir/x.exp/tried" || fail "parts: $(cat "$dir/x.exp/tried")"
best=$(sed -n 's/^change .* 1 1 [01] \(func:.*\)/\1/p' "$dir/x.exp/tried")
echo "pair 400 1000 func:other+=x0.5; $best" >>"$dir/x.exp/tried"
"$simprof" html -o "$dir/page.html" "$dir/x.exp" >/dev/null || fail "parts: html"
grep -q 'With func:other+=x0\.5 as well it takes 40\.0 % fewer\.' "$dir/page.html" ||
    fail "parts: the first screen says nothing of both: $best"
echo "pair 1 0 func:a=x0.5; func:b=x0.5" >>"$dir/x.exp/tried"
"$simprof" causes "$dir/x.exp" | tr '\n' ' ' | grep -q 'What was tried cannot be read' || fail "parts: a damaged pair"

# Each of two equal shares is what comes first once the other is halved: they are one pair, tried once.
cat >"$dir/shares.c" <<'C'
#include <pthread.h>
static pthread_barrier_t meeting;
static __attribute__((noipa)) void work(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static __attribute__((noipa)) void sound(void)
{
    work(1990);
    __asm__ volatile("");
}
static __attribute__((noipa)) void picture(void)
{
    work(2010);
    __asm__ volatile("");
}
static void *play(void *which)
{
    for (int k = 0; k < 25; k++) {
        if (which)
            sound();
        else
            picture();
        pthread_barrier_wait(&meeting);
    }
    return 0;
}
int main(void)
{
    pthread_t t[2];

    pthread_barrier_init(&meeting, 0, 2);
    for (long n = 0; n < 2; n++)
        pthread_create(&t[n], 0, play, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(t[n], 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/shares" "$dir/shares.c" || fail "shares"
advised shares --user "$dir/shares"
grep -q ' both$' "$dir/text" || fail "shares: no row of both: $(cat "$dir/text")"
mirrored && fail "shares: a pair twice: $(cat "$dir/text")"

# More CPUs are no change of the guest's own workload, which is more work then.
rm -rf "$dir/x.exp"
"$simrun" -q --mode=fast --cpus=2 --append 'states=on n=60' --switch-stacks -e cycles:1000 \
    --pmu-trace="$dir/x.exp" "$guest" >"$out" 2>"$dir/err" </dev/null || fail "$(cat "$dir/err")"
"$simprof" advise --csv --pairs=3 --limit=9 "$dir/x.exp" >"$dir/csv" 2>"$dir/err" ||
    fail "own: $(cat "$dir/err")"
! grep -q 'cpus=' "$dir/csv" || fail "own: $(cat "$dir/csv")"
grep -q 'journal_write' "$dir/csv" || fail "own: $(cat "$dir/csv")"
exit 0
