#!/bin/sh
# poll_record_test.sh - --record-locks records who wrote the word for which a thread sleeps again
# and again, yields its CPU or runs a loop, under --user and in the guest: as often as the source says, with the word's address;
# nothing of sleeps that nobody ends, and of locks that are tried. What causes and predict make
# of it is what simrun --what-if measures.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
cat >"$dir/polls.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROUNDS 12

static volatile unsigned ready, other, never;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timespec nap = {0, 4000};
static int yields, spins;

static __attribute__((noipa)) unsigned work(unsigned x, unsigned steps)
{
    for (unsigned n = 0; n < steps; n++)
        x = x * 1664525 + 1013904223;
    return x;
}

static __attribute__((noipa)) unsigned prepare(unsigned x)
{
    return work(x, 8000) ^ 1;
}

static void *looks(void *arg)
{
    unsigned x = 1;

    for (unsigned i = 1; i <= ROUNDS; i++) {
        while (ready < i)
            if (yields)
                sched_yield();
            else if (!spins)
                nanosleep(&nap, NULL);
        x = work(x, 900);
    }
    for (unsigned i = 0; i < 5 && !never; i++) /* nobody ends these */
        nanosleep(&nap, NULL);
    while (pthread_mutex_trylock(&lock)) /* it is a lock */
        nanosleep(&nap, NULL);
    pthread_mutex_unlock(&lock);
    other = x;
    return arg;
}

static void *makes(void *arg)
{
    unsigned x = 2;

    for (unsigned i = 1; i <= ROUNDS; i++) {
        x = prepare(x);
        ready = i;
    }
    printf("%u\n", work(x, 20000));
    return arg;
}

int main(int count, char **word)
{
    pthread_t t, other_one;

    yields = count > 1 && !strcmp(word[1], "yield");
    spins = count > 1 && !strcmp(word[1], "spin");
    pthread_mutex_lock(&lock);
    pthread_create(&t, NULL, looks, NULL);
    if (count > 1)
        pthread_create(&other_one, NULL, makes, NULL);
    else
        makes(NULL);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    if (count > 1)
        pthread_join(other_one, NULL);
    printf("%u\n", other);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/polls" "$dir/polls.c" || exit 1
ready=$((0x$(powerpc-linux-gnu-nm "$dir/polls" | sed -n 's/ [bB] ready$//p')))

# run WHERE OPTION... [-- WORD]: cycles it takes
run() {
    where=$1
    shift
    if [ $where = guest ]; then
        "$simrun" -q --mode=fast --cpus=4 --append states=on --summary=json "$@" "$guest" \
            --program "$dir/polls" $word
    else
        "$simrun" -q --mode=fast --cpus=4 --summary=json "$@" --user "$dir/polls" ${word#-- }
    fi >"$out" 2>"$dir/err" </dev/null || fail "$where: $(cat "$dir/err")"
    cat "$out" "$dir/err" | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p'
}
# Threads that waited to their end have a record of that as well, as if they had worked.
waits() { records "$1" | awk '!$15'; }
predicted() { "$simprof" predict --csv "$dir/$1.exp" ${2:+--what-if $2} | sed -n '$s/,.*//p'; }

for where in user guest; do
    word=
    cycles=$(run $where --record-locks -e cycles:1000 --pmu-trace="$dir/$where.exp")
    is "$where: it takes as long as without" "$(run $where)" "$cycles"
    waits "$dir/$where.exp/poll.rec" >"$dir/polls.txt"
    # Kind, thread, cycle; writer, word, since, ended, written, sleeps.
    # One more is of a lock that the thread tries until it has it.
    is "$where: records" "$(awk -v ready=$ready '$6 == ready { n++ } $6 != ready { tried += $11 }
        END { print n, tried }' "$dir/polls.txt")" "12 1"
    awk -v ready=$ready '$5 == $3 || $7 < $9 || $9 < $8 || $10 < 2 || ($6 == ready && $11)' \
        "$dir/polls.txt" >"$dir/odd"
    [ ! -s "$dir/odd" ] || fail "$where: $(cat "$dir/odd")"
    is "$where: one thread waits for one other" \
        "$(awk '{ print $3, $5 }' "$dir/polls.txt" | sort -u | wc -l)" 1
    "$simprof" causes --csv "$dir/$where.exp" | sed -n 2p | grep -q 'runs,.*work < prepare < makes' ||
        fail "$where: $("$simprof" causes --csv "$dir/$where.exp" | sed -n 2p)"
    "$simprof" causes "$dir/$where.exp" | tr -s '\n ' '  ' |
        grep -q 'sleeps in looks again and again until "ready" is written; .* writes that, because' ||
        fail "$where: it does not say so: $("$simprof" causes "$dir/$where.exp")"
    is "$where: unchanged" "$(predicted $where)" "$cycles"
    measured=$(run $where --what-if func:prepare+=x0.5)
    p=$(predicted $where func:prepare+=x0.5)
    awk -v r="$cycles" -v m="$measured" -v p="$p" 'BEGIN {
        t = (r - m) / 10; exit m > r * 0.9 || p < m - t || p > m + t }' ||
        fail "$where: of $cycles $measured are measured, $p predicted"
done

# Who lets others run instead of sleeping, or only looks, does not leave a CPU that nobody wants.
for how in yield spin; do
    for where in user guest; do
        word="-- $how"
        exp=$dir/$where-$how
        cycles=$(run $where --record-locks -e cycles:1000 --pmu-trace="$exp.exp")
        is "$where: with $how" "$(waits "$exp.exp/poll.rec" |
            awk -v ready=$ready '$6 == ready' | wc -l)" 12
        "$simprof" causes --csv "$exp.exp" | sed -n 2p | grep -q 'runs,.*work < prepare < makes' ||
            fail "$where, $how: $("$simprof" causes --csv "$exp.exp" | sed -n 2p)"
        "$simprof" causes "$exp.exp" | tr -s '\n ' '  ' |
            grep -q 'looks again and again until "ready" is written; .* writes that, because' ||
            fail "$where, $how: it does not say so: $("$simprof" causes "$exp.exp")"
        is "$where, $how: unchanged" "$(predicted $where-$how)" "$cycles"
        measured=$(run $where --what-if func:prepare+=x0.5)
        p=$(predicted $where-$how func:prepare+=x0.5)
        awk -v r="$cycles" -v m="$measured" -v p="$p" 'BEGIN {
            t = (r - m) / 20; exit m > r * 0.9 || p < m - t || p > m + t }' ||
            fail "$where, $how: of $cycles $measured are measured, $p predicted"
    done
done

# A thread that sleeps, and then signals a condition, looks at that: whether others wait there. It
# does not sleep until they do, and what it does for them is no look.
cat >"$dir/flush.c" <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER,
                      flushed = PTHREAD_COND_INITIALIZER;
static unsigned put, safe, ended;

static __attribute__((noipa)) uint32_t mix(uint32_t x, unsigned steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static __attribute__((noipa)) void write_out(unsigned items)
{
    struct timespec t = {0, 200000 + 30000 * (long)items};

    nanosleep(&t, NULL);
}
static void *flusher(void *arg)
{
    pthread_mutex_lock(&lock);
    while (safe != put || !ended) {
        unsigned to = put;

        if (safe == put) {
            pthread_cond_wait(&more, &lock);
            continue;
        }
        pthread_mutex_unlock(&lock);
        write_out(to - safe);
        pthread_mutex_lock(&lock);
        safe = to;
        pthread_cond_broadcast(&flushed);
    }
    pthread_mutex_unlock(&lock);
    return arg;
}
static void *session(void *arg)
{
    uint32_t x = (uint32_t)(uintptr_t)arg;

    for (unsigned n = 0; n < 20; n++) {
        unsigned mine;

        x = mix(x, 4000 + x % 9000);
        pthread_mutex_lock(&lock);
        mine = ++put;
        pthread_cond_signal(&more);
        while (safe < mine)
            pthread_cond_wait(&flushed, &lock);
        pthread_mutex_unlock(&lock);
    }
    return (void *)(uintptr_t)x;
}
int main(void)
{
    pthread_t of_flusher, of[6];

    pthread_create(&of_flusher, NULL, flusher, NULL);
    for (uintptr_t n = 0; n < 6; n++)
        pthread_create(&of[n], NULL, session, (void *)n);
    for (unsigned n = 0; n < 6; n++)
        pthread_join(of[n], NULL);
    pthread_mutex_lock(&lock);
    ended = 1;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    pthread_join(of_flusher, NULL);
    puts("flushed");
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/flush" "$dir/flush.c" || exit 1
flush() {
    user "$dir/flush" --cpus=2 --summary=json "$@" >"$out" 2>"$dir/err" </dev/null ||
        fail "flush: $(cat "$dir/err")"
    cat "$out" "$dir/err" | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p'
}
cycles=$(flush --record-locks -e cycles:1000 --pmu-trace="$dir/flush.exp")
for part in 0 0.5; do
    measured=$(flush --what-if "func:write_out+=x$part")
    p=$(predicted flush "func:write_out+=x$part")
    awk -v r="$cycles" -v m="$measured" -v p="$p" 'BEGIN {
        t = (r - m) / 6; exit m > r * 0.9 || p < m - t || p > m + t }' ||
        fail "flush, 2 CPUs, x$part: of $cycles $measured are measured, $p predicted"
done
is "flush, 2 CPUs: doubt" "$("$simprof" predict --csv "$dir/flush.exp" \
    --what-if func:write_out+=x0.5 | sed -n '$s/.*,//p')" ""

# The guest's kernel looks now and then whether a pipe has something: how often it would is not
# recorded, which is said.
cat >"$dir/loop.c" <<'C'
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static int there[2], back[2];
static volatile uint32_t sum;

static __attribute__((noipa)) uint32_t mix(uint32_t x, unsigned steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static __attribute__((noipa)) void serve(uint32_t x)
{
    sum += mix(x, 30000);
}
static void *peer(void *arg)
{
    char c = 0;

    for (unsigned n = 0; n < 12; n++) {
        sum += mix(n, 9000);
        if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
            return arg;
    }
    close(there[1]);
    return arg;
}
int main(void)
{
    struct pollfd of = {.events = POLLIN};
    pthread_t thread;
    char c;

    if (pipe(there) || pipe(back))
        return 1;
    of.fd = there[0];
    pthread_create(&thread, NULL, peer, NULL);
    while (poll(&of, 1, -1) == 1 && read(there[0], &c, 1) == 1) {
        serve(1);
        if (write(back[1], &c, 1) != 1)
            return 1;
    }
    pthread_join(thread, NULL);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/loop" "$dir/loop.c" || exit 1
for where in user guest; do
    if [ $where = user ]; then
        set -- --user "$dir/loop"
    else
        set -- --append states=on "$guest" --program "$dir/loop"
    fi
    "$simrun" -q --mode=fast --cpus=2 --record-locks -e cycles:1000 \
        --pmu-trace="$dir/loop-$where.exp" "$@" >"$out" 2>"$dir/err" </dev/null ||
        fail "loop, $where: $(cat "$dir/err")"
    doubt=$("$simprof" predict --csv "$dir/loop-$where.exp" --what-if func:serve+=x0.5 |
        sed -n '$s/.*,//p')
    case $where-$doubt in
    user- | guest-looks) ;;
    *) fail "loop, $where: in doubt '$doubt'" ;;
    esac
done

exit 0
