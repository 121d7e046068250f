#!/bin/sh
# probe_jump_test.sh - simrun --probe of functions that a longjmp leaves, that
# other calls at the same place follow, that loop back to their first
# instruction, that recur too deep, that signals call; of names that several
# functions have.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
cat >"$dir/jump.c" <<'C'
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#define F __attribute__((noipa))
static jmp_buf back;
static volatile unsigned sink;
F void work(int n) { for (int i = 0; i < n; i++) sink++; }
F void jumps(int n) { work(10); if (n < 3) longjmp(back, 1); work(100); }
F void other(int n) { work(n * 1000); }
F void call(void (*f)(int), int n) { f(n); work(1); }
F void skip(int n) { if (n) jumps(n); work(1); }
F int down(int n) { return n ? down(n - 1) + 1 : 0; }
void loops(int n);
__asm__(".globl loops\n.type loops,@function\nloops: addi 3,3,-1\n"
        "cmpwi 3,0\nbne loops\nblr\n.size loops,.-loops\n");
F void handles(int n) { (void)n; work(20); }
F void escapes(int n) { (void)n; siglongjmp(back, 1); }
F void signals(void)
{
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};

    signal(SIGUSR1, handles);
    signal(SIGUSR2, escapes);
    signal(SIGALRM, handles);
    raise(SIGUSR1);
    for (volatile int i = 0; i < 3; i++)
        if (!sigsetjmp(back, 1))
            raise(SIGUSR2);
    setitimer(ITIMER_REAL, &often, 0);
    loops(300000);
    setitimer(ITIMER_REAL, &never, 0);
}
static F int twice(int n) { return n + (int)sink; }
int another(int n);
int main(void)
{
    volatile int i;

    for (i = 0; i < 5; i++) /* left three times, returns twice */
        if (!setjmp(back))
            call(jumps, i);
    if (!setjmp(back))
        call(jumps, 0);
    call(other, 20); /* returns to where that one would have */
    if (!setjmp(back))
        skip(1);
    skip(0); /* jumps to where the call would have returned */
    loops(50);
    down(5000);
    signals();
    return twice(0) == another(0);
}
C
cat >"$dir/jump2.c" <<'C'
static __attribute__((noipa)) int twice(int n) { return n; }
int another(int n) { return twice(n); }
C
powerpc-linux-gnu-gcc -O1 -static -o "$dir/jump" "$dir/jump.c" "$dir/jump2.c" ||
    exit 1
cd "$dir" || exit 1
calls() { # FUNCTION [OPTION...]: its entries and exits
    function=$1
    shift
    rm -rf p.exp
    "$simrun" -q --mode=$mode --cpus=1 --probe "$function" --pmu-trace=p.exp \
        "$@" --user ./jump 2>err
    records p.exp/probe.rec >recs
    awk '{ n[$5]++ } END { print n[1] + 0, n[2] + 0 }' recs
}
is() { [ "$2" = "$3" ] || fail "$mode: $1: $2, not $3"; }
for mode in fast detailed; do
    is jumps "$(calls jumps)" "7 2"
    [ -s err ] && fail "$mode: $(cat err)"
    # The two that returned, and not from the ones that did not.
    "$BUILD/simprof" active --csv p.exp >csv || fail "$mode: active: status $?"
    is "calls" "$(sed -n '2s/,.*//p' csv)" 2
    most=$(sed -n 2p csv | cut -d, -f8)
    [ "$most" -lt 3000 ] || fail "$mode: a call of jumps took $most cycles"
    is loops "$(calls loops)" "2 2"
    is escapes "$(calls escapes)" "3 0"
    # As often as its first instruction runs: once for raise, else by a timer.
    calls handles --mark func:handles=count >both
    n=$("$BUILD/simprof" marks --csv p.exp | sed -n 2p | cut -d, -f3)
    [ "$n" -gt 5 ] || fail "$mode: handles ran $n times"
    is handles "$(cat both)" "$n $n"
    is down "$(calls down)" "4096 4096"
    is "too deep" "$(grep -c ': 905 calls are not recorded' err)" 1
    "$BUILD/simprof" active p.exp >out 2>err
    is "active of too deep, status" $? 1
    is "active of too deep" "$(grep -c '905 calls are missing' err)" 1
done
"$simrun" -q --probe twice --user ./jump 2>err
is "two of one name" "$? $(sed 's/0x[0-9a-f]*/N/g' err)" \
    "125 simrun: --probe twice: jump has several, at N and N; write 'twice (jump.c)', 'twice (jump2.c)' or the address"
is "by its file" "$(calls 'twice (jump2.c)')" "1 1"
"$simrun" -q --probe twice --user ./jump 2>err
is "by its address" \
    "$(calls "$(sed -n 's/.*at \(0x[0-9a-f]*\) and.*/\1/p' err)")" "1 1"
# The report takes any of its names, too.
for name in 'twice (jump.c)' twice; do
    "$BUILD/simprof" active --function="$name" --csv p.exp >out 2>err ||
        fail "--function=$name: $(cat err)"
    is "--function=$name" "$(wc -l <out)" 2
done
"$simrun" -q --probe= --user ./jump 2>err
is "no name" "$? $(cat err | head -n 1)" "2 simrun: --probe: give a function or an address"
exit 0
