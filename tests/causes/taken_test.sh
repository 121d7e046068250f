#!/bin/sh
# taken_test.sh - threads that have the CPUs for which a chain of others waits, while no CPU idles for
# them: causes has their function first, by what half of it brings, path has what they ran meanwhile,
# the first screen says why, and advise tries it.
# timeout: 120
set -u
. tests/guest/lib.sh
. tests/causes/judged.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

cat >"$dir/behind.c" <<'C'
#include <pthread.h>
#include <unistd.h>
#define NOINLINE __attribute__((noipa))
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static NOINLINE void archive(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void answer(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static void *asks(void *arg)
{
    int id = (int)(long)arg;

    for (int k = 0; k < 20; k++) {
        pthread_mutex_lock(&lock);
        while (turn % 3 != id)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
        answer(400);
        pthread_mutex_lock(&lock);
        turn++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
static void *stores(void *arg)
{
    for (int k = 0; k < 10; k++) {
        archive(6000);
        usleep(1);
    }
    return arg;
}
int main(void)
{
    pthread_t t[6];

    for (long i = 0; i < 6; i++)
        pthread_create(&t[i], 0, i < 3 ? asks : stores, (void *)i);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/behind" "$dir/behind.c" || fail "no program"
doubt='*' judge behind 2 func:archive=x0.5
"$simprof" causes --table=roots --csv "$dir/x.exp" >"$dir/roots" || fail "causes"
sed -n 2p "$dir/roots" | grep -q 'runs.*archive < stores' || fail "not first: $(head -n 3 "$dir/roots")"
"$simprof" path --table=taken --csv "$dir/x.exp" >"$dir/taken" || fail "path"
sed -n 1p "$dir/taken" | grep -q '^cycles,taken_percent,' || fail "the columns: $(head -n 1 "$dir/taken")"
# What has the CPU is, but for a little, what takes it from the chain; not all at once, and not the chain.
sed -n 2p "$dir/taken" | awk -F, '{ exit !($2 > 80 && $2 <= 100) }' || fail "taken: $(sed -n 2p "$dir/taken")"
sed -n 2p "$dir/taken" | grep -q 'archive < stores' || fail "taken by another: $(sed -n 2p "$dir/taken")"
"$simprof" path "$dir/x.exp" | tr -s '\n ' ' ' | grep -q 'While a thread on the path was runnable, others ran on the CPU that it came to: cycles of that' ||
    fail "path says nothing of it"
waits=$("$simprof" path --csv "$dir/x.exp" | awk -F, '$3 == "cpu" { n += $1 } END { print n + 0 }')
awk -F, -v all="$waits" 'NR > 1 { n += $1 } END { exit !(n > 0 && n <= all) }' "$dir/taken" ||
    fail "more is taken than waited: of $waits"
"$simprof" path --table=chains "$dir/x.exp" >"$out" 2>"$dir/err" && fail "a table of another report: $(cat "$out")"
"$simprof" html -o "$dir/page.html" "$dir/x.exp" >/dev/null || fail "html"
grep -q 'of the critical path it has the CPU that a thread waits for' "$dir/page.html" || fail "the first screen does not say why"
"$simprof" advise --limit=4 "$dir/x.exp" >"$out" 2>"$dir/err" || fail "advise: $(cat "$dir/err")"
tr -s '\n ' ' ' <"$out" | grep -q 'The cause: runs archive < stores < start_thread ([^ ]*behind.c:[0-9]*), on a CPU that a thread on the critical path waits for\. With func:archive+*=x0\.5' ||
    fail "no cause: $(cat "$out")"
exit 0
