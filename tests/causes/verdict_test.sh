#!/bin/sh
# verdict_test.sh - what simprof advise says in the end agrees with its table: a function that
# the C library calls for the program (pthread_once, qsort) is the cause, not a thread's
# beginning; a function that a caller's gain is made of is named, not the caller, though it ended
# with a jump and is in no stack; a lock is, unless what is done under it brings most of that.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/verdict.c" <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t table;

static __attribute__((noipa)) uint32_t mix(uint32_t x, unsigned steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static __attribute__((noipa)) void fill(void)
{
    table = mix(1, 60000) ^ 1;
}
static __attribute__((noipa)) uint32_t wanted(uint32_t x)
{
    return mix(x, 1500); /* a jump: no stack has this function */
}
static __attribute__((noipa)) void pause_a_bit(void)
{
    usleep(4);
}
static __attribute__((noipa)) uint32_t commit(uint32_t x)
{
    while (pthread_mutex_trylock(&lock))
        pause_a_bit();
    x = wanted(x);
    pthread_mutex_unlock(&lock);
    return x ^ 3;
}
static void *filled(void *arg)
{
    pthread_once(&once, fill);
    return (void *)(uintptr_t)(mix(table + (uint32_t)(uintptr_t)arg, 3000) ^ 4);
}
static void *teller(void *arg)
{
    uint32_t x = (uint32_t)(uintptr_t)arg;

    for (unsigned i = 0; i < 30; i++)
        x = commit(mix(x, 300));
    return (void *)(uintptr_t)x;
}
int main(int argc, char **argv)
{
    void *(*work)(void *) = argc > 1 && argv[1][0] == 'o' ? filled : teller;
    pthread_t thread[4];
    uint32_t sum = 0;
    void *end;

    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (unsigned i = 0; i < 4; i++) {
        pthread_join(thread[i], &end);
        sum += (uint32_t)(uintptr_t)end;
    }
    printf("%u\n", (unsigned)sum);
    return 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/verdict" "$dir/verdict.c" ||
    fail "it does not compile"
# advised ARGUMENT FUNCTION: is that the cause?
advised() {
    rm -rf "$dir/x.exp"
    (cd "$dir" && "$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:1000 \
        --pmu-trace=x.exp --user ./verdict "$1" >"$out" 2>"$dir/err" </dev/null) ||
        fail "$1: $(cat "$dir/err")"
    (cd "$dir" && "$simprof" advise --pairs=4 x.exp >text 2>"$dir/err") ||
        fail "$1: $(cat "$dir/err")"
    tr '\n' ' ' <"$dir/text" >"$dir/line"
    grep -q "The cause: runs mix < $2 < [^(]*([^)]*)\. With func:$2+=x0\.5" "$dir/line" ||
        fail "$1: $(cat "$dir/text")"
    ! grep -q "No single change" "$dir/text" || fail "$1: nothing: $(cat "$dir/text")"
    ! grep -q "Only together" "$dir/text" || fail "$1: together: $(cat "$dir/text")"
}
# However often threads sleep for next to nothing, the thread on CPU 0 gets on.
"$simrun" -q --mode=fast --cpus=4 --max-cycles=8000000 --what-if func:pause_a_bit+=x0.5 \
    --user "$dir/verdict" teller >"$out" 2>"$dir/err" || fail "sleeps: $(cat "$dir/err")"

advised once fill
advised teller wanted

# Nothing is changed by half of clone: threads begin in the middle of it.
cat >"$dir/many.c" <<'C'
#include <pthread.h>
static volatile unsigned sink;
static __attribute__((noipa)) void *job(void *p)
{
    for (int i = 0; i < 300; i++)
        sink += i;
    return p;
}
int main(void)
{
    pthread_t t[3];

    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 3; i++)
            pthread_create(&t[i], NULL, job, NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(t[i], NULL);
    }
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/many" "$dir/many.c" || fail "compile"
rm -rf "$dir/x.exp"
"$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:200 -f --pmu-trace="$dir/x.exp" \
    --user "$dir/many" >"$out" 2>&1 || fail "many"
"$simprof" advise --pairs=3 --limit=0 --csv "$dir/x.exp" >"$dir/text" 2>"$dir/err" || fail "$(cat "$dir/err")"
grep -q 'func:pthread_create+=x0.5' "$dir/text" || fail "not tried: $(cat "$dir/text")"
! grep -q 'func:clone' "$dir/text" || fail "clone is tried: $(cat "$dir/text")"

# ... nor by half of what the guest's kernel goes to user mode with: that is all system calls.
rm -rf "$dir/x.exp"
"$simrun" -q --mode=fast --cpus=4 --record-locks -e cycles:200 -f --pmu-trace="$dir/x.exp" \
    --append states=on "$guest" --program "$dir/many" >"$out" 2>&1 || fail "many, guest"
"$simprof" advise --pairs=3 --limit=0 "$dir/x.exp" >"$dir/text" 2>"$dir/err" || fail "$(cat "$dir/err")"
grep -q 'func:job' "$dir/text" || fail "not tried: $(cat "$dir/text")"
! grep -q 'task_main' "$dir/text" || fail "task_main is tried: $(cat "$dir/text")"

# The guest's kernel has data of that name: the function is meant, however its file is told.
run() {
    "$simrun" -q --mode=fast --cpus=4 --append states=on --summary=json:"$dir/json" "$@" \
        "$guest" --program "$dir/verdict" >"$out" 2>"$dir/err" </dev/null ||
        fail "$*: $(cat "$dir/err")"
    sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$dir/json" | head -n 1
}
rm -rf "$dir/x.exp"
whole=$(run --record-locks -e cycles:1000 --pmu-trace="$dir/x.exp")
half=$(run --what-if 'func:wanted+=x0.5')
[ "$half" -lt "$whole" ] || fail "wanted: $half of $whole"
says=$("$simprof" predict --csv --what-if 'func:wanted+=x0.5' "$dir/x.exp" | sed -n 3p)
for name in "wanted (verdict)" "wanted (verdict.c)"; do
    is "$name" "$(run --what-if "func:$name+=x0.5")" "$half"
    is "predict $name" "$("$simprof" predict --csv --what-if "func:$name+=x0.5" "$dir/x.exp" |
        sed -n '3s/,.*//p')" "${says%%,*}"
done

# A lock says where it is held; a function says more that brings most of it, if it runs under the lock.
cat >"$dir/index.c" <<'C'
#include <pthread.h>
#include <stdint.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static inline __attribute__((always_inline)) uint32_t mix(uint32_t x, unsigned steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static __attribute__((noipa)) uint32_t rebuild(uint32_t x)
{
    return mix(x, 3000) ^ 1;
}
static __attribute__((noipa)) uint32_t find(uint32_t x)
{
    return mix(x, 200) ^ 2;
}
static __attribute__((noipa)) uint32_t answer(uint32_t x)
{
    return mix(x, 500) ^ 3;
}
static __attribute__((noipa)) uint32_t collect(uint32_t x)
{
    return mix(x, 600) ^ 4;
}
static inline __attribute__((always_inline)) void *writes(void *arg)
{
    for (uint32_t i = 0; i < 40; i++) {
        collect(i);
        pthread_rwlock_wrlock(&lock);
        rebuild(i);
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}
static inline __attribute__((always_inline)) void *reads(void *arg)
{
    for (uint32_t i = 0; i < 120; i++) {
        pthread_rwlock_rdlock(&lock);
        find(i);
        pthread_rwlock_unlock(&lock);
        answer(i);
    }
    return arg;
}
static void *writer(void *arg)
{
    return writes(arg);
}
static void *reader(void *arg)
{
    return reads(arg);
}
static void *either(void *arg)
{
    return arg ? reads(arg) : writes(arg);
}
int main(int argc, char **argv)
{
    pthread_t t[5];

    for (long i = 0; i < 5; i++)
        pthread_create(&t[i], NULL, argc == 1 ? either : i ? reader : writer, (void *)i);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], NULL);
    return argv[0] == NULL;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/index" "$dir/index.c" || fail "compile"
for apart in "" apart; do
    rm -rf "$dir/x.exp"
    (cd "$dir" && "$simrun" -q --mode=fast --root=.:/here --cpus=2 --record-locks -e cycles:500 -f \
        --pmu-trace=x.exp --user ./index $apart) >"$out" 2>&1 || fail "index $apart: $(cat "$out")"
    (cd "$dir" && "$simprof" advise --pairs=3 --width=120 x.exp >"text$apart" 2>"$dir/err") ||
        fail "index $apart: $(cat "$dir/err")"
done
grep -q '^The cause: the lock lock is held' "$dir/text" || fail "index: $(cat "$dir/text")"
grep -q '^The cause: runs answer < reader' "$dir/textapart" || fail "index apart: $(cat "$dir/textapart")"
grep 'func:reader+=' "$dir/textapart" | grep -q 'runs reader, [0-9]*% of it in answer' ||
    fail "reader: $(cat "$dir/textapart")"
# What is measured in fast mode is of another run than one in detail: the first screen has what is
# predicted of the recorded one, and advise says which is meant.
rm -rf "$dir/x.exp"
(cd "$dir" && "$simrun" -q --root=.:/here --cpus=2 --record-locks -e cycles:500 --pmu-trace=x.exp \
    --user ./index) >"$out" 2>&1 || fail "in detail: $(cat "$out")"
(cd "$dir" && "$simprof" advise --pairs=3 --width=300 x.exp >text 2>"$dir/err") || fail "$(cat "$dir/err")"
grep -q '^Predicted is of the recorded run, of [0-9,]* cycles, and measured of the same in fast mode' "$dir/text" ||
    fail "in detail: $(cat "$dir/text")"
grep -q ' in fast mode: .* With .* the run takes' "$dir/text" || fail "in detail: $(cat "$dir/text")"
"$simprof" causes --width=300 "$dir/x.exp" | grep -q '^Tried: .*, in fast mode, in which it takes [0-9,]* cycles, not' ||
    fail "causes: $("$simprof" causes "$dir/x.exp")"
"$BUILD/simview" --text --size=1600x1000 "$dir/x.exp" >"$dir/screen" || fail "simview"
sed -n 4p "$dir/screen" | grep -q '^predicted, not tried' || fail "the first screen: $(sed -n 1,6p "$dir/screen")"
exit 0
