#!/bin/sh
# said_test.sh - what reports about causes say in words: which other names a function has whose
# code the compiler made one of with others', in causes, advise and source; whose end a thread
# waits for; how many changes advise tries; one row of predict where nothing is changed; that
# --record-locks tells more than --switch-stacks.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/one.c" <<'EOF'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned out[2];
#define TURN(name) \
    __attribute__((noinline)) static unsigned name(unsigned x) \
    { \
        for (int n = 0; n < 20000; n++) \
            x = x * 1664525u + 1013904223u; \
        return x; \
    }
TURN(encode) TURN(decode) TURN(other)
static void *work(void *p)
{
    unsigned *me = p, x = *me;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&lock);
        x = encode(decode(x));
        pthread_mutex_unlock(&lock);
    }
    out[*me] = x;
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    unsigned n[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &n[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return other(out[0]) == 1;
}
EOF
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/one" "$dir/one.c" 2>"$dir/err" ||
    fail "$(cat "$dir/err")"
[ "$(powerpc-linux-gnu-nm "$dir/one" | grep -E ' (encode|decode|other)$' | cut -d ' ' -f 1 | uniq | wc -l)" = 1 ] ||
    { echo "this compiler makes no one function of them"; exit 77; }
(cd "$dir" && "$simrun" -q --mode=fast --cpus=2 --switch-stacks -e cycles:1000 -f \
    --pmu-trace=x.exp --user ./one) >"$out" 2>"$dir/err" </dev/null || fail "$(cat "$dir/err")"
cd "$dir" || exit 1
said() { [ "$(grep -c 'other (same code as [ed][en]code, [ed][en]code)\.$' text)" = 1 ] || fail "$1: $(cat text)"; }

"$simprof" causes --width=200 x.exp >text || fail causes
said causes
grep -q 'waits for the end of thread [0-9]* in main; thread [0-9]* wakes it' text || fail "$(cat text)"
grep -q 'pthread_mutex_lock (same' text && fail "names of the library's: $(cat text)"
"$simprof" causes --csv x.exp >csv || fail "causes --csv"
grep -q 'same code' csv && fail "in CSV: $(cat csv)"
"$simprof" source other x.exp >text || fail source
said source
"$simprof" source work x.exp >text || fail source
grep -q 'same code' text && fail "of one name: $(cat text)"
"$simprof" advise --pairs=3 --width=200 x.exp >text 2>err || fail "$(cat err)"
said advise
grep -q '^The cause: runs other' text || fail "$(cat text)"

"$simprof" advise --help | tr -s ' \n' ' ' | grep -q 'advise: changes that are tried (0: all; else 6)' ||
    fail "$("$simprof" advise --help)"
[ "$("$simprof" predict --csv x.exp | wc -l)" = 2 ] || fail "$("$simprof" predict x.exp)"
[ "$("$simprof" predict --csv --what-if func:work=x1 x.exp | wc -l)" = 3 ] || fail "two rows are"
"$simrun" -q --mode=fast -e cycles:1000 -f --pmu-trace=none.exp --user ./one || fail "none"
"$simprof" timeline none.exp >text 2>err
[ $? = 125 ] && grep -q 'none.exp: no states of threads were recorded: .*--switch-stacks, or with --record-locks' err ||
    fail "$(cat text err)"

# A lock that no variable has is known by where it was taken first.
cat >heap.c <<'EOF'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t *lock;
static volatile unsigned sum;
static __attribute__((noipa)) void add(unsigned n)
{
    pthread_mutex_lock(lock); /* line 7 */
    for (unsigned i = 0; i < 5000; i++)
        sum += i * n;
    pthread_mutex_unlock(lock);
}
static void *work(void *p)
{
    for (unsigned n = 0; n < 10; n++)
        add(n);
    return p;
}
int main(void)
{
    pthread_t t[3];
    lock = malloc(sizeof *lock);
    pthread_mutex_init(lock, NULL);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOF
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o heap heap.c || exit 1
for way in --record-locks --switch-stacks; do
    "$simrun" -q --mode=fast $way -f --pmu-trace=heap.exp --user ./heap || fail "heap"
    "$simprof" locks --width=400 heap.exp | grep -q '^0x[0-9a-f]*: first taken in add.*heap\.c:7)\.$' ||
        fail "$way: $("$simprof" locks heap.exp)"
done
exit 0
