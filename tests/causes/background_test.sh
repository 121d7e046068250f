#!/bin/sh
# background_test.sh - threads that work in the background until another one sets a flag: half of their
# work brings nothing and is predicted so, one CPU more and less come out as measured, and to put them in
# the background is proposed, tried and said on the first screen, also of threads that have no name. Where
# others wait for what such a thread does meanwhile, or share its work, see below.
# timeout: 240
set -u
. tests/guest/lib.sh
. tests/causes/judged.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

cat >"$dir/filler.c" <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#define NOINLINE __attribute__((noipa))
#define FILLERS 3
static sem_t asked, answered;
static atomic_int stop;

static NOINLINE void fill(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void answer(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static void *fills(void *arg)
{
#ifdef NAME
    pthread_setname_np(pthread_self(), NAME);
#endif
    while (!stop)
        fill(500);
    return arg;
}
static void *answers(void *arg)
{
    for (int k = 0; k < 3; k++) {
        sem_wait(&asked);
        answer(300);
        sem_post(&answered);
    }
    return arg;
}
static void *asks(void *arg)
{
    for (int k = 0; k < 3; k++) {
        sem_post(&asked);
        sem_wait(&answered);
        answer(600);
    }
    stop = 1;
    return arg;
}
int main(void)
{
    pthread_t t[FILLERS + 2];

    sem_init(&asked, 0, 0);
    sem_init(&answered, 0, 0);
    for (long i = 0; i < FILLERS + 2; i++)
        pthread_create(&t[i], 0, i < FILLERS ? fills : i == FILLERS ? answers : asks, (void *)i);
    for (int i = 0; i < FILLERS + 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
build() { # build NAME FILE.c OPTION...
    program=$1 file=$2
    shift 2
    powerpc-linux-gnu-gcc -D_GNU_SOURCE -O2 -g -static -pthread "$@" -o "$dir/$program" "$dir/$file" ||
        fail "no $program"
}
build filler filler.c -DNAME='"filler"'
plays=near judge filler 2 func:fill=x0.5 func:fill=x3 func:answer=x20 cpus=+1 cpus=-1
# It is work, and no wait: no CPU spins, and no row of causes has half of it.
"$simprof" causes "$dir/x.exp" >"$out" || fail "causes"
grep -q 'spin' "$out" && fail "it is said to spin: $(grep spin "$out")"
tr -s '\n ' ' ' <"$out" | grep -q 'Threads were ready and waited for a CPU for [0-9,]* cycles, all together\. Who had it while the critical path waited says simprof path\.' ||
    fail "causes does not say what is waited for: $(cat "$out")"
"$simprof" advise --limit=2 --pairs=3 "$dir/x.exp" >"$out" 2>"$dir/err" || fail "advise: $(cat "$dir/err")"
tr -s '\n ' ' ' <"$out" | grep -q 'The cause: filler, one of 3 threads, has the CPU that the critical path waits for\. With priority:filler=low the run takes [0-9.]*% fewer' ||
    fail "no cause: $(cat "$out")"
"$simprof" html -o "$dir/page.html" "$dir/x.exp" >/dev/null || fail "html"
grep -q 'CPUs are hardly ever idle\. With priority:filler=low the run is [0-9.]* % shorter\.' "$dir/page.html" || fail "not on the first screen"

# Of threads without names all are in one change, which simrun takes as it is said.
build plain filler.c
rm -rf "$dir/x.exp"
all=$(cycles plain --cpus=2 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp")
"$simprof" advise --limit=1 --pairs=3 --json "$dir/x.exp" >"$out" 2>"$dir/err" || fail "advise: $(cat "$dir/err")"
spec=$(sed -n 's/.*"change": *"\(priority:[^"]*\)".*/\1/p' "$out" | head -n 1)
is "changes in it" "$(echo "$spec" | tr ';' '\n' | grep -c '^ *priority:[0-9]*=low$')" 3
some=$(cycles plain --cpus=2 --what-if "$spec")
[ "$some" -lt $((all / 5)) ] || fail "$spec: $some of $all"
"$simprof" advise --limit=1 --pairs=3 "$dir/x.exp" >"$out" 2>"$dir/err" || fail "advise: $(cat "$dir/err")"
awk 'length > 80 { exit 1 }' "$out" || fail "wider than 80 columns: $(awk 'length > 80' "$out")"

# A thread for whose work others wait meanwhile: how often it does that in another run is not known.
cat >"$dir/writer.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
#define NOINLINE __attribute__((noipa))
static atomic_int left = 2, odd;

static NOINLINE void collect(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void use(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static void *reads(void *arg)
{
    for (int k = 0; k < 150; k++) {
        while (odd & 1)
            ;
        use(200);
    }
    left--;
    return arg;
}
static void *writes(void *arg)
{
    while (left) {
        collect(300);
        odd++;
        collect(300);
        odd++;
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, i ? reads : writes, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
build writer writer.c
rm -rf "$dir/x.exp"
cycles writer --cpus=3 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp" >/dev/null
"$simprof" predict --csv "$dir/x.exp" --what-if func:collect=x0.5 >"$dir/csv" || fail "predict"
is "doubt where others wait for it" "$(awk -F, 'NR == 3 { print $NF }' "$dir/csv")" looks

# Threads that take their work from a list, each with the lock, until all of it is done, share that: what
# one leaves the others do, and nothing is in doubt for that.
cat >"$dir/shared.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
#define NOINLINE __attribute__((noipa))
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next, done;
static atomic_int all;

static NOINLINE void piece(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static void *works(void *arg)
{
    while (!all) {
        int k;

        pthread_mutex_lock(&lock);
        k = next < 60 ? next++ : -1;
        pthread_mutex_unlock(&lock);
        piece(k < 0 ? 50 : 2000);
        pthread_mutex_lock(&lock);
        if (k >= 0 && ++done == 60)
            all = 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];

    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], 0, works, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
build shared shared.c
judge shared 2 func:piece=x0.5 func:piece=x2

# Threads that work until the program ends are not a part of what it does: they are in its way alone.
cat >"$dir/always.c" <<'C'
#include <pthread.h>
#include <semaphore.h>
#define NOINLINE __attribute__((noipa))
static volatile unsigned scanned[3];
static sem_t ask, answer;

static NOINLINE void scan(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void serve(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static void *always(void *arg)
{
    for (;;) {
        scan(2500);
        scanned[(long)arg]++;
    }
}
static void *serves(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        sem_wait(&ask);
        serve(3000);
        sem_post(&answer);
    }
    return arg;
}
int main(void)
{
    pthread_t t[4];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, always, (void *)i);
    pthread_create(&t[3], 0, serves, 0);
    for (int i = 0; i < ROUNDS; i++) {
        serve(1500);
        sem_post(&ask);
        sem_wait(&answer);
    }
    pthread_join(t[3], 0);
    return 0;
}
C
build always always.c -DROUNDS=16
plays=near judge always 4 func:scan=x0.5 func:serve=x0.5 cpus=+1
build always always.c -DROUNDS=5
plays=near judge always 2 func:scan=x0.5 cpus=+1 cpus=-1
"$simprof" advise --limit=1 --pairs=3 "$dir/x.exp" >"$out" 2>"$dir/err" || fail "advise: $(cat "$dir/err")"
tr -s '\n ' ' ' <"$out" | grep -q 'The cause: thread 100[1-3], one of 3 threads, has the CPU that the critical path waits for\.' ||
    fail "always: no cause: $(cat "$out")"

# One that sleeps in between, until the others set a flag, is in their way as often as they take: in doubt.
cat >"$dir/naps.c" <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#define NOINLINE __attribute__((noipa))
static atomic_int over;

static NOINLINE void scrub(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void commit(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static void only_first(void)
{
    cpu_set_t s;

    CPU_ZERO(&s);
    CPU_SET(0, &s);
    pthread_setaffinity_np(pthread_self(), sizeof s, &s);
}
static void *scrubs(void *arg)
{
    struct sched_param p = {.sched_priority = 10};
    struct timespec t = {0, 30000};

    only_first();
    pthread_setname_np(pthread_self(), "scrubber");
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
    while (!over) {
        scrub(9000);
        nanosleep(&t, 0);
    }
    return arg;
}
static void *commits(void *arg)
{
    only_first();
    for (int i = 0; i < 30; i++)
        commit(1000);
    over = 1;
    return arg;
}
int main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], 0, scrubs, 0);
    pthread_create(&t[1], 0, commits, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
sed -i '1i #define _GNU_SOURCE' "$dir/naps.c"
build naps naps.c
rm -rf "$dir/x.exp"
cycles naps --cpus=2 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp" >/dev/null
"$simprof" predict --csv "$dir/x.exp" --what-if func:commit=x0.5 >"$dir/csv" || fail "predict"
is "doubt where it sleeps" "$(awk -F, 'NR == 3 { print $NF }' "$dir/csv")" looks
# Masks are of a thread by its number or its name.
moved() { "$simprof" predict --csv "$dir/x.exp" --what-if "affinity:$1=1" 2>"$dir/err" | sed -n '3s/,.*//p'; }
is "by name" "$(moved scrubber)" "$(moved 1001)"
[ "$(moved scrubber)" ] || fail "by name: $(cat "$dir/err")"
"$simprof" predict "$dir/x.exp" --what-if affinity:nope=1 2>"$dir/err" && fail "a name that is none"
is "no such name" "$(cat "$dir/err")" \
    "simprof: --what-if: affinity:nope: no thread of that name is in the recording; simprof states has them"

# Nor do those share their work that take a lock to read alone, until the others have written.
cat >"$dir/readers.c" <<'C'
#include <pthread.h>
#include <stdatomic.h>
#define NOINLINE __attribute__((noipa))
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int stop;

static NOINLINE void scan(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void use(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static void *reads(void *arg)
{
    while (!stop) {
        pthread_rwlock_rdlock(&lock);
        scan(300);
        pthread_rwlock_unlock(&lock);
        use(1500);
    }
    return arg;
}
static void *writes(void *arg)
{
    for (int i = 0; i < 200; i++) {
        pthread_rwlock_wrlock(&lock);
        scan(20);
        pthread_rwlock_unlock(&lock);
    }
    stop = 1;
    return arg;
}
int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, i ? reads : writes, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
build readers readers.c
rm -rf "$dir/x.exp"
cycles readers --cpus=4 --max-cycles=100000000 --record-locks -e cycles:500 --pmu-trace="$dir/x.exp" >/dev/null
"$simprof" predict --csv "$dir/x.exp" --what-if func:use=x2 >"$dir/csv" || fail "predict"
is "doubt where they read" "$(awk -F, 'NR == 3 { print $NF }' "$dir/csv")" looks
exit 0
