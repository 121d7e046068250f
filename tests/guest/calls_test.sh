#!/bin/sh
# calls_test.sh - calls of guest/calls answer as under qemu-ppc: timers that a
# program makes, their signals and threads; select, poll; signals that are waited
# for; policies and priorities. A thread of higher priority goes first, and one
# that is nice last.
# timeout: 120
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
run() { # PROGRAM CPUS: console to $out
    status=0
    timeout $((60 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus="$2" --max-cycles=200000000 \
        --program "$dir/$1" "$guest" </dev/null >"$out" 2>"$dir/err" || status=$?
    is "status of $1" "$status $(cat "$dir/err")" "0 "
}
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/calls" tests/guest/prog/calls.c ||
    fail "calls.c does not compile"
# How nice qemu-ppc is to begin with, and how nice it can be, is as it was started.
qemu-ppc "$dir/calls" | sed '/^nice/d' >"$dir/want"
above "lines under qemu-ppc" "$(wc -l <"$dir/want")" 30
for cpus in 1 4; do
    run calls $cpus
    is "how nice" "$(grep '^nice' "$out" | tr '\n' ' ')" "nice 0 nicer: 5 nice 5 "
    sed '/^nice/d' "$out" | cmp -s "$dir/want" - ||
        fail "calls on $cpus CPUs: $(sed '/^nice/d' "$out" | diff "$dir/want" -)"
done

cat >"$dir/order.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
static pthread_barrier_t begin;
static void *run(void *arg)
{
    struct sched_param p = {(int)(long)arg};
    if (p.sched_priority)
        pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
    else
        setpriority(PRIO_PROCESS, gettid(), 10);
    pthread_barrier_wait(&begin);
    for (volatile int n = 0; n < 300000; n++)
        continue;
    printf("%ld\n", (long)arg);
    return 0;
}
int main(void)
{
    pthread_t t[4];
    pthread_barrier_init(&begin, 0, 4);
    for (long n = 0; n < 4; n++)
        pthread_create(&t[n], 0, run, (void *)(n == 3 ? 3 : n));
    for (int n = 0; n < 4; n++)
        pthread_join(t[n], 0);
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/order" "$dir/order.c" ||
    fail "order.c does not compile"
run order 1
is "order" "$(tr '\n' ' ' <"$out")" "3 2 1 0 "
exit 0
