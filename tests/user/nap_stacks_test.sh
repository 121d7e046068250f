#!/bin/sh
# nap_stacks_test.sh - what a napping processor is sampled with is the thread
# that left it: its number, and its whole stack as it was when it left. That
# thread may long run elsewhere, another one may come next, or none any more.
# timeout: 60
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
root=$PWD
cat >"$dir/nap.c" <<'C'
#include <pthread.h>
#include <time.h>
#define F __attribute__((noipa))
F void ms(int n)
{
    struct timespec t = {0, n * 1000000L};
    nanosleep(&t, 0);
}
F void *sleeper_a(void *p) { for (int i = 0; i < 5; i++) ms(2); return p; }
F void *sleeper_b(void *p) { for (int i = 0; i < 5; i++) ms(1); return p; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, sleeper_a, 0);
    pthread_create(&b, 0, sleeper_b, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/nap" "$dir/nap.c" || exit 1
cd "$dir" || exit 1
for mode in fast detailed; do
    for cpus in 1 2 3; do
        rm -rf n.exp
        # A system call is the kernel's time, too: here it has next to none.
        "$simrun" -q --mode=$mode --cpus=$cpus -e cycles:5000 \
            --set syscall_cycles=1 --set trap_cycles=1 \
            --pmu-trace=n.exp --user ./nap || fail "$mode, $cpus: status $?"
        "$BUILD/simprof" export --format=csv n.exp >n.csv || fail "no export"
        # pc is column 9, the event's 10; both are in the sleeping function.
        awk -F, -v where="$mode, $cpus CPUs" '
            function wrong(what) { print where ": " what ": " $0; bad = 1 }
            # naps, and the system calls that lead to them
            NR == 1 || $8 != "kernel" { next }
            $15 != 1 && $12 !~ /nanosleep|futex|start_thread/ { next }
            $15 == 1 && $12 != "<napping>" { wrong("a nap elsewhere") }
            { n[$4]++ }
            $13 ~ /Truncated/ { wrong("truncated") }
            substr($9, 1, 7) != substr($10, 1, 7) { wrong("two places") }
            $4 == 1000 && $13 !~ /;main;.*join/ { wrong("not main") }
            $4 == 1001 && $13 !~ /^clone;start_thread(;sleeper_a;ms;.*)?$/ {
                wrong("not sleeper_a") }
            $4 == 1002 && $13 !~ /^clone;start_thread(;sleeper_b;ms;.*)?$/ {
                wrong("not sleeper_b") }
            END { exit bad || n[1001] < 50 || n[1002] < 50 }' n.csv ||
            fail "$mode, $cpus CPUs: naps have the wrong stacks"
    done
done

# What was pending in user state when a thread left is no nap, however its stack
# lies.
powerpc-linux-gnu-gcc -I"$root" -O2 -static -pthread -o sections \
    "$root/tests/user/prog/sections.c" || exit 1
for pad in 1 20 39 58 77 96 115 134; do
    rm -rf n.exp
    "$simrun" -q --cpus=3 -e cycles:300:u -e cycles:300:k --clear-env \
        --env PAD=$(printf "%${pad}s" "" | tr " " x) --pmu-trace=n.exp \
        --user ./sections >/dev/null || fail "pad $pad: status $?"
    "$BUILD/simprof" truth --csv --event=cycles.u --limit=0 n.exp >truth ||
        fail "pad $pad: no truth"
    [ "$(wc -l <truth)" -gt 5 ] || fail "pad $pad: nothing of the program"
    grep "<napping>" truth && fail "pad $pad: naps in user state"
done
exit 0
