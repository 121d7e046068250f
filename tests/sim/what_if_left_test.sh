#!/bin/sh
# what_if_left_test.sh - simrun --what-if func: a function that a jump leaves is left: by
# longjmp, siglongjmp, setcontext, pthread_exit or an exception what the thread does behind
# it takes its own time again; a coroutine that is suspended in it goes on where it was.
# timeout: 300
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

cycles() {
    "$simrun" -q --summary=json:"$dir/json" "$@" >"$out" 2>"$dir/err" </dev/null ||
        fail "$*: status $?, $(cat "$dir/err")"
    sed 's/.*"cycles": *\([0-9]*\).*/\1/' "$dir/json"
}
near() { # near NAME A B: within a fiftieth
    awk -v a="$2" -v b="$3" 'BEGIN { d = a > b ? a - b : b - a; exit !(d * 50 <= b) }' ||
        fail "$1: $2, not near $3"
}

# In each way `ends` runs eight times and is left, and `rest` is work that must not change.
# -DWORK=0 is the program in which `ends` has nothing to do.
cat >"$dir/left.c" <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>
#define NI __attribute__((noinline))
static volatile unsigned sum, round_;
static void work(unsigned n) { while (n--) sum += n; }
NI void rest(void) { work(6000); }
#if WAY == 1 /* into the function that called it */
static jmp_buf to;
NI void ends(void) { work(WORK); longjmp(to, 1); }
NI void way(void) { if (!setjmp(to)) ends(); rest(); }
#elif WAY == 2 /* further up, from further down */
static sigjmp_buf to;
NI void deep(unsigned n) { if (n) deep(n - 1); else siglongjmp(to, 1); sum++; }
NI void ends(void) { work(WORK); deep(5); sum++; }
NI void calls(unsigned n) { if (n) calls(n - 1); else ends(); sum++; }
NI void way(void) { if (!sigsetjmp(to, 1)) calls(3); rest(); }
#elif WAY == 3
static ucontext_t to;
NI void ends(void) { work(WORK); setcontext(&to); }
NI void way(void)
{
    volatile int again = 0;
    getcontext(&to);
    if (!again++)
        ends();
    rest();
}
#elif WAY == 4 /* the rest is in what the thread leaves behind */
static void last(void *arg) { (void)arg; rest(); }
NI void ends(void) { work(WORK); pthread_exit(NULL); }
static void *thread(void *arg)
{
    pthread_cleanup_push(last, arg);
    ends();
    pthread_cleanup_pop(0);
    return arg;
}
NI void way(void)
{
    pthread_t t;
    if (pthread_create(&t, NULL, thread, NULL) || pthread_join(t, NULL))
        exit(1);
}
#elif WAY == 5 /* behind the call, where it would return to, is other code */
NI void ends(void) { work(WORK); if (sum != 1) throw 1; }
NI void way(void) { try { ends(); sum = 0; } catch (int) { sum++; } rest(); }
#elif WAY == 6 /* returns; between another's stack is at work, in a frame above */
static ucontext_t home, co;
static void other(void) { for (;;) { work(20); swapcontext(&co, &home); } }
NI void ends(void)
{
    work(WORK / 2);
    swapcontext(&home, &co);
    work(WORK - WORK / 2);
    swapcontext(&home, &co);
    sum++;
}
NI void all(char *stack)
{
    getcontext(&co);
    co.uc_stack.ss_sp = stack;
    co.uc_stack.ss_size = 32768;
    makecontext(&co, (void (*)(void))other, 0);
    for (int n = 0; n < 8; n++) {
        ends();
        rest();
    }
}
NI void way(void) { char stack[32768]; if (!round_) all(stack); sum++; }
#elif WAY == 7 /* is on a coroutine's stack, below that of who goes on */
static ucontext_t home, co;
static char stack[32768];
NI void ends(void)
{
    work(WORK / 2);
    swapcontext(&co, &home);
    work(WORK - WORK / 2);
}
static void other(void) { for (;;) { ends(); swapcontext(&co, &home); } }
NI void way(void)
{
    if (!round_) {
        getcontext(&co);
        co.uc_stack.ss_sp = stack;
        co.uc_stack.ss_size = sizeof stack;
        makecontext(&co, other, 0);
    }
    swapcontext(&home, &co);
    swapcontext(&home, &co);
    rest();
}
#else
NI void way(void) { sum++; }
#endif
int main(void)
{
    for (round_ = 0; round_ < 8; round_++)
        way();
    return 0;
}
C
cp "$dir/left.c" "$dir/left.cc"
rest=$((8 * 6000 * 4)) # cycles at least
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/w0" "$dir/left.c" || exit 1
for way in 1 2 3 4 5 6 7; do
    compile="powerpc-linux-gnu-gcc" file=left.c name=ends
    if [ $way = 5 ]; then
        compile="powerpc-linux-gnu-g++" file=left.cc name=_Z4endsv
        command -v $compile >/dev/null || continue
    fi
    for work in 0 4000; do
        $compile -O1 -static -pthread -DWAY=$way -DWORK=$work -o "$dir/w$way-$work" \
            "$dir/$file" 2>"$dir/ld" || { cat "$dir/ld"; exit 1; }
    done
    for where in user guest; do
        case $where in
        user) run() { name_=$1; shift; cycles "$@" --user "$dir/$name_"; } ;;
        guest) run() { name_=$1; shift; cycles "$@" "$guest" --program "$dir/$name_"; } ;;
        esac
        full=$(run w$way-4000 --mode=fast) none=$(run w$way-0 --mode=fast)
        [ "$none" -lt "$full" ] || fail "$where $way: $none of $full"
        with=$(run w$way-4000 --mode=fast --what-if func:$name+=x0)
        near "$where $way" "$with" "$(run w$way-0 --mode=fast --what-if func:$name+=x0)"
        [ "$with" -gt $(($(run w0 --mode=fast) + rest)) ] ||
            fail "$where $way: what is behind it is scaled, $with"
        is "$where $way: interpreter" "$(run w$way-4000 --mode=fast --engine=interpreter \
            --what-if func:$name+=x0)" "$with"
    done
    [ "$(cycles --mode=warm --what-if func:$name+=x0 --user "$dir/w$way-4000")" -gt \
        $rest ] || fail "warm $way: what is behind it is scaled"
done
exit 0
